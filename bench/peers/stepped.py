"""What the Python programs of other engines share: a scene of `cargo xtask peers` stepped to its end.

Usage of such a program: python with_X.py SETTING SCENE.json STATES EVERY LIMIT

SETTING is the engine's, STATES the file of states to be written (a line `S step` every EVERY steps, then a line for each free body:
position, orientation w x y z, velocity, angular velocity; m, s, rad, world frame), LIMIT the most seconds on a processor. Prints one JSON object: steps, cpu, median
and worst time of a step (s), contacts at most, timeout; or `lacks`, what the scene has and the engine has not.
"""

import json
import math
import statistics
import sys
import time


class Lacks(Exception):
    """What a scene has and an engine has not."""


def main(build):
    """build(setting, scene) gives three functions: step, states of the free bodies, number of contacts."""
    setting, scene, states, every, limit = sys.argv[1:6]
    with open(scene) as file:
        scene = json.load(file)
    try:
        step, bodies, contacts = build(setting, scene)
    except Lacks as lacks:
        print(json.dumps({"lacks": str(lacks)}))
        return
    steps = math.ceil(scene["until"] / scene["h"] - 1e-9)
    lines, times, spent, most = [], [], 0.0, 0

    def sample(number):
        lines.append(f"S {number}")
        lines.extend(" ".join(repr(float(x)) for x in body) for body in bodies())

    sample(0)
    for number in range(1, steps + 1):
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
        spent += times[-1]
        over = spent > float(limit)
        if number % int(every) == 0 or number == steps or over:
            sample(number)
            most = max(most, contacts())
        if over:
            break
    with open(states, "w") as file:
        file.write("\n".join(lines) + "\n")
    result = {"steps": len(times), "cpu": spent, "contacts": most, "timeout": len(times) < steps}
    print(json.dumps(result | {"median": statistics.median(times), "worst": max(times)}))
