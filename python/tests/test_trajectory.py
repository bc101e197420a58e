"""Trajectories: tables for NumPy, Arrow and those who understand it; files; pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import program, pushed_box, wheel

import stickslip as ss


@pytest.fixture(scope="module")
def run(scenes: Path) -> ss.Run:
    return ss.run(scenes / "box_stack.toml", until=2.0)


@pytest.fixture(scope="module")
def trajectory(run: ss.Run) -> ss.Trajectory:
    assert run.trajectory is not None
    return run.trajectory


def test_columns_are_arrays_of_the_tables_own_memory(trajectory: ss.Trajectory) -> None:
    bodies = trajectory.bodies
    n = len(trajectory.names)
    assert bodies.rows == len(trajectory) * n
    assert list(bodies)[:6] == ["step", "t", "body", "x", "y", "z"]
    assert bodies.units["x"] == "m"
    x = bodies["x"]
    assert x.dtype == np.float64
    assert not x.flags.writeable
    grid = trajectory.column("x")
    assert grid.shape == (len(trajectory), n)
    assert np.shares_memory(grid, bodies["x"])
    assert bodies["step"].dtype == np.int64
    assert list(bodies["body"][:n]) == trajectory.names
    codes, words = bodies.codes("body")
    assert [words[k] for k in codes[:n]] == trajectory.names


def test_a_path_is_that_of_the_world(scenes: Path, trajectory: ss.Trajectory) -> None:
    world = ss.World(scenes / "box_stack.toml")
    world.step(150)
    name = trajectory.names[0]
    path = trajectory[name]
    np.testing.assert_array_equal(path.position[150], world[name].position)
    np.testing.assert_array_equal(path.orientation_sxyz[150], world[name].orientation_sxyz)
    np.testing.assert_array_equal(path.velocity[150], world[name].velocity)
    np.testing.assert_array_equal(path.angular_velocity[150], world[name].angular_velocity)
    assert path.t[150] == world.t
    assert "states" in repr(path)


def test_joints_and_contacts_have_the_order_of_names_as_in_the_world() -> None:
    scene = ss.Scene(h=0.01, until=0.2)
    scene.body("ground", ss.shapes.half_space(), motion="fixed")
    for k, name in enumerate(["c", "a", "b"]):
        scene.body(name, ss.shapes.ball(0.1), mass=1.0, position=[k, 0, 1.0 + k])
        scene.body(f"{name} below", ss.shapes.ball(0.1), mass=1.0 + k, position=[k, 2, 0.1 + 0.001 * (3 - k)])
        scene.joint("hinge", ["world", name], name=f"pin {name}", anchor=[k - 0.5, 0, 1.0 + k], axis=[0, 1, 0])
        ends = [{"body": "world", "point": [k, 0, 3 + k]}, {"body": name}]
        scene.spring(between=ends, name=f"line {name}", stiffness=10.0, damping=1.0)
    run = ss.run(scene)
    assert run.trajectory is not None
    with ss.World(scene) as world:
        world.step(20)
        assert run.trajectory.names == world.names
        assert run.trajectory.joint_names == world.joint_names == [f"{kind} {n}" for kind in ("pin", "line") for n in "abc"]
        table, n = run.trajectory.joints, len(world.joint_names)
        assert list(table["joint"][-n:]) == world.joint_names
        for k, axis in enumerate(["x", "y", "z", "rx", "ry", "rz"]):
            np.testing.assert_array_equal(table[axis][-n:], world.joints.coordinates[:, k])
        contacts = run.trajectory.contacts
        here = contacts["step"] == contacts["step"][-1]
        codes, words = contacts.codes("body_b")
        assert list(words) == world.names
        assert {words[k] for k in codes[here]} == {"a below", "b below", "c below"}


def test_pandas_shares_the_numbers(trajectory: ss.Trajectory) -> None:
    pd = pytest.importorskip("pandas")
    frame = trajectory.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == trajectory.bodies.rows
    assert np.shares_memory(frame["x"].to_numpy(), trajectory.bodies["x"])
    assert list(frame["body"].cat.categories) == trajectory.names
    high = frame.groupby("body", observed=True)["z"].max()
    assert high.max() > 10.0


def test_polars_and_pyarrow_read_the_stream(trajectory: ss.Trajectory) -> None:
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = trajectory.to_polars()
    assert frame.height == trajectory.bodies.rows
    np.testing.assert_array_equal(frame["z"].to_numpy(), trajectory.bodies["z"])
    assert pl.DataFrame(trajectory).shape == frame.shape
    table = trajectory.to_arrow()
    assert np.shares_memory(table["z"].chunk(0).to_numpy(), trajectory.bodies["z"])
    assert np.shares_memory(frame["z"].to_numpy(), trajectory.bodies["z"])
    assert pa.table(trajectory).num_rows == frame.height
    assert table.schema.field("z").metadata == {b"unit": b"m"}


def test_xarray_has_times_and_bodies(trajectory: ss.Trajectory) -> None:
    pytest.importorskip("xarray")
    data = trajectory.to_xarray()
    assert data.sizes == {"t": len(trajectory), "body": len(trajectory.names)}
    assert data["x"].attrs["units"] == "m"
    assert np.shares_memory(data["x"].values, trajectory.bodies["x"])
    name = trajectory.names[0]
    np.testing.assert_array_equal(data["z"].sel(body=name), trajectory[name].position[:, 2])


def test_contacts_and_steps_have_tables(trajectory: ss.Trajectory) -> None:
    contacts, steps = trajectory.contacts, trajectory.steps
    assert set(contacts["mode"]) <= {"open", "stick", "slide"}
    assert contacts.rows == steps["contacts"].sum()
    assert steps["certified"].all()
    assert steps["certified"].dtype == np.bool_
    assert (steps["residual_gap"] < 1e-8).all()
    assert steps.rows == len(trajectory)
    # The weight of ten boxes rests on the ground at the end.
    last = contacts["step"] == steps["step"][-1]
    on_ground = last & ((contacts["body_a"] == "ground") | (contacts["body_b"] == "ground"))
    assert on_ground.any()


def test_joints_have_a_table() -> None:
    run = ss.run(wheel())
    assert run.trajectory is not None
    joints = run.trajectory.joints
    assert joints.rows == run.steps
    assert set(joints["joint"]) == {"shaft"}
    assert joints["rx"][-1] > 0.5
    assert joints.units["motor_rx"] == "N m s"
    assert joints.units["motor_x"] == "N s"


def test_files_come_back(run: ss.Run, trajectory: ss.Trajectory, tmp_path: Path) -> None:
    file = tmp_path / "stack.parquet"
    trajectory.save(file)
    again = ss.Trajectory.open(file)
    assert again.hash == run.hash
    assert again.names == trajectory.names
    np.testing.assert_array_equal(again.bodies["wz"], trajectory.bodies["wz"])
    assert again.check().valid
    assert again.scene.title == run.scene.title
    told = program("check", file)
    assert told.returncode == 0
    assert told.stdout.startswith("VALID")
    trajectory.save(tmp_path / "stack.csv")
    trajectory.save(tmp_path / "stack.html")
    assert (tmp_path / "stack.html").read_text().startswith("<!")
    assert ss.compare(tmp_path / "stack.csv", trajectory).dist.max() == 0.0


def test_a_recorded_scene_has_its_files(scenes: Path) -> None:
    run = ss.run(scenes / "mesh_slide.toml", set={"step.until": 0.05})
    assert run.trajectory is not None
    assert ss.run(run.trajectory.scene).hash == run.hash


def test_a_run_writes_files_as_it_goes_on(tmp_path: Path) -> None:
    files = [tmp_path / "a.parquet", tmp_path / "a.csv"]
    run = ss.run(pushed_box(), output=files, record=False)
    assert run.trajectory is None
    assert ss.Trajectory.open(files[0]).hash == run.hash
    assert files[1].exists()


def test_pictures_are_made(trajectory: ss.Trajectory) -> None:
    assert trajectory.svg(1.0).startswith("<svg")
    assert trajectory.png(size=(200, 100))[:4] == b"\x89PNG"
    assert trajectory.glb()[:4] == b"glTF"
    picture = trajectory.rgb(2.0, size=(200, 100), whole=True)
    assert picture.shape == (100, 200, 3)
    assert picture.dtype == np.uint8
    # Sky above, and not only sky.
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 10
    assert tuple(picture[0, 0]) == (0xF4, 0xF6, 0xF9)
    assert "<iframe" in trajectory._repr_html_()
    assert trajectory.svg([0.5, 1.0, 2.0]) != trajectory.svg(2.0)


def test_pixels_are_those_of_the_png(trajectory: ss.Trajectory) -> None:
    image = pytest.importorskip("matplotlib.image")
    import io

    theirs = image.imread(io.BytesIO(trajectory.png(1.5, size=(120, 90))))
    np.testing.assert_array_equal((theirs[:, :, :3] * 255).round().astype(np.uint8), trajectory.rgb(1.5, size=(120, 90)))


def test_arrays_outlive_their_trajectory() -> None:
    column = ss.run(pushed_box()).trajectory.bodies["x"]  # type: ignore[union-attr]
    import gc

    gc.collect()
    assert len(column) == 202
    assert abs(column).max() < 1e-15
