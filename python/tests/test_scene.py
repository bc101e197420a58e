"""Scenes: built with keywords, read, changed, written."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import numpy as np
import pytest
from conftest import pushed_box

import stickslip as ss


def keys_of(schema: dict[str, object], name: str) -> set[str]:
    """The keys of a table of the scene format."""
    table = schema["properties"][name]  # type: ignore[index]
    table = table.get("items", table)
    if "$ref" in table:
        for part in table["$ref"].removeprefix("#/").split("/"):
            schema = schema[part]  # type: ignore[assignment]
        table = schema
    return set(table["properties"])


def keywords(function: object) -> set[str]:
    names = inspect.signature(function).parameters  # type: ignore[arg-type]
    return {name.replace("_", "-") for name in names if name not in ("self", "folder")}


@pytest.mark.parametrize(
    ("table", "method", "others"),
    [
        ("body", ss.Scene.body, {}),
        ("force", ss.Scene.force, {}),
        ("joint", ss.Scene.joint, {}),
        ("spring", ss.Scene.spring, {}),
        ("gear", ss.Scene.gear, {}),
        ("contact", ss.Scene.contact, {"a": "bodies", "b": "bodies"}),
        ("pair", ss.Scene.pair, {"a": "materials", "b": "materials"}),
        ("motor", ss.Scene.motor, {}),
        ("frame", ss.Scene.frame, {}),
        ("include", ss.Scene.include, {}),
    ],
)
def test_everything_a_file_can_say_has_a_keyword(table: str, method: object, others: dict[str, str]) -> None:
    schema = json.loads(ss.schema())
    assert {others.get(k, k) for k in keywords(method)} == keys_of(schema, table)


def test_the_top_and_its_tables_have_keywords() -> None:
    schema = json.loads(ss.schema())
    tables = {"body", "force", "joint", "spring", "gear", "contact", "pair", "motor", "frame", "include", "step", "material", "format"}
    wanted = (set(schema["properties"]) - tables) | keys_of(schema, "step") | keys_of(schema, "material")
    assert keywords(ss.Scene.__init__) == wanted


def test_a_scene_with_everything_is_read() -> None:
    scene = ss.Scene(
        h=0.01, until="2*T", title="All", gravity=np.array([0, 0, -1.62]), parameters={"T": 0.5, "slip_speed": "T/2"},
        friction={"static": 0.6, "kinetic": 0.4}, restitution=0.1, method="stewart-trinkle", cone={"pyramid": 8},
        solver="auto", tolerance=1e-8, accept=1e-6, energy_check=True, impact_friction="coupled", contact="max-gap",
    )  # fmt: skip
    scene.body("ground", ss.shapes.half_space([0, 0, 1]), motion="fixed")
    scene.body("tower", ss.shapes.box([1, 1, 0.2]), count=3, mass="1/(1 + i)", position=[0, 0, "0.2*(i + 0.5)"])
    scene.body("roller", ss.shapes.cylinder(0.1, 0.3), density=1000, position=[3, 0, 0.2], velocity=[0.1, 0, 0], material="steel")
    scene.body("cone", ss.shapes.cone(0.1, 0.4), mass=1, position=[4, 0, 0.2], angular_velocity=[0, 0, 1])
    scene.body("pill", ss.shapes.capsule(0.1, 0.3), mass=1, position=[5, 0, 0.5], groups=["a"], restitution=0.5)
    scene.body("rock", ss.shapes.hull(np.vstack([np.zeros(3), np.eye(3)])), mass=1, position=[6, 0, 0.5], friction=0.1)
    pieces = [ss.shapes.piece(ss.shapes.ball(0.1), [0.2, 0, 0]), ss.shapes.piece(ss.shapes.ball(0.1), [-0.2, 0, 0])]
    scene.body("dumbbell", ss.shapes.compound(pieces), mass=1, position=[7, 0, 0.5], orientation=[0.6, 0, 0, 0.8])
    tetrahedron = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    scene.body("mesh", ss.shapes.mesh(vertices=tetrahedron, triangles=faces), mass=1, position=[9, 0, 0.5])
    scene.body("hills", ss.shapes.height_field([[0, 0.1], [0.1, 0]], spacing=[2, 2]), motion="fixed", position=[20, 0, 0.2])
    scene.body("dust", ss.shapes.point(), mass=0.1, position=[10, 0, 1])
    scene.body("feet", ss.shapes.points([[0.1, 0, 0], [-0.1, 0.1, 0], [0, -0.1, 0]]), mass=1, inertia=[1, 1, 1], position=[11, 0, 1])
    scene.body("plate", ss.shapes.box([1, 1, 0.1]), motion={"position": [12, 0, "0.2 + 0.01*sin(t)"]})
    scene.joint("hinge", ["world", "dumbbell"], name="pin", anchor=[7, 0, 0.5], axis=[0, 0, 1], motor={"velocity": "sin(t)", "force": 3})
    scene.spring(between=[{"body": "world", "point": [5, 0, 2]}, {"body": "pill"}], name="string", stiffness=10.0, damping=1.0)
    scene.force("roller", force=["cos(t)", 0, 0], torque=[0, 0, 0.01], point=[0, 0, 0.1])
    scene.contact("ground", "roller", friction=0.7)
    scene.pair("steel", "steel", friction=0.2)
    assert scene.check() is scene
    assert scene.until == 1.0
    assert scene.bodies[1:4] == ["tower[0]", "tower[1]", "tower[2]"]
    assert (scene.joints, scene.springs) == (["pin"], ["string"])
    again = ss.Scene.from_toml(scene.to_toml())
    assert again.to_toml() == scene.to_toml()
    with ss.World(scene) as world:
        assert world.step().holds
        assert world.joint_names == ["pin", "string"]


def test_values_are_set_by_name_and_path(scenes: Path) -> None:
    scene = ss.Scene.from_file(scenes / "sliding_box.toml", set={"step.h": 0.02, "gravity": [0, 0, -1.62]})
    assert scene.h == 0.02
    assert scene.replace({"step.h": 0.05}).h == 0.05
    assert scene.h == 0.02
    assert "gravity = [0" in scene.to_toml()


def test_files_are_extended_and_saved(scenes: Path, tmp_path: Path) -> None:
    scene = ss.Scene.from_file(scenes / "sliding_box.toml")
    n = len(scene.bodies)
    scene.body("another", ss.shapes.ball(0.1), mass=1.0, position=[0, 0, 5])
    assert len(scene.bodies) == n + 1
    scene.save(tmp_path / "more.toml")
    assert ss.Scene.from_file(tmp_path / "more.toml").bodies[-1] == "another"


def test_a_mistake_is_told_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "ball.toml"
    file.write_text('step = { h = 0.01, until = 1 }\n[[body]]\nname = "ball"\nmasss = 1.0\n')
    with pytest.raises(ss.SceneError) as caught:
        ss.Scene.from_file(file)
    error = caught.value
    assert error.what == "unknown key `masss` in [[body]]"
    assert (error.file, error.line, error.column) == (str(file), 4, 1)
    assert error.help == "did you mean `mass`?"
    assert "4 | masss = 1.0" in str(error)


def test_numbers_of_scenes_keep_their_bits() -> None:
    numbers = [0.1, 1 / 3, 5e-324, 1.7976931348623157e308, -0.1, 1e22]
    scene = ss.Scene(h=0.01, until=1.0, gravity=[0, 0, 0])
    for k, x in enumerate(numbers):
        scene.body(f"b{k}", ss.shapes.ball(0.1), mass=1.0, position=[x if abs(x) < 1e6 else k, 2.0 * k, 0], velocity=[1 / (k + 3), 0, 0])
    state = ss.World(scene).state
    assert [row[0] for row in state[:3]] == numbers[:3]
    assert list(state[:, 7]) == [1 / (k + 3) for k in range(len(numbers))]


def test_reprs_are_a_line() -> None:
    scene = pushed_box()
    assert repr(scene) == "<Scene 'A box is pushed': 2 bodies, h = 0.01 s, until 1 s>"
    assert "<pre>" in scene._repr_html_()
    scene.body("box", ss.shapes.ball(1.0), mass=1)
    assert "not valid" in repr(scene)


def test_models_take_the_keys_of_an_include(scenes: Path) -> None:
    arm = ss.Scene.from_urdf(scenes / "robots/arm.urdf", fixed_base=True, prefix="left ", hold=(500, 20), ground=True)
    names = ss.World(arm).names
    assert "ground" in names
    assert any(name.startswith("left ") for name in names)
    # What is not said holds as the format has it; None is not said.
    plain = ss.Scene.from_urdf(scenes / "robots/arm.urdf", fixed_base=True)
    again = ss.Scene.from_urdf(scenes / "robots/arm.urdf", fixed_base=True, joints=None, srdf=None, friction=None)
    assert plain.to_toml() == again.to_toml()
    hopper = ss.Scene.from_mjcf(scenes / "robots/hopper.xml", position=(0, 0, 1))
    moved = ss.Scene.from_mjcf(scenes / "robots/hopper.xml")
    assert hopper.to_toml() != moved.to_toml()


def test_a_key_that_a_model_has_not_is_told(scenes: Path) -> None:
    with pytest.raises(TypeError, match="'fixed_bas': expected prefix, position"):
        ss.Scene.from_urdf(scenes / "robots/arm.urdf", fixed_bas=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="'srdf'"):
        ss.Scene.from_mjcf(scenes / "robots/hopper.xml", srdf="a.srdf")  # type: ignore[call-arg]
