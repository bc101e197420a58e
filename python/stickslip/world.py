"""Worlds: rigid bodies in frictional contact, stepped one certified step at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import Certificate
from .errors import InputError
from .results import Run, finished
from .scene import Scene
from .trajectory import Trajectory

Array: TypeAlias = NDArray[np.float64]
_ZERO = (0.0, 0.0, 0.0)

#: The columns of a state: position (m), unit quaternion with the scalar first, velocity (m/s), angular velocity (rad/s).
COLUMNS = ("x", "y", "z", "qs", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")

#: The axes of a joint: three translations (m), three rotations (rad).
AXES = ("x", "y", "z", "rx", "ry", "rz")

__all__ = ["AXES", "COLUMNS", "Body", "Contacts", "Joints", "World"]


@dataclass(frozen=True, slots=True)
class Body:
    """Where a body is and how it moves: a copy, in the world frame."""

    name: str
    #: m.
    position: Array
    #: Unit quaternion (s, x, y, z), scalar first: turns body vectors into world vectors.
    orientation_sxyz: Array
    #: m/s.
    velocity: Array
    #: rad/s.
    angular_velocity: Array

    def __repr__(self) -> str:
        place = ", ".join(f"{x:.6g}" for x in self.position)
        return f"Body({self.name!r} at ({place}) m)"


class Contacts:
    """The contacts of one step: copies, a row each. Open ones, which might have closed, are among them."""

    def __init__(self, table: Array, names: Sequence[str], duration: float) -> None:
        self._table = table
        self._names = np.array(names, dtype=object)
        self._duration = duration

    def __len__(self) -> int:
        return len(self._table)

    def _columns(self, start: int, end: int) -> Array:
        return np.ascontiguousarray(self._table[:, start:end])

    @property
    def indices(self) -> NDArray[np.intp]:
        """The bodies a and b of each, by their numbers: (n, 2)."""
        return self._columns(0, 2).astype(np.intp)

    @property
    def bodies(self) -> list[tuple[str, str]]:
        """The bodies a and b of each, by name."""
        return [(a, b) for a, b in self._names[self.indices]]

    @property
    def point(self) -> Array:
        """The one point at which both bodies feel the impulse, m: (n, 3)."""
        return self._columns(2, 5)

    @property
    def normal(self) -> Array:
        """Unit normal from a to b: (n, 3)."""
        return self._columns(5, 8)

    @property
    def gap(self) -> Array:
        """Gap at the start of the step, m; positive when apart: (n,)."""
        return self._table[:, 8].copy()

    @property
    def friction(self) -> Array:
        """Static and kinetic coefficients: (n, 2)."""
        return self._columns(9, 11)

    @property
    def impulse(self) -> Array:
        """Impulse on b, N s, world frame: (n, 3)."""
        return self._columns(11, 14)

    @property
    def force(self) -> Array:
        """Mean force on b over the step, N, world frame: (n, 3)."""
        return self.impulse / self._duration

    @property
    def normal_force(self) -> Array:
        """Mean normal force over the step, N: (n,)."""
        return self._table[:, 14] / self._duration

    @property
    def moment(self) -> Array:
        """Mean moment on b over the step beside that of the force, N m, world frame: torsional friction and rolling resistance: (n, 3)."""
        return self._columns(20, 23) / self._duration

    @property
    def restituted(self) -> Array:
        """The part of the normal impulse that gives back an earlier compression, N s: (n,)."""
        return self._table[:, 15].copy()

    @property
    def mode(self) -> list[str]:
        """What each does: "open", "stick" or "slide"."""
        return [("open", "stick", "slide")[int(k)] for k in self._table[:, 16]]

    def force_on(self, name: str) -> Array:
        """The sum of the mean forces on a body, N, world frame: (3,)."""
        if name not in self._names:
            raise InputError(f'there is no body "{name}"')
        a, b = (self._names[self.indices[:, k]] == name for k in (0, 1))
        total: Array = self.force[b].sum(axis=0) - self.force[a].sum(axis=0)
        return total

    def __repr__(self) -> str:
        modes = self.mode
        return f"<{len(self)} contacts: {modes.count('stick')} stick, {modes.count('slide')} slide, {modes.count('open')} open>"


class Joints:
    """Joints and springs of one step: copies, a row each, in the order of :attr:`World.joint_names`."""

    def __init__(self, table: Array, names: Sequence[str], duration: float) -> None:
        self._table = table
        self.names = list(names)
        self._duration = duration

    def __len__(self) -> int:
        return len(self._table)

    def _columns(self, start: int, end: int) -> Array:
        return np.ascontiguousarray(self._table[:, start:end])

    @property
    def coordinates(self) -> Array:
        """x, y, z (m), rx, ry, rz (rad) at the end of the step: (n, 6). Of a spring, the first is its elongation."""
        return self._columns(0, 6)

    @property
    def hold(self) -> Array:
        """Mean force or torque of what holds an axis, and of its limits, N and N m: (n, 6)."""
        return self._columns(6, 12) / self._duration

    @property
    def motor(self) -> Array:
        """Mean force or torque of the motors, N and N m: (n, 6)."""
        return self._columns(12, 18) / self._duration

    @property
    def friction(self) -> Array:
        """Mean force or torque of dry friction, N and N m: (n, 6)."""
        return self._columns(18, 24) / self._duration

    @property
    def force(self) -> Array:
        """Mean force on the second body, N, world frame: (n, 3)."""
        return self._columns(24, 27) / self._duration

    @property
    def torque(self) -> Array:
        """Mean torque on the second body, N m, world frame: (n, 3)."""
        return self._columns(27, 30) / self._duration

    def index(self, name: str) -> int:
        """The row of the joint of that name."""
        if name not in self.names:
            raise InputError(f'there is no joint "{name}"')
        return self.names.index(name)

    def __repr__(self) -> str:
        return f"<{len(self)} joints: {', '.join(self.names)}>"


class World:
    """Rigid bodies in frictional contact, stepped one certified step at a time.

    >>> world = World("scenes/pushed_box.toml")
    >>> while world.t < 1.0:
    ...     world.set_force("box", [5.0 - 2.0 * world["box"].velocity[0], 0, 0])
    ...     world.step()

    Arrays are float64, in SI units and C order, and copies: they never change under you. Bodies are in the order of
    :attr:`names`, which is sorted. The interpreter's lock is free while a step runs; a world belongs to one thread at a time.
    """

    __slots__ = ("__weakref__", "_core", "_joint_names", "_names", "_scene", "_threads")

    def __init__(self, scene: Scene | str | os.PathLike[str], *, threads: int = 1) -> None:
        self._start(scene if isinstance(scene, Scene) else Scene.from_file(scene), None, threads)

    def _start(self, scene: Scene, core: _core.World | None, threads: int) -> None:
        self._scene = scene
        self._core = core or _core.World(scene._checked())
        self._names = self._core.names
        self._joint_names = self._core.joint_names
        self._threads = threads
        self._core.set_threads(threads)

    # What it is.

    @property
    def scene(self) -> Scene:
        """The scene it was built from."""
        return self._scene

    @property
    def names(self) -> list[str]:
        """Names of the bodies, sorted: the rows of :attr:`state`."""
        return list(self._names)

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, then of the springs, then of the gears, each sorted."""
        return list(self._joint_names)

    @property
    def masses(self) -> Array:
        """Masses of the bodies, kg; infinite for those that are fixed or prescribed."""
        return np.frombuffer(self._core.masses())

    @property
    def h(self) -> float:
        """Length of a step, s."""
        return self._core.h

    # Where it stands.

    @property
    def t(self) -> float:
        """Time, s."""
        return self._core.t

    @property
    def steps(self) -> int:
        """Number of the last step."""
        return self._core.steps

    @property
    def state(self) -> Array:
        """A row of 13 numbers for each body, :data:`COLUMNS`: position, quaternion (scalar first), velocity, angular velocity."""
        return np.frombuffer(self._core.state()).reshape(-1, 13)

    def set_state(self, state: ArrayLike, *, t: float | None = None, step: int | None = None) -> None:
        """Puts all bodies into a state, as :attr:`state` gives it; time and step number stay unless given.

        Nothing is remembered of the steps before. Bodies that are not free must be where they are (unless ``t`` is given).
        """
        rows = _numbers("the state", state)
        if rows.shape != (len(self._names), 13):
            raise InputError(f"the state has shape {rows.shape}; it needs ({len(self._names)}, 13)")
        at = None
        if t is not None or step is not None:
            at = (self.steps if step is None else int(step), self.t if t is None else float(t))
        self._core.set_state(rows, at)

    def __getitem__(self, name: str) -> Body:
        """The body of that name, as it is now."""
        row = np.frombuffer(self._core.body(name))
        return Body(name, row[0:3], row[3:7], row[7:10], row[10:13])

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def index(self, name: str) -> int:
        """The row of the body of that name."""
        if name not in self._names:
            raise InputError(f'there is no body "{name}"')
        return self._names.index(name)

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy, in gravity and in the springs, J."""
        return self._core.energy

    @property
    def momentum(self) -> tuple[Array, Array]:
        """Linear momentum of the free bodies (kg m/s) and angular momentum about the origin (kg m²/s)."""
        linear, angular = self._core.momentum()
        return np.array(linear), np.array(angular)

    @property
    def hash(self) -> str:
        """SHA-256 of names, step number and every bit of the state."""
        return self._core.hash

    @property
    def certificate(self) -> Certificate:
        """The judge's word on the last step."""
        return self._core.certificate

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step."""
        table = np.frombuffer(self._core.contacts()).reshape(-1, 23)
        return Contacts(table, self._names, self._core.duration)

    @property
    def joints(self) -> Joints:
        """What joints and springs did in the last step; without rows before the first."""
        table = np.frombuffer(self._core.joints()).reshape(-1, 30)
        return Joints(table, self._joint_names, self._core.duration)

    def frame(self, name: str) -> tuple[Array, Array]:
        """Place (m) and unit quaternion ``(s, x, y, z)`` of the frame of that name: a ``[[frame]]``, or a link or site of a model."""
        numbers = np.array(self._core.frame(name))
        return numbers[:3], numbers[3:]

    # What it does.

    def step(self, count: int = 1) -> Certificate:
        """Does so many steps, and gives the judge's word on the last of them.

        Raises :class:`StepError` where a step is refused; the world is then as before that step.
        """
        if count < 1:
            raise InputError(f"{count} steps: expected 1 or more")
        return self._core.step(count)

    def run(
        self,
        until: float | None = None,
        *,
        every: int = 1,
        record: bool = True,
        output: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        limit: float | None = None,
    ) -> Run:
        """Steps until a time (s, the scene's own unless given), and says what it came to.

        record: keep the trajectory in memory, every ``every``-th step of it. output: files to write as it goes on (.parquet, .csv,
        .html). limit: seconds after which to stop. Ctrl-C stops between two steps: :class:`Interrupted`, with what was computed in
        its ``result``. A step that is refused is a :class:`StepError`, with the same.
        """
        end = self._scene.until if until is None else float(until)
        paths = [output] if isinstance(output, (str, os.PathLike)) else list(output)
        account, kept = self._core.run(end, int(every), record, [os.fspath(p) for p in paths], limit)
        trajectory = None if kept is None else Trajectory(kept, controlled=self._core.is_controlled)
        return finished(account, trajectory, self._scene)

    def record(self, on: bool = True) -> None:
        """From now on keeps every step that :meth:`step` does, beginning with the state as it is; or no longer."""
        self._core.record(on)

    @property
    def trajectory(self) -> Trajectory:
        """What was recorded since :meth:`record`; the state as it is where nothing is."""
        return Trajectory(self._core.recorded(), controlled=self._core.is_controlled)

    def set_force(
        self, body: str, force: ArrayLike = _ZERO, *, torque: ArrayLike = _ZERO, point: ArrayLike = _ZERO
    ) -> None:
        """From now on this force (N) and torque (N m) act on a free body, beside those of the scene; world frame. The force acts at
        ``point``, m, in the body's frame."""
        self._core.set_force(body, force, torque, point)

    def set_motor(self, joint: str, target: float, *, axis: str | None = None, force: float | None = None) -> None:
        """From now on the motor of a joint aims at ``target``: a rate (m/s, rad/s) or a coordinate (m, rad), as the scene has it.
        ``force`` is its largest force or torque, N or N m. Where a joint has several motors, ``axis`` says which: "x" to "rz"."""
        self._core.set_motor(joint, target, axis, force)

    def set_motion(self, body: str, velocity: ArrayLike = _ZERO, *, angular_velocity: ArrayLike = _ZERO) -> None:
        """From now on a fixed or prescribed body moves on from where it is with this velocity (m/s, rad/s; world frame)."""
        self._core.set_motion(body, velocity, angular_velocity)

    def release(self) -> None:
        """Takes back all forces, motors and motions that were set."""
        self._core.release()

    def copy(self) -> World:
        """A second world that stands where this one does and goes on with the same bits."""
        world = World.__new__(World)
        world._start(self._scene, self._core.copy(), self._threads)
        return world

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> World:
        return self.copy()

    def snapshot(self) -> bytes:
        """Where it stands with all that it remembers, for :meth:`resume`."""
        return self._core.snapshot()

    def resume(self, snapshot: bytes) -> None:
        """Goes on from a :meth:`snapshot` of a world of the same scene, to the same bits.

        One of other bodies or joints is refused; so is one of a scene whose bodies start in another order (by height, x and y)."""
        self._core.resume(snapshot)

    def close(self) -> None:
        """Frees it. Whatever is asked of it then is a :class:`ClosedError`."""
        self._core.close()

    def __enter__(self) -> World:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        return {"scene": self._scene, "snapshot": self.snapshot(), "threads": self._threads}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._start(state["scene"], None, state["threads"])
        self.resume(state["snapshot"])

    def __repr__(self) -> str:
        if self._core.is_closed:
            return "<World, closed>"
        n = len(self._names)
        return f"<World of {n} bod{'y' if n == 1 else 'ies'} at t = {self.t:g} s, step {self.steps}>"


def _numbers(name: str, x: ArrayLike) -> Array:
    """An array of float64 in C order, or a sentence."""
    try:
        return np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers ({error})") from None
