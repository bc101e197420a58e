"""Nonsense from Python: an exception with a sentence each, and the world as it was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import pushed_box, wheel

import stickslip as ss

NAN, INF = float("nan"), float("inf")


def changed(world: ss.World, place: tuple[int, int], value: float) -> np.ndarray:
    state = world.state
    state[place] = value
    return state


def jagged(world: ss.World) -> None:
    world.set_state([[1, 2], [3]])  # type: ignore[list-item]


#: What is asked of a world, and the beginning or middle of the sentence it answers with.
WORLD: list[tuple[str, Callable[[ss.World], object], str]] = [
    ("state of a wrong shape", lambda w: w.set_state(np.zeros((2, 12))), "the state has shape (2, 12); it needs (2, 13)"),
    ("state of one body too few", lambda w: w.set_state(w.state[:1]), "the state has shape (1, 13); it needs (2, 13)"),
    ("state that is flat", lambda w: w.set_state(w.state.ravel()), "the state has shape (26,)"),
    ("state with a NaN", lambda w: w.set_state(changed(w, (0, 2), NAN)), 'the state of "box" has a number that is not finite'),
    ("state with an infinity", lambda w: w.set_state(changed(w, (0, 8), INF)), 'the state of "box" has a number that is not finite'),
    ("quaternion of length 2", lambda w: w.set_state(changed(w, (0, 3), 2.0)), "that is no unit quaternion"),
    ("ground that is moved", lambda w: w.set_state(changed(w, (1, 0), 1.0)), 'the state of "ground" cannot be set: it is not free'),
    ("state of words", lambda w: w.set_state([["a"] * 13] * 2), "the state: expected numbers"),
    ("jagged state", jagged, "the state: expected numbers"),
    ("negative time", lambda w: w.set_state(w.state, t=-1.0), "t = -1 s is no time of a run"),
    ("time that is NaN", lambda w: w.set_state(w.state, t=NAN), "t = NaN s is no time of a run"),
    ("body that is not there", lambda w: w["bxo"], 'there is no body "bxo"'),
    ("index of no body", lambda w: w.index("bxo"), 'there is no body "bxo"'),
    ("force on no body", lambda w: w.set_force("bxo", [1, 0, 0]), 'there is no body "bxo"'),
    ("force on the ground", lambda w: w.set_force("ground", [1, 0, 0]), "is not free: a force on it has no effect"),
    ("force that is NaN", lambda w: w.set_force("box", [NAN, 0, 0]), "the force is not finite"),
    ("torque that is infinite", lambda w: w.set_force("box", torque=[0, INF, 0]), "the force is not finite"),
    ("force of two numbers", lambda w: w.set_force("box", [1, 0]), "force: expected three numbers"),
    ("force of four numbers", lambda w: w.set_force("box", [1, 0, 0, 0]), "force: expected three numbers"),
    ("force that is a number", lambda w: w.set_force("box", 3.0), "force: expected three numbers"),
    ("force of words", lambda w: w.set_force("box", ["a", "b", "c"]), "force: expected three numbers"),
    ("force that is a matrix", lambda w: w.set_force("box", np.eye(3)), "force: expected three numbers"),
    ("point of one number", lambda w: w.set_force("box", [1, 0, 0], point=[0]), "point: expected three numbers"),
    ("motion of what is free", lambda w: w.set_motion("box", [1, 0, 0]), "is free: it moves by the forces on it"),
    ("motion of no body", lambda w: w.set_motion("bxo", [1, 0, 0]), 'there is no body "bxo"'),
    ("motion that is NaN", lambda w: w.set_motion("ground", [0, NAN, 0]), "the velocity is not finite"),
    ("motor of no joint", lambda w: w.set_motor("shaft", 1.0), 'there is no joint "shaft"'),
    ("no steps", lambda w: w.step(0), "0 steps: expected 1 or more"),
    ("steps back", lambda w: w.step(-3), "-3 steps: expected 1 or more"),
    ("run until NaN", lambda w: w.run(NAN), "until = NaN s"),
    ("run back", lambda w: w.run(-1.0), "until = -1 s: the world is at 0 s already"),
    ("every 0th step", lambda w: w.run(1.0, every=0), "every how many steps?"),
    ("no time at all", lambda w: w.run(1.0, limit=0.0), "limit: expected a number of seconds above zero"),
    ("output of no kind", lambda w: w.run(1.0, output="run.txt"), "the ending, which must be .parquet, .csv or .html"),
    ("contacts of no body", lambda w: w.contacts.force_on("bxo"), 'there is no body "bxo"'),
    ("row of no joint", lambda w: w.joints.index("shaft"), 'there is no joint "shaft"'),
    ("bytes that are no snapshot", lambda w: w.resume(b"hello"), "this is no snapshot of a world"),
    ("half a snapshot", lambda w: w.resume(w.snapshot()[:-9]), "it is cut short or damaged"),
    ("another scene's snapshot", lambda w: w.resume(ss.World(wheel()).snapshot()), "this snapshot is of another scene"),
]


@pytest.mark.parametrize(("ask", "says"), [case[1:] for case in WORLD], ids=[case[0] for case in WORLD])
def test_a_world_answers_with_a_sentence(world: ss.World, ask: Callable[[ss.World], object], says: str) -> None:
    before = world.hash
    with pytest.raises(ss.InputError) as caught:
        ask(world)
    assert says in str(caught.value)
    assert world.hash == before
    assert world.step().holds


#: The same for motors, of a world that has one.
MOTOR: list[tuple[str, Callable[[ss.World], object], str]] = [
    ("axis that is none", lambda w: w.set_motor("shaft", 1.0, axis="w"), 'axis "w": expected one of x, y, z, rx, ry, rz'),
    ("axis without a motor", lambda w: w.set_motor("shaft", 1.0, axis="x"), "has no motor on x: its scene must give it one"),
    ("target that is NaN", lambda w: w.set_motor("shaft", NAN), "a motor cannot aim at NaN"),
    ("force below zero", lambda w: w.set_motor("shaft", 1.0, force=-1.0), "with a force of -1"),
]


@pytest.mark.parametrize(("ask", "says"), [case[1:] for case in MOTOR], ids=[case[0] for case in MOTOR])
def test_a_motor_answers_with_a_sentence(ask: Callable[[ss.World], object], says: str) -> None:
    with pytest.raises(ss.InputError) as caught:
        ask(ss.World(wheel()))
    assert says in str(caught.value)


def built(**options: object) -> ss.Scene:
    return pushed_box(**options).check()


def with_body(**options: object) -> ss.World:
    scene = pushed_box()
    scene.body("other", options.pop("shape", ss.shapes.ball(0.1)), **{"mass": 1.0, "position": [5, 0, 1], **options})  # type: ignore[arg-type]
    return ss.World(scene)


#: Scenes that cannot be.
SCENE: list[tuple[str, Callable[[], object], str]] = [
    ("file that is not there", lambda: ss.Scene.from_file("nowhere.toml"), "cannot read the scene"),
    ("text that is no TOML", lambda: ss.Scene.from_toml("[[["), "-->"),
    ("step of no length", lambda: built(h=0.0), "h"),
    ("friction below zero", lambda: built(friction=-0.1), "friction"),
    ("solver that is none", lambda: built(solver="newtn"), 'did you mean "newton"?'),
    ("number that is NaN", lambda: built(gravity=[0, 0, NAN]), "gravity: not a number"),
    ("value that is an object", lambda: built(cone=object()), "a scene cannot hold object"),
    ("two bodies of a name", lambda: with_body() and _twice(), "box"),
    ("mass below zero", lambda: with_body(mass=-1.0), "mass"),
    ("ball of no radius", lambda: with_body(shape=ss.shapes.ball(0.0)), "radius"),
    ("bodies that overlap", lambda: with_body(position=[0, 0, 0.1]), "overlap at the start"),
    ("shape that is none", lambda: with_body(shape={"bal": {"radius": 1}}), "did you mean `ball`?"),
    ("formula that is none", lambda: with_body(position=["sin(", 0, 1]), "sin("),
    ("key that is none", lambda: built().replace({"step.hh": 1}).check(), "nothing in the scene is called `step.hh`"),
    ("mesh that is not there", lambda: with_body(shape=ss.shapes.mesh("no.stl")), "cannot read `no.stl`"),
    ("mesh outside the folder", lambda: with_body(shape=ss.shapes.mesh("../" * 20 + "etc/hosts")), "-->"),
]


def _twice() -> object:
    scene = pushed_box()
    scene.body("box", ss.shapes.ball(0.1), mass=1.0, position=[5, 0, 1])
    return scene.check()


@pytest.mark.parametrize(("ask", "says"), [case[1:] for case in SCENE], ids=[case[0] for case in SCENE])
def test_a_scene_that_cannot_be_is_refused(ask: Callable[[], object], says: str) -> None:
    with pytest.raises(ss.InputError) as caught:
        ask()
    assert says in str(caught.value)


def recorded() -> ss.Trajectory:
    trajectory = ss.run(pushed_box(), until=0.1).trajectory
    assert trajectory is not None
    return trajectory


BLOCK = {"m": 1.0, "rho": 1.0, "mu": 0.25, "F": [0, -1, 0], "v": [0, 0, 0], "contacts": [{"n": [0, 1], "r": [0, 1]}]}

#: Functions that are asked for what cannot be.
FUNCTIONS: list[tuple[str, Callable[[], object], str]] = [
    ("column that is not there", lambda: recorded().bodies["xx"], 'there is no column "xx"; there are step, t, body, x'),
    ("words of a column of numbers", lambda: recorded().bodies.codes("x"), 'column "x" has numbers, not words'),
    ("path of no body", lambda: recorded()["bxo"], 'there is no body "bxo"'),
    ("file that is no trajectory", lambda: ss.Trajectory.open(__file__), "test_nonsense.py"),
    ("file that is not there", lambda: ss.check("nowhere.parquet"), "nowhere.parquet"),
    ("ending that is none", lambda: recorded().save("run.xlsx"), "the ending, which must be .parquet, .csv or .html"),
    ("picture of no size", lambda: recorded().svg(size=(0, 0)), "a picture has 16 to 10,000 units each way"),
    ("picture after the end", lambda: recorded().svg(9.0), "9"),
    ("glass body that is not there", lambda: recorded().svg(glass=["bxo"]), "bxo"),
    ("eye at NaN", lambda: recorded().svg(azimuth=NAN), "finite angles"),
    ("run without a record", lambda: ss.check(ss.run(pushed_box(), record=False)), "nothing of this run was recorded"),
    ("LCP without q", lambda: ss.solve(np.eye(2)), "q is missing"),
    ("LCP of a wrong shape", lambda: ss.solve(np.eye(3), [1, 2]), "the matrix has shape (3, 3), but q has 2 entries"),
    ("LCP that is flat", lambda: ss.solve(np.ones(4), [1, 2]), "the matrix has shape (4,), but q has 2 entries"),
    ("LCP with a NaN", lambda: ss.solve([[NAN]], [1.0]), "the matrix has a number that is not finite"),
    ("LCP of complex numbers", lambda: ss.solve(1j * np.eye(2), [1, 2]), "the matrix has complex numbers"),
    ("q of complex numbers", lambda: ss.solve(np.eye(2), [1j, 2]), "q has complex numbers"),
    ("q with an infinity", lambda: ss.solve([[1.0]], [INF]), "q has a number that is not finite"),
    ("q that is a matrix", lambda: ss.solve(np.eye(2), np.eye(2)), "q has shape (2, 2); expected a vector"),
    ("q of words", lambda: ss.solve(np.eye(1), ["a"]), "q: expected numbers"),
    ("solver that is none", lambda: ss.solve(np.eye(1), [1.0], solver="lemka"), "expected one of auto, lemke"),
    ("no tolerance", lambda: ss.solve(np.eye(1), [1.0], tolerance=0.0), "expected a positive number"),
    ("tolerance that is NaN", lambda: ss.solve(np.eye(1), [1.0], tolerance=NAN), "expected a positive number"),
    ("limit below zero", lambda: ss.solve(np.eye(1), [1.0], limit=-1.0), "expected a positive number of seconds"),
    ("free unknowns beyond q", lambda: ss.solve(np.eye(1), [1.0], n_eq=2), "n_eq is 2 but q has only 1 entries"),
    ("contacts of a wrong number", lambda: ss.solve(np.eye(3), [1, 2, 3], [0.1, 0.2]), "q has 3 entries; 2 contacts need 6"),
    ("friction below zero", lambda: ss.solve(np.eye(3), [-1, 0, 0], [-0.5]), "0"),
    ("contacts with free unknowns", lambda: ss.solve(np.eye(3), [1, 2, 3], [0.1], n_eq=1), "n_eq belongs to an LCP"),
    ("file of no problem", lambda: ss.solve("nowhere.json"), "nowhere.json: there is no such file"),
    ("file with a q", lambda: ss.solve("nowhere.json", [1.0]), "a file has its own q"),
    ("planar state without mass", lambda: ss.accel({"rho": 1.0}), "m"),
    ("planar state that is not there", lambda: ss.accel("nowhere.toml"), "nowhere.toml: No such file"),
    ("planar state with an object", lambda: ss.accel({"m": object()}), "a planar state cannot hold object"),
    ("planar force of two numbers", lambda: ss.accel(BLOCK, force=[1, 2]), "force: expected three numbers"),
    ("planar state at a time", lambda: ss.accel(BLOCK, at=1.0), "a state is one moment"),
    ("trajectory at no time", lambda: ss.accel(recorded()), "a trajectory holds many states"),
    ("trajectory at a time it has not", lambda: ss.accel(recorded(), at=99.0), "nothing is recorded near t = 99 s"),
    ("body that is not in it", lambda: ss.accel(recorded(), at=0.05, body="bxo"), 'there is no body "bxo"'),
    ("axis that is none", lambda: ss.modes(BLOCK, x="fz"), "fz"),
    ("plate that is none", lambda: ss.field("circel"), "neither a scene file nor one of the named motions"),
    ("part that is none", lambda: ss.field("circle", part="teapot"), 'expected "particle" or "tripod"'),
    ("grid of one place", lambda: ss.field("circle", grid=1), "2 to 10,000 starting places"),
    ("period below zero", lambda: ss.field("circle", grid=2, period=-1.0), "the period must be a positive time"),
    ("scene without a plate", lambda: ss.field(pushed_box()), "has no"),
    ("quantity of no body", lambda: ss.converge(pushed_box(), quantity="bxo.x", halvings=3), "bxo"),
    ("quantity that is none", lambda: ss.converge(pushed_box(), quantity="box.q", halvings=3), "box.q"),
    ("one halving", lambda: ss.converge(pushed_box(), halvings=1), "1 halvings: from 3 to 16 are needed"),
    ("error below zero", lambda: ss.converge(pushed_box(), error=-1.0), "error must be positive"),
    ("sweep over nothing", lambda: ss.sweep(pushed_box(), {}, lambda run: run), "a sweep needs parameters"),
    ("threads beyond all", lambda: ss.World(pushed_box(), threads=10**6), "expected 1 to 1024"),
    ("no threads", lambda: ss.World(pushed_box(), threads=0), "expected 1 to 1024"),
]


@pytest.mark.parametrize(("ask", "says"), [case[1:] for case in FUNCTIONS], ids=[case[0] for case in FUNCTIONS])
def test_a_function_answers_with_a_sentence(ask: Callable[[], object], says: str) -> None:
    with pytest.raises(ss.StickslipError) as caught:
        ask()
    assert says in str(caught.value)


def test_what_is_no_scene_at_all_is_a_type_error() -> None:
    for nonsense in (None, 3, b"bytes"):
        with pytest.raises(TypeError):
            ss.World(nonsense)  # type: ignore[arg-type]


CLOSED: list[Callable[[ss.World], object]] = [
    lambda w: w.step(),
    lambda w: w.state,
    lambda w: w["box"],
    lambda w: w.t,
    lambda w: w.contacts,
    lambda w: w.joints,
    lambda w: w.set_force("box", [1, 0, 0]),
    lambda w: w.set_motion("ground"),
    lambda w: w.run(1.0),
    lambda w: w.copy(),
    lambda w: w.snapshot(),
    lambda w: w.hash,
    lambda w: w.energy,
    lambda w: w.certificate,
    lambda w: w.trajectory,
    lambda w: w.release(),
]


@pytest.mark.parametrize("ask", CLOSED)
def test_nothing_is_left_of_a_world_that_was_closed(world: ss.World, ask: Callable[[ss.World], object]) -> None:
    world.close()
    world.close()
    with pytest.raises(ss.ClosedError, match="this world was closed"):
        ask(world)


def test_a_refused_step_leaves_the_world_as_it_was(scenes: Path) -> None:
    scene = pushed_box()
    scene.force("box", force=["if(t < 0.2, 1, 1/0)", 0, 0])
    world = ss.World(scene)
    with pytest.raises(ss.StepError, match="is not finite") as caught:
        world.step(100)
    assert world.t == caught.value.t == pytest.approx(0.2, abs=0.011)
    before = world.hash
    with pytest.raises(ss.StepError):
        world.step()
    assert world.hash == before
    with pytest.raises(ss.StepError) as whole:
        ss.run(scene)
    assert whole.value.result is not None
    assert whole.value.result.trajectory is not None
    assert len(whole.value.result.trajectory) == world.steps + 1
