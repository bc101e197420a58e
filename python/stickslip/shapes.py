"""Shapes of bodies: what ``shape`` of a body takes. Lengths are in metres, in the body's frame.

Each is a small dictionary, as it stands in a scene file; a dictionary of your own does as well.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Shape: TypeAlias = dict[str, Any] | str

__all__ = [
    "Shape",
    "ball",
    "box",
    "capsule",
    "compound",
    "cone",
    "cylinder",
    "half_space",
    "height_field",
    "hull",
    "mesh",
    "piece",
    "point",
    "points",
]


def ball(radius: float | str) -> Shape:
    """A ball."""
    return {"ball": {"radius": radius}}


def box(size: ArrayLike) -> Shape:
    """A box with edges of these lengths along its own x, y and z."""
    return {"box": {"size": size}}


def cylinder(radius: float | str, length: float | str) -> Shape:
    """A cylinder along z."""
    return {"cylinder": {"radius": radius, "length": length}}


def cone(radius: float | str, length: float | str) -> Shape:
    """A cone along z: its base at z = -length/4, its apex at z = 3 length/4."""
    return {"cone": {"radius": radius, "length": length}}


def capsule(radius: float | str, length: float | str) -> Shape:
    """All points within ``radius`` of a segment of ``length`` along z."""
    return {"capsule": {"radius": radius, "length": length}}


def hull(points: ArrayLike) -> Shape:
    """The convex hull of points."""
    return {"hull": {"points": points}}


def half_space(normal: ArrayLike = (0.0, 0.0, 1.0), offset: float | str = 0.0) -> Shape:
    """All points with normal·x <= offset are solid. Fixed or prescribed, never free."""
    return {"half-space": {"normal": normal, "offset": offset}}


def mesh(
    file: str | os.PathLike[str] | None = None,
    *,
    scale: float | None = None,
    vertices: ArrayLike | None = None,
    triangles: ArrayLike | None = None,
) -> Shape:
    """A surface of triangles: from a file (.stl, .obj), or vertices and triangles (numbers of vertices)."""
    name = None if file is None else os.fspath(file)
    return {"mesh": {"file": name, "scale": scale, "vertices": vertices, "triangles": triangles}}


def height_field(
    heights: ArrayLike | None = None,
    *,
    spacing: ArrayLike,
    file: str | os.PathLike[str] | None = None,
    scale: float | None = None,
) -> Shape:
    """A surface of heights over a grid: rows follow each other along y."""
    name = None if file is None else os.fspath(file)
    return {"height-field": {"file": name, "heights": heights, "spacing": spacing, "scale": scale}}


def points(at: ArrayLike) -> Shape:
    """Points and nothing between them, such as feet."""
    return {"points": {"at": at}}


def point() -> Shape:
    """A particle: one point, with mass and without rotation."""
    return "point"


def piece(shape: Shape, position: ArrayLike | None = None, orientation: Any = None) -> dict[str, Any]:
    """A convex piece of a compound; its orientation is a quaternion (s, x, y, z) or as in a scene file."""
    return {"shape": shape, "position": position, "orientation": orientation}


def compound(pieces: Sequence[dict[str, Any]]) -> Shape:
    """Convex pieces that move as one body."""
    return {"compound": list(pieces)}
