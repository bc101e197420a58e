"""Same bits from Python as from the program, and in another process as in this one."""

from __future__ import annotations

import hashlib
import json
import pickle
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import program, pushed_box

import stickslip as ss

SCENES = [
    ("box_stack.toml", {}),
    ("sliding_box.toml", {}),
    ("bouncing_ball.toml", {}),
    ("bouncing_ball.toml", {"step.method": "event-driven"}),
    ("slider_crank.toml", {}),
    ("mesh_slide.toml", {}),
    ("plate.toml", {"step.until": 0.05}),
    ("sliding_box.toml", {"step.method": "extrapolated"}),
]


@pytest.mark.parametrize(("name", "changes"), SCENES)
def test_a_run_has_the_programs_hash(scenes: Path, name: str, changes: dict[str, object]) -> None:
    options = [part for k, v in changes.items() for part in ("--set", f"{k}={v}")]
    told = program("run", scenes / name, "--json", *options)
    assert told.returncode == 0, told.stderr
    theirs = json.loads(told.stdout)
    ours = ss.run(scenes / name, set=changes)
    assert ours.hash == theirs["hash"]
    assert ours.certified
    assert ours.trajectory is not None
    assert ours.trajectory.hash == ours.hash


def state_hash(names: list[str], states: list[tuple[int, np.ndarray]]) -> str:
    """The hash as docs/trajectory.md and the program describe it, for scenes without joints; written here anew."""
    sha = hashlib.sha256(struct.pack("<Q", len(names)))
    for name in names:
        sha.update(struct.pack("<Q", len(name.encode())) + name.encode())
    for step, state in states:
        sha.update(struct.pack("<Q", step) + (state + 0.0).astype("<f8").tobytes())
    return sha.hexdigest()


def test_step_by_step_gives_the_hash_of_the_run(scenes: Path) -> None:
    world = ss.World(scenes / "box_stack.toml")
    states = [(0, world.state)]
    for _ in range(200):
        world.step()
        states.append((world.steps, world.state))
    run = ss.run(scenes / "box_stack.toml", until=2.0)
    assert state_hash(world.names, states) == run.hash


GO_ON = """
import pickle, sys
world = pickle.load(open(sys.argv[1], "rb"))
print(world.run(world.t + 1.0).hash, world.hash)
"""


@pytest.mark.parametrize("name", ["box_stack.toml", "bouncing_ball.toml", "slider_crank.toml", "mesh_slide.toml"])
def test_a_pickled_world_goes_on_elsewhere(scenes: Path, tmp_path: Path, name: str) -> None:
    world = ss.World(scenes / name)
    world.step(37)
    file = tmp_path / "world.pickle"
    file.write_bytes(pickle.dumps(world))
    other = subprocess.run(
        [sys.executable, "-c", GO_ON, str(file)], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=120
    )
    run = world.run(world.t + 1.0)
    assert other.stdout.split() == [run.hash, world.hash]


def test_a_world_under_control_is_pickled_with_its_controls() -> None:
    world = ss.World(pushed_box())
    world.set_force("box", [9.0, 0, 0], point=[0, 0.1, 0])
    world.step(20)
    other = pickle.loads(pickle.dumps(world))
    copy = world.copy()
    for _ in range(30):
        world.step()
        other.step()
        copy.step()
        assert world.hash == other.hash == copy.hash


def test_a_copy_is_a_world_of_its_own() -> None:
    world = ss.World(pushed_box())
    copy = world.copy()
    copy.set_force("box", [20.0, 0, 0])
    copy.step(10)
    assert world.steps == 0
    assert world["box"].velocity[0] == 0.0
    assert copy["box"].velocity[0] > 0.5


def test_going_back_to_a_snapshot_repeats_every_bit(scenes: Path) -> None:
    world = ss.World(scenes / "box_stack.toml")
    world.step(180)
    kept = world.snapshot()
    world.step(20)
    there = world.hash
    world.resume(kept)
    world.step(20)
    assert world.hash == there


def test_threads_do_not_change_a_bit(scenes: Path) -> None:
    one = ss.run(scenes / "box_stack.toml", until=2.0, threads=1)
    two = ss.run(scenes / "box_stack.toml", until=2.0, threads=2)
    assert one.hash == two.hash


def test_a_scene_that_was_built_is_the_scene_of_its_text() -> None:
    scene = pushed_box()
    again = ss.Scene.from_toml(scene.to_toml())
    assert ss.run(scene).hash == ss.run(again).hash
    pickled = pickle.loads(pickle.dumps(scene))
    assert ss.run(pickled).hash == ss.run(scene).hash
