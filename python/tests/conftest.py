"""Scenes of the project, and small ones that are built here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import stickslip as ss

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def scenes(root: Path) -> Path:
    return root / "scenes"


def program(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """The program of the wheel, in a process of its own."""
    command = [sys.executable, "-m", "stickslip", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)  # type: ignore[call-overload]


def pushed_box(**options: object) -> ss.Scene:
    """A box of 2 kg on the ground, friction 0.3: it slides where it is pushed with more than 5.886 N."""
    settings: dict[str, object] = {"h": 0.01, "until": 1.0, "friction": 0.3, "title": "A box is pushed", **options}
    scene = ss.Scene(**settings)  # type: ignore[arg-type]
    scene.body("ground", ss.shapes.half_space(), motion="fixed")
    scene.body("box", ss.shapes.box([0.4, 0.4, 0.2]), mass=2.0, position=[0, 0, 0.1])
    return scene


def wheel(**motor: object) -> ss.Scene:
    """A wheel on a shaft with a motor, 0.1 kg m²."""
    scene = ss.Scene(h=0.01, until=1.0)
    scene.body("wheel", ss.shapes.ball(0.1), mass=1.0, inertia=[0.1, 0.1, 0.1])
    settings = {"velocity": 1.0, "force": 1.0, **motor}
    scene.joint("hinge", ["world", "wheel"], name="shaft", anchor=[0, 0, 0], axis=[0, 0, 1], motor=settings)
    return scene


@pytest.fixture
def world() -> ss.World:
    return ss.World(pushed_box())
