"""Scenes: what there is, where it starts, and how time is stepped."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict, Unpack, get_type_hints

from numpy.typing import ArrayLike

from . import _core, _toml
from .errors import InputError
from .shapes import Shape

#: A number, or a formula of the scene's parameters (and of ``t`` or ``i`` where the format has them).
Number: TypeAlias = float | int | str
#: What a parameter or a value by its path is set to.
Set: TypeAlias = Mapping[str, Any]

__all__ = ["MjcfKeys", "Number", "Scene", "Set", "UrdfKeys", "schema"]


class _ModelKeys(TypedDict, total=False):
    #: Put before every name of the model.
    prefix: str
    #: Of its base, m.
    position: Sequence[float]
    #: Coordinates at the start by name, m or rad.
    joints: Mapping[str, float] | None
    ignore_overlaps: bool
    any_inertia: bool
    self_collision: bool
    #: Stiffness and damping of motors that hold every joint where it starts.
    hold: tuple[float, float] | None
    #: The half-space below z = 0.
    ground: bool
    friction: float | None


class UrdfKeys(_ModelKeys, total=False):
    """Keywords of :meth:`Scene.from_urdf`, those of ``[[include]]``: prefix, position (m), joints (coordinates at the start by name, m or
    rad), ignore_overlaps, any_inertia, self_collision, hold (stiffness and damping of motors that hold every joint where it starts),
    ground (the half-space below z = 0), friction; fixed_base (the base stays where it is), packages (what ``package://`` stands for,
    folders or ``"PREFIX=FOLDER"``), srdf."""

    fixed_base: bool
    packages: Sequence[str | os.PathLike[str]]
    srdf: str | None


class MjcfKeys(_ModelKeys, total=False):
    """Keywords of :meth:`Scene.from_mjcf`: those that it shares with :class:`UrdfKeys`, and key, the configuration of the file in which it
    starts."""

    key: str | None


#: What holds where nothing is said.
_MODEL: Mapping[str, Any] = {
    "prefix": "", "position": (0.0, 0.0, 0.0), "joints": {}, "ignore_overlaps": False, "any_inertia": False, "self_collision": True,
    "hold": None, "ground": False, "friction": None, "fixed_base": False, "packages": (), "srdf": None, "key": None,
}  # fmt: skip


def _floats(values: Sequence[float]) -> list[float]:
    return [float(x) for x in values]


#: Whatever sequence or mapping was given, as the native part takes it.
_PLAIN: Mapping[str, Callable[[Any], Any]] = {
    "position": _floats, "hold": _floats, "joints": dict, "packages": lambda packages: [os.fspath(p) for p in packages],
}  # fmt: skip


def schema() -> str:
    """The format of scene files as JSON Schema."""
    return _core.scene_schema()


class Scene:
    """What there is, where it starts, and how time is stepped.

    From a file (:meth:`from_file`), from text (:meth:`from_toml`), or built here, with a keyword for everything that a scene
    file can say; numbers may be formulas in quotes. Units are SI, angles radians, quaternions ``(s, x, y, z)``: scalar first.

    >>> import stickslip as ss
    >>> scene = ss.Scene(h=0.01, until=1.0, friction=0.5)
    >>> scene.body("ground", ss.shapes.half_space(), motion="fixed")
    >>> scene.body("ball", ss.shapes.ball(0.1), mass=1.0, position=[0, 0, 0.5])
    >>> ss.run(scene).certified
    True

    A scene is checked when it is first used; :meth:`check` does so at once.
    """

    def __init__(
        self,
        *,
        h: Number,
        until: Number,
        title: str | None = None,
        gravity: ArrayLike | None = None,
        parameters: Mapping[str, Number] | None = None,
        seed: int | None = None,
        friction: Number | Mapping[str, Number] | None = None,
        restitution: Number | None = None,
        torsion: Number | None = None,
        rolling: Number | None = None,
        method: str | None = None,
        error: Number | None = None,
        cone: str | Mapping[str, Any] | None = None,
        impact_friction: str | None = None,
        contact: str | None = None,
        solver: str | None = None,
        tolerance: Number | None = None,
        accept: Number | None = None,
        projection: bool | None = None,
        energy_check: bool | None = None,
        folder: str | os.PathLike[str] = ".",
    ) -> None:
        """A scene without bodies.

        h, until: length of a step and end of the run, s. gravity: m/s², (0, 0, -9.81) unless given. friction: Coulomb's
        coefficient of every body without its own, or ``{"static": …, "kinetic": …}``. torsion, rolling: radius of torsional friction and
        rolling resistance, m. The others are keys of ``[step]`` in
        the page of scene files. folder: where meshes and height fields are looked for.
        """
        text = _toml.table("", {"format": 1, "title": title, "gravity": gravity, "seed": seed})
        if parameters:
            # Names of parameters are the user's own, underscores and all.
            text += "\n[parameters]\n"
            text += "".join(f"{_toml.key(k)} = {_toml.value(v, k)}\n" for k, v in parameters.items())
        step = {
            "h": h, "until": until, "method": method, "error": error, "cone": cone, "impact_friction": impact_friction,
            "contact": contact, "solver": solver, "tolerance": tolerance, "accept": accept, "projection": projection,
            "energy_check": energy_check,
        }  # fmt: skip
        text += "\n" + _toml.table("[step]", step)
        text += "\n" + _toml.table("[material]", {"friction": friction, "restitution": restitution, "torsion": torsion, "rolling": rolling})
        self._start(text, "scene built in Python", {}, os.fspath(folder), None, False)

    def _start(
        self,
        text: str,
        file: str,
        changes: Set,
        folder: str | None,
        copies: Mapping[str, bytes] | None,
        allow_outside: bool,
    ) -> None:
        self._text = text
        self._file = file
        self._set = dict(changes)
        self._folder = folder
        self._copies = dict(copies or {})
        self._allow_outside = allow_outside
        self._read: _core.Scene | None = None

    @classmethod
    def from_file(
        cls, path: str | os.PathLike[str], *, set: Set | None = None, allow_outside: bool = False  # noqa: A002
    ) -> Scene:
        """Reads a scene file and checks it.

        set: parameters by name and values by path, such as ``{"speed": 3, "step.h": 0.001}``. Meshes and height fields are read
        from the file's folder, elsewhere with ``allow_outside``.
        """
        scene = cls.__new__(cls)
        read = _core.Scene.read(os.fspath(path), _changes(set or {}), allow_outside)
        folder = os.path.dirname(os.fspath(path)) or "."
        scene._start(read.text, read.file, set or {}, folder, None, allow_outside)
        scene._read = read
        return scene

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        file: str = "scene",
        set: Set | None = None,  # noqa: A002
        folder: str | os.PathLike[str] = ".",
    ) -> Scene:
        """Reads the text of a scene and checks it; ``file`` is its name in messages."""
        scene = cls.__new__(cls)
        scene._start(str(text), file, set or {}, os.fspath(folder), None, False)
        scene.check()
        return scene

    @classmethod
    def from_urdf(
        cls, path: str | os.PathLike[str], *, set: Set | None = None, **how: Unpack[UrdfKeys]  # noqa: A002
    ) -> Scene:
        """The scene of a URDF model alone; what can be said of it: :class:`UrdfKeys`. What of the file is not used is in
        :attr:`model_notes`."""
        return cls._of_model(path, "robot", UrdfKeys, how, set)

    @classmethod
    def from_mjcf(
        cls, path: str | os.PathLike[str], *, set: Set | None = None, **how: Unpack[MjcfKeys]  # noqa: A002
    ) -> Scene:
        """The scene of an MJCF model alone; what can be said of it: :class:`MjcfKeys`. See :meth:`from_urdf`."""
        return cls._of_model(path, "mujoco", MjcfKeys, how, set)

    @classmethod
    def _of_model(
        cls, path: str | os.PathLike[str], root: str, keys: type, given: Mapping[str, Any], changes: Set | None
    ) -> Scene:
        known = get_type_hints(keys)
        for key in given:
            if key not in known:
                raise TypeError(f"unexpected keyword {key!r}: expected {', '.join(known)} or set")
        how = {**_MODEL, **{key: value for key, value in given.items() if value is not None}}
        for key, kind in _PLAIN.items():
            how[key] = None if how[key] is None else kind(how[key])
        read = _core.Scene.model(os.fspath(path), _changes(changes or {}), root, how)
        scene = cls.__new__(cls)
        # The files are kept: elsewhere the same text is the same scene.
        scene._start(read.text, read.file, changes or {}, None, read.files, False)
        scene._read = read
        return scene

    @property
    def model_notes(self) -> list[tuple[str, str, str, str]]:
        """What of included models is not used as it stands in their files: place, what, why, and what becomes of it (``"not
        understood"``, ``"changed"`` or ``"no effect"``)."""
        return self._checked().model_notes

    @property
    def frames(self) -> list[str]:
        """Names of places on bodies: ``[[frame]]``, and links and sites of included models."""
        return self._checked().frames

    @classmethod
    def _of_record(cls, text: str, file: str, changes: Set, copies: Mapping[str, bytes]) -> Scene:
        """The scene of a trajectory, with the files that it names."""
        scene = cls.__new__(cls)
        scene._start(text, file, changes, None, copies, False)
        return scene.check()

    def replace(self, changes: Set) -> Scene:
        """The same scene with parameters and values set, such as ``{"speed": 3, "step.h": 0.001}``."""
        scene = type(self).__new__(type(self))
        together = {**self._set, **changes}
        scene._start(self._text, self._file, together, self._folder, self._copies, self._allow_outside)
        return scene

    def _add(self, header: str, entries: Mapping[str, Any]) -> None:
        self._text = self._text.rstrip("\n") + "\n\n" + _toml.table(header, entries)
        self._read = None

    def body(
        self,
        name: str,
        shape: Shape,
        *,
        count: int | None = None,
        motion: str | Mapping[str, Any] | None = None,
        mass: Number | None = None,
        density: Number | None = None,
        inertia: ArrayLike | None = None,
        center_of_mass: ArrayLike | None = None,
        any_inertia: bool | None = None,
        position: ArrayLike | None = None,
        orientation: ArrayLike | Mapping[str, Any] | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        groups: Sequence[str] | None = None,
        collide: bool | None = None,
        material: str | None = None,
        friction: Number | Mapping[str, Number] | None = None,
        restitution: Number | None = None,
        torsion: Number | None = None,
        rolling: Number | None = None,
        surface: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        grain: Mapping[str, Any] | None = None,
        color: str | ArrayLike | None = None,
    ) -> None:
        """Adds a body.

        shape: of :mod:`stickslip.shapes`. motion: "free", "fixed", or a table of functions of ``t``. mass (kg) or density (kg/m³)
        of a free body; inertia: kg m², three moments or a matrix, from the shape unless given. center_of_mass: with mass and
        inertia, in the frame of the shape, m. position: m. orientation: a unit
        quaternion ``(s, x, y, z)``, scalar first, or ``{"axis": …, "angle": …}``, or ``{"rpy": …}``. velocity: m/s.
        angular_velocity: rad/s, world frame. count: makes ``name[0]``, ``name[1]``, … with ``i`` in formulas. surface: one that moves
        along the body, such as ``{"velocity": [1, 0, 0]}`` (belts, turntables), or a list of them by their faces. grain: friction that depends on the
        direction of the slip, ``{"direction": …, "ratio": …}``. torsion, rolling: its own radius of torsional friction and rolling
        resistance, m. color: in pictures, ``"#rrggbb"`` or red, green and blue from 0 to 1.
        """
        entries = {
            "name": name, "count": count, "shape": shape, "motion": motion, "mass": mass, "density": density,
            "inertia": inertia, "center_of_mass": center_of_mass, "any_inertia": any_inertia, "position": position, "orientation": orientation, "velocity": velocity,
            "angular_velocity": angular_velocity, "groups": groups, "collide": collide, "material": material, "friction": friction,
            "restitution": restitution, "torsion": torsion, "rolling": rolling, "surface": surface, "grain": grain,
            "color": color,
        }  # fmt: skip
        self._add("[[body]]", entries)

    def contact(
        self,
        a: str,
        b: str,
        *,
        friction: Number | Mapping[str, Number] | None = None,
        restitution: Number | None = None,
        torsion: Number | None = None,
        rolling: Number | None = None,
        collide: bool | None = None,
    ) -> None:
        """Says what holds between two bodies, whatever the bodies say."""
        pair = {
            "bodies": [a, b], "friction": friction, "restitution": restitution, "torsion": torsion, "rolling": rolling,
            "collide": collide,
        }  # fmt: skip
        self._add("[[contact]]", pair)

    def pair(
        self,
        a: str,
        b: str,
        *,
        friction: Number | Mapping[str, Number] | None = None,
        restitution: Number | None = None,
        torsion: Number | None = None,
        rolling: Number | None = None,
    ) -> None:
        """Says what holds between bodies of two materials, named by ``material`` of :meth:`body`."""
        pair = {
            "materials": [a, b], "friction": friction, "restitution": restitution, "torsion": torsion, "rolling": rolling,
        }  # fmt: skip
        self._add("[[pair]]", pair)

    def force(
        self,
        body: str,
        *,
        count: int | None = None,
        force: ArrayLike | None = None,
        torque: ArrayLike | None = None,
        point: ArrayLike | None = None,
    ) -> None:
        """Adds a force (N) and a torque (N m) on a body, world frame, functions of ``t`` and of the body's state; the force acts at
        ``point``, m, in the body's frame."""
        self._add("[[force]]", {"body": body, "count": count, "force": force, "torque": torque, "point": point})

    def joint(
        self,
        type: str,  # noqa: A002
        bodies: Sequence[str],
        *,
        name: str | None = None,
        count: int | None = None,
        anchor: ArrayLike | None = None,
        anchors: ArrayLike | None = None,
        axis: ArrayLike | None = None,
        axes: ArrayLike | None = None,
        orientation: ArrayLike | Mapping[str, Any] | None = None,
        orientations: Sequence[Any] | None = None,
        limits: ArrayLike | None = None,
        motor: Mapping[str, Any] | None = None,
        friction: Number | None = None,
        damping: Number | None = None,
        stiffness: Number | None = None,
        rest: Number | None = None,
        armature: Number | None = None,
        motion: Number | None = None,
        collide: bool | None = None,
        x: str | Mapping[str, Any] | None = None,
        y: str | Mapping[str, Any] | None = None,
        z: str | Mapping[str, Any] | None = None,
        rx: str | Mapping[str, Any] | None = None,
        ry: str | Mapping[str, Any] | None = None,
        rz: str | Mapping[str, Any] | None = None,
    ) -> None:
        """Joins two bodies; "world" is the world.

        type: "ball", "hinge", "slider", "fixed" or "six-dof". anchor: where they meet, m, in the world at the start. motor:
        ``{"velocity": …, "force": …}`` or ``{"position": …, "speed": …, "force": …}``, with gains ``{"position": …, "stiffness": …,
        "damping": …}``, or ``{"effort": …}``. x … rz: the axes of a six-dof joint.
        Orientations are quaternions ``(s, x, y, z)``, scalar first.
        """
        entries = {
            "name": name, "count": count, "type": type, "bodies": list(bodies), "anchor": anchor, "anchors": anchors, "axis": axis,
            "axes": axes, "orientation": orientation, "orientations": orientations, "limits": limits, "motor": motor,
            "friction": friction, "damping": damping, "stiffness": stiffness, "rest": rest, "armature": armature,
            "motion": motion, "collide": collide, "x": x, "y": y, "z": z, "rx": rx, "ry": ry,
            "rz": rz,
        }  # fmt: skip
        self._add("[[joint]]", entries)

    def spring(
        self,
        *,
        between: Sequence[Mapping[str, Any]] | None = None,
        joint: str | None = None,
        axis: str | None = None,
        name: str | None = None,
        count: int | None = None,
        stiffness: Number | None = None,
        damping: Number | None = None,
        inertance: Number | None = None,
        length: Number | None = None,
        rest: Number | None = None,
        explicit: bool | None = None,
    ) -> None:
        """Adds a spring (N/m or N m/rad) with a damper beside it: between two points ``{"body": …, "point": …}``, or in a joint."""
        entries = {
            "name": name, "count": count, "between": between, "joint": joint, "axis": axis, "stiffness": stiffness, "damping": damping,
            "inertance": inertance, "length": length, "rest": rest, "explicit": explicit,
        }  # fmt: skip
        self._add("[[spring]]", entries)

    def gear(
        self,
        joints: Sequence[str],
        ratio: Number,
        *,
        axes: Sequence[str] | None = None,
        offset: Number | None = None,
        name: str | None = None,
        count: int | None = None,
    ) -> None:
        """Adds an equation between the coordinates of two joints: that of the second is ratio times that of the first, plus offset."""
        entries = {"name": name, "count": count, "joints": joints, "axes": axes, "ratio": ratio, "offset": offset}
        self._add("[[gear]]", entries)

    def motor(
        self,
        joint: str,
        *,
        axis: str | None = None,
        velocity: Number | Mapping[str, Any] | None = None,
        position: Number | Mapping[str, Any] | None = None,
        effort: Number | Mapping[str, Any] | None = None,
        speed: Number | None = None,
        stiffness: Number | None = None,
        damping: Number | None = None,
        force: Number | None = None,
    ) -> None:
        """Puts a motor on a joint that stands elsewhere, such as in an included model. Targets are functions of ``t`` or tables
        ``{"t": …, "value": …, "repeat": …}``."""
        entries = {
            "joint": joint, "axis": axis, "velocity": velocity, "position": position, "effort": effort, "speed": speed,
            "stiffness": stiffness, "damping": damping, "force": force,
        }  # fmt: skip
        self._add("[[motor]]", entries)

    def frame(
        self,
        name: str,
        body: str,
        *,
        position: ArrayLike | None = None,
        orientation: ArrayLike | Mapping[str, Any] | None = None,
    ) -> None:
        """Gives a place on a body (or on "world") a name."""
        self._add("[[frame]]", {"name": name, "body": body, "position": position, "orientation": orientation})

    def include(
        self,
        file: str,
        *,
        prefix: str | None = None,
        position: ArrayLike | None = None,
        orientation: ArrayLike | Mapping[str, Any] | None = None,
        fixed_base: bool | None = None,
        packages: Sequence[str] | None = None,
        srdf: str | None = None,
        joints: Mapping[str, Number] | None = None,
        key: str | None = None,
        overlaps: str | None = None,
        self_collision: bool | None = None,
        any_inertia: bool | None = None,
        hold: Mapping[str, Number] | None = None,
        dynamics: Mapping[str, Number] | None = None,
    ) -> None:
        """Puts a URDF or MJCF model into the scene; ``file`` is in the scene's folder. hold: gains ``{"stiffness": …, "damping": …}``
        of motors that hold every joint where it starts. dynamics: ``friction``, ``damping`` and ``armature`` of all its joints, in place of
        those of the file."""
        entries = {
            "file": file, "prefix": prefix, "position": position, "orientation": orientation, "fixed_base": fixed_base,
            "packages": packages, "srdf": srdf, "joints": joints, "key": key, "overlaps": overlaps,
            "self_collision": self_collision, "any_inertia": any_inertia, "hold": hold,
            "dynamics": dynamics,
        }  # fmt: skip
        self._add("[[include]]", entries)

    def check(self) -> Scene:
        """Checks the scene as a file would be; gives it back."""
        self._checked()
        return self

    def _checked(self) -> _core.Scene:
        if self._read is None:
            folder = None if self._copies else self._folder
            self._read = _core.Scene.parse(
                self._text, self._file, _changes(self._set), folder, list(self._copies.items()), self._allow_outside
            )
        return self._read

    @property
    def title(self) -> str:
        """What the scene shows."""
        return self._checked().title

    @property
    def text(self) -> str:
        """Its text, without what was set."""
        return self._text

    @property
    def h(self) -> float:
        """Length of a step, s."""
        return self._checked().h

    @property
    def until(self) -> float:
        """End of the run, s."""
        return self._checked().until

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies in the order of the text, counted ones numbered."""
        return self._checked().bodies

    @property
    def joints(self) -> list[str]:
        """Names of the joints."""
        return self._checked().joints

    @property
    def springs(self) -> list[str]:
        """Names of the springs."""
        return self._checked().springs

    @property
    def notes(self) -> list[str]:
        """Repairs that were made to meshes, in words."""
        return self._checked().notes

    def to_toml(self) -> str:
        """The scene as a file of its own: values set, counted bodies one by one, formulas of parameters evaluated."""
        return self._checked().to_toml()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes :meth:`to_toml` to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_toml())

    def __getstate__(self) -> dict[str, Any]:
        # The files it names go along: what is loaded elsewhere needs nothing else.
        return {"text": self._text, "file": self._file, "set": self._set, "copies": self._checked().files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        folder = None if state["copies"] else "."
        self._start(state["text"], state["file"], state["set"], folder, state["copies"], False)

    def __repr__(self) -> str:
        try:
            n = len(self.bodies)
        except InputError as error:
            return f"<Scene {self._file!r}, not valid: {str(error).splitlines()[0]}>"
        name = self.title or self._file
        return f"<Scene {name!r}: {n} bod{'y' if n == 1 else 'ies'}, h = {self.h:g} s, until {self.until:g} s>"

    def _repr_html_(self) -> str:
        return f"<details><summary>{html.escape(repr(self))}</summary><pre>{html.escape(self._text)}</pre></details>"


def _changes(changes: Set) -> list[tuple[str, str]]:
    """What is set, as it would stand behind ``--set``."""
    return [(str(k), v if isinstance(v, str) else _toml.value(v, str(k))) for k, v in changes.items()]
