"""What Python costs: ``python bench.py``. Figures for docs/python.md.

Times are those that this thread was on a processor, so that what others do on the machine does not count; medians over blocks. What a call costs beyond the step is the time of many calls of one step less that of one call of as many
steps, block by block in turn, so that both see the same machine.
"""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import stickslip as ss
from stickslip import _core


def seconds(work: Callable[[], object]) -> float:
    """Time of one call on the processor, s."""
    begun = time.thread_time()
    work()
    return time.thread_time() - begun


def step_call(part: str, block: int = 500, blocks: int = 41) -> tuple[float, float]:
    """A step of the plate's part, and what a call from Python adds, s."""
    scene = ss.Scene.from_toml(_core.plate_scene("circle", part))
    world = ss.World(scene)
    world.step(2000)
    alone, added = [], []

    def one_by_one() -> None:
        for _ in range(block):
            world.step()

    for _ in range(blocks):
        start = world.snapshot()
        together = seconds(lambda: world.step(block))
        world.resume(start)
        single = seconds(one_by_one)
        alone.append(together / block)
        added.append((single - together) / block)
    return statistics.median(alone), statistics.median(added)


def many(bodies: int) -> ss.Scene:
    """Balls that fall far from each other."""
    side = int(np.ceil(np.sqrt(bodies)))
    place = ["3*mod(i, side)", "3*floor(i/side)", 0]
    scene = ss.Scene(h=0.01, until=10.0, parameters={"side": side})
    scene.body("ball", ss.shapes.ball(0.1), count=bodies, mass=1.0, position=place)
    return scene


def resident() -> int:
    """Memory of this process, bytes."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def tables() -> None:
    """A trajectory of a million rows for those who read it."""
    world = ss.World(many(1000))
    trajectory = world.run(9.99).trajectory
    assert trajectory is not None
    rows = trajectory.bodies.rows
    size = sum(trajectory.bodies._column(name)[0].nbytes for name in trajectory.bodies)
    print(f"{rows} rows, {size / 1e6:.0f} MB of columns")
    for name in ("to_pandas", "to_polars", "to_arrow"):
        getattr(trajectory.bodies, name)()  # The library itself is loaded.
        before = resident()
        begun = time.perf_counter()
        frame = getattr(trajectory.bodies, name)()
        took = time.perf_counter() - begun
        numbers = {"to_pandas": lambda: frame["z"].to_numpy(), "to_polars": lambda: frame["z"].to_numpy()}
        z = numbers.get(name, lambda: frame["z"].chunk(0).to_numpy())()
        shared = np.shares_memory(z, trajectory.bodies["z"])
        print(f"  {name:10} {1e3 * took:7.1f} ms, {(resident() - before) / 1e6:6.1f} MB more, numbers shared: {shared}")


def main() -> None:
    """All figures."""
    for part in ("particle", "tripod"):
        alone, added = step_call(part)
        print(f"step of a {part} on the plate: {1e6 * alone:.2f} µs; world.step() adds {1e6 * added:.2f} µs")
    print(subprocess.run([sys.executable, "-m", "stickslip", "bench", "plate"], capture_output=True, text=True, check=True).stdout)
    world = ss.World(many(1000))

    def read() -> None:
        for _ in range(100):
            world.state  # noqa: B018

    reads = [seconds(read) / 100 for _ in range(41)]
    print(f"world.state of 1000 bodies: {1e6 * statistics.median(reads):.1f} µs")
    code = "import time; a, b = time.perf_counter(), time.process_time(); import stickslip; print(time.perf_counter() - a, time.process_time() - b)"
    loads = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() for _ in range(9)
    ]
    clock, processor = (statistics.median(float(x[k]) for x in loads) for k in (0, 1))
    print(f"import stickslip: {clock:.3f} s by the clock, {processor:.3f} s on the processor")
    tables()


if __name__ == "__main__":
    main()
