"""Worlds: stepped, read, driven from outside."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from conftest import pushed_box, wheel

import stickslip as ss


def test_a_step_gives_the_judges_word(world: ss.World) -> None:
    certificate = world.step()
    assert certificate.holds
    assert certificate.residual <= certificate.bound
    assert certificate.step == world.steps == 1
    assert certificate.t == world.t == 0.01
    assert set(certificate.residuals) >= {"gap", "cone", "momentum", "complementarity"}
    assert certificate.kind == "step"
    assert "\n" not in repr(certificate)
    assert world.certificate.step == 1
    assert pickle.loads(pickle.dumps(certificate)) == certificate
    world.step(9)
    assert world.steps == 10
    assert world.certificate != certificate


def test_the_ground_carries_the_box(world: ss.World) -> None:
    world.step(5)
    contacts = world.contacts
    assert len(contacts) == 4
    assert set(contacts.bodies) == {("ground", "box")}
    np.testing.assert_allclose(contacts.force_on("box"), [0, 0, 2 * 9.81], atol=1e-9)
    np.testing.assert_allclose(contacts.force_on("ground"), [0, 0, -2 * 9.81], atol=1e-9)
    assert contacts.normal_force.sum() == pytest.approx(2 * 9.81)
    assert contacts.mode == ["stick"] * 4
    assert contacts.point.shape == contacts.normal.shape == contacts.force.shape == (4, 3)
    assert contacts.gap.shape == (4,)
    np.testing.assert_array_equal(contacts.friction, np.full((4, 2), 0.3))
    assert contacts.restituted.sum() == 0.0
    for array in (contacts.point, contacts.impulse):
        assert array.flags.c_contiguous
        assert array.dtype == np.float64


def test_states_are_copies(world: ss.World) -> None:
    state = world.state
    assert state.shape == (2, 13)
    assert state.dtype == np.float64
    assert state.flags.c_contiguous
    assert state.flags.writeable
    before = state.copy()
    world.set_force("box", [50, 0, 0])
    world.step(10)
    np.testing.assert_array_equal(state, before)
    state[:] = 7.0
    assert world.state[0, 0] != 7.0
    assert world.names == ["box", "ground"]
    assert ss.COLUMNS[3] == "qs"


def test_a_body_by_its_name(world: ss.World) -> None:
    body = world["box"]
    np.testing.assert_array_equal(body.position, [0, 0, 0.1])
    np.testing.assert_array_equal(body.orientation_sxyz, [1, 0, 0, 0])
    assert "box" in world
    assert "ball" not in world
    assert world.index("ground") == 1
    np.testing.assert_array_equal(world.masses, [2.0, np.inf])


def test_a_force_moves_the_box_by_newtons_law(world: ss.World) -> None:
    world.set_force("box", [9.0, 0.0, 0.0])
    world.step(50)
    # (9 N - 0.3 * 2 kg * 9.81 m/s²) / 2 kg
    assert world["box"].velocity[0] == pytest.approx(0.5 * (9.0 - 0.3 * 2 * 9.81) / 2, abs=1e-12)
    assert world.contacts.mode == ["slide"] * 4
    world.set_force("box")
    world.step(50)
    assert abs(world["box"].velocity[0]) < 1e-12


def test_a_controller_in_the_loop_reaches_its_speed(world: ss.World) -> None:
    while world.t < 1.0:
        error = 0.5 - world["box"].velocity[0]
        world.set_force("box", np.array([0.3 * 2 * 9.81 + 40.0 * error, 0, 0]))
        assert world.step().holds
    assert world["box"].velocity[0] == pytest.approx(0.5, abs=1e-3)


def test_a_motor_is_set() -> None:
    world = ss.World(wheel())
    world.set_motor("shaft", -4.0, force=2.0)
    world.step()
    assert world["wheel"].angular_velocity[2] == pytest.approx(-0.2)
    joints = world.joints
    assert joints.names == ["shaft"]
    assert joints.motor[joints.index("shaft"), 3] == pytest.approx(-2.0)
    world.step(50)
    assert world["wheel"].angular_velocity[2] == pytest.approx(-4.0)
    assert world.joints.coordinates[0, 3] < -1.0
    assert world.joints.force.shape == (1, 3)
    world.set_motor("shaft", 1.0, axis="rx")
    world.release()
    world.step(100)
    assert world["wheel"].angular_velocity[2] == pytest.approx(1.0)


def test_the_ground_is_set_in_motion(world: ss.World) -> None:
    world.set_motion("ground", [0.5, 0, 0])
    world.step(50)
    assert world["box"].velocity[0] == pytest.approx(0.5)
    assert world["ground"].position[0] == pytest.approx(0.25)
    world.set_motion("ground", angular_velocity=[0, 0, 1.0])
    world.step()
    assert world["ground"].orientation_sxyz[3] == pytest.approx(np.sin(0.005))


def test_a_state_is_set(world: ss.World) -> None:
    state = world.state
    state[0, :3] = [1, 2, 3]
    state[0, 7] = 4.0
    world.set_state(state)
    np.testing.assert_array_equal(world.state, state)
    world.step()
    assert world["box"].position[0] == pytest.approx(1.04)
    world.set_state(state, t=0.0, step=0)
    assert (world.t, world.steps) == (0.0, 0)
    world.set_state(world.state.tolist())


def test_energy_and_momentum(world: ss.World) -> None:
    assert world.energy == pytest.approx(2 * 9.81 * 0.1)
    state = world.state
    state[0, 7] = 3.0
    world.set_state(state)
    linear, angular = world.momentum
    np.testing.assert_allclose(linear, [6, 0, 0])
    np.testing.assert_allclose(angular, [0, 0.6, 0], atol=1e-15)


def test_a_run_goes_to_its_end_and_on(world: ss.World) -> None:
    first = world.run(0.5)
    assert (first.steps, first.t) == (50, 0.5)
    assert first.certified
    assert first.trajectory is not None
    assert len(first.trajectory) == 51
    second = world.run(record=False)
    assert world.t == 1.0
    assert second.trajectory is None
    assert world.run(1.0).steps == 0
    thin = world.run(2.0, every=10)
    assert thin.trajectory is not None
    assert len(thin.trajectory) == 11
    assert "\n" not in repr(thin)
    assert "<table>" in thin._repr_html_()


def test_steps_are_recorded_one_by_one(world: ss.World) -> None:
    assert len(world.trajectory) == 1
    world.record()
    world.set_force("box", [9.0, 0, 0])
    world.step(20)
    trajectory = world.trajectory
    assert len(trajectory) == 21
    assert trajectory["box"].position[-1, 0] == world["box"].position[0]
    assert trajectory.certified
    assert trajectory.controlled
    with pytest.raises(ss.WorkError, match="set from outside"):
        trajectory.check()
    world.record(False)
    assert len(world.trajectory) == 1


def test_what_is_recorded_without_control_can_be_checked(world: ss.World) -> None:
    world.record()
    world.step(20)
    assert world.trajectory.check().valid


def test_a_limit_ends_a_run_between_steps(world: ss.World) -> None:
    run = world.run(1e6, limit=0.05, record=False)
    assert run.interrupted
    assert 0 < run.t < 1e6
    assert world.t == run.t


def test_copies_and_reprs(world: ss.World) -> None:
    world.step(3)
    assert copy.copy(world).hash == copy.deepcopy(world).hash == world.hash
    assert repr(world) == "<World of 2 bodies at t = 0.03 s, step 3>"
    assert "contacts" in repr(world.contacts)
    with world as same:
        assert same is world
    assert repr(world) == "<World, closed>"


def test_event_driven_worlds_run_to_the_time_that_is_asked_for() -> None:
    scene = ss.Scene(h=0.05, until=1.0, method="event-driven", restitution=0.5)
    scene.body("ground", ss.shapes.half_space(), motion="fixed")
    scene.body("ball", ss.shapes.ball(0.1), mass=1.0, position=[0, 0, 1.0])
    world = ss.World(scene)
    world.run(0.6)
    assert world.t == pytest.approx(0.6)
    run = world.run()
    assert world.t == pytest.approx(1.0)
    assert run.certified


def test_a_box_that_is_pushed_as_its_scene_says_moves_alike() -> None:
    told = pushed_box()
    told.force("box", force=[9, 0, 0])
    driven = ss.World(pushed_box())
    driven.set_force("box", [9, 0, 0])
    driven.step(100)
    other = ss.World(told)
    other.step(100)
    assert driven.hash == other.hash
