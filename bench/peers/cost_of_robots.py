"""CPU time a step of robots here and in MuJoCo, in turn, at the same step and under the same motors.

Usage: python cost_of_robots.py FOLDER PROGRAM [ROUNDS]

FOLDER holds the models of the references (`robots` of the shared folder), PROGRAM is `stickslip`, built in release. Needs
`pip install mujoco numpy`. Scenes: a quadruped that stands on bent legs, held by gains (h = 2 ms); the Allegro hand that closes on a ball and
holds it (h = 4 ms; `crates/stickslip-verify/tests/robots/allegro.toml`). MuJoCo has its default settings but for the step and the
integrator (`implicitfast`: with the default one such gains are unstable at these steps). Each program's
time is that of a long run less that of a short one, so that reading the model does not count; the least of the rounds is printed.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

import mujoco

LEGS = ["FL", "FR", "BL", "BR"]
STARTS = {f"{leg}_{joint}": at for leg in LEGS for joint, at in (("HFE", 0.5), ("KFE", -1.0))}
GAINS = (200.0, 5.0)
QUADRUPED = """
[step]
h = 0.002
until = 100
[material]
friction = 0.8
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[include]]
file = "quadruped/quadruped.urdf"
position = [0, 0, 0.306]
hold = { stiffness = %g, damping = %g }
joints = { %s }
""" % (*GAINS, ", ".join(f"{name} = {at}" for name, at in STARTS.items()))
ALLEGRO = os.path.join(os.path.dirname(__file__), "../../crates/stickslip-verify/tests/robots/allegro.toml")


def child_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(program, scene, ends):
    """Seconds of CPU a step between the two ends."""
    h = tomllib.loads(open(scene).read())["step"]["h"]
    times = [child_seconds([program, "run", scene, "--quiet", "--set", f"step.until={end}"]) for end in ends]
    return (times[1] - times[0]) / ((ends[1] - ends[0]) / h)


def motor(spec, joint, target, gains, force=None):
    actuator = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_position(kp=gains[0], kv=gains[1])
    if force is not None:
        actuator.forcelimited, actuator.forcerange = 1, [-force, force]


def ground(spec, friction):
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1], friction=[friction, 0.005, 0.0001])
    for geom in spec.geoms:
        geom.friction[0] = friction


def read(path):
    """A URDF with its own inertias, in a float base."""
    text = open(path).read()
    text = re.sub(r"<visual>.*?</visual>", "", text, flags=re.S)
    options = '<mujoco><compiler fusestatic="true" balanceinertia="true" discardvisual="true"/></mujoco>'
    spec = mujoco.MjSpec.from_string(text.replace("</robot>", options + "</robot>"))
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    return spec


def quadruped(folder):
    spec = read(f"{folder}/quadruped/quadruped.urdf")
    base = spec.worldbody.first_body()
    base.add_freejoint()
    base.pos = [0, 0, 0.306]
    ground(spec, 0.8)
    for name in STARTS:
        motor(spec, name, STARTS[name], GAINS)
    spec.option.timestep = 0.002
    model = spec.compile()
    data = mujoco.MjData(model)
    for k, (name, at) in enumerate(STARTS.items()):
        data.qpos[model.joint(name).qposadr[0]] = at
        data.ctrl[k] = at
    return model, data, lambda t: None


def hand(folder):
    scene = tomllib.loads(open(ALLEGRO).read())
    spec = read(f"{folder}/allegro_hand/allegro_right_hand.urdf")
    base = spec.worldbody.first_body()
    include, thing = scene["include"][0], scene["body"][1]
    base.pos, base.quat = include["position"], [0.5**0.5, 0, 0.5**0.5, 0]
    ball = spec.worldbody.add_body(pos=thing["position"])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.03, 0, 0], mass=0.1)
    ground(spec, 0.8)
    spec.option.timestep = scene["step"]["h"]
    for joint in spec.joints:
        if joint.name:
            joint.damping, joint.frictionloss = [include["dynamics"]["damping"]] * 3, include["dynamics"]["friction"]
    for given in scene["motor"]:
        motor(spec, given["joint"], 0, (given["stiffness"], given["damping"]), given["force"])
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, at in include["joints"].items():
        data.qpos[model.joint(name).qposadr[0]] = at

    def drive(t):
        for k, given in enumerate(scene["motor"]):
            times, values = given["position"]["t"], given["position"]["value"]
            part = min(max((t - times[1]) / (times[2] - times[1]), 0.0), 1.0)
            data.ctrl[k] = values[1] + part * (values[2] - values[1])

    return model, data, drive


def theirs(make, folder, ends):
    model, data, drive = make(folder)
    spent = steps = 0
    for _ in range(round(ends[1] / model.opt.timestep / 10)):
        drive(data.time)
        start = time.process_time()
        mujoco.mj_step(model, data, 10)
        if data.time > ends[0]:
            spent += time.process_time() - start
            steps += 10
    assert data.time > ends[0], "MuJoCo's run is unstable"
    return spent / steps, data


def main():
    folder, program = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    for name, text, make, ends in (
        ("quadruped", QUADRUPED, quadruped, (1.0, 3.0)),
        ("hand", open(ALLEGRO).read(), hand, (0.65, 0.79)),
    ):
        with tempfile.TemporaryDirectory() as place:
            for model in ("quadruped", "allegro_hand"):
                shutil.copytree(os.path.join(folder, model), os.path.join(place, model))
            scene = os.path.join(place, "scene.toml")
            with open(scene, "w") as file:
                file.write(text)
            both = []
            for _ in range(rounds):
                there, data = theirs(make, folder, ends)
                both.append((ours(program, scene, ends), there, data.ncon))
            here, there = min(b[0] for b in both), min(b[1] for b in both)
            print(f"{name}: {here * 1e6:.0f} us a step, MuJoCo {there * 1e6:.0f} us ({both[-1][2]} contacts): {here / there:.1f} times")


if __name__ == "__main__":
    main()
