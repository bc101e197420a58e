"""What functions give back: small records whose ``repr`` is a line, and which Jupyter shows as a table, a figure or a 3D page."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import Interrupted, StepError

if TYPE_CHECKING:
    from .scene import Scene
    from .trajectory import Trajectory

Array: TypeAlias = NDArray[np.float64]

__all__ = ["Accelerations", "Check", "Comparison", "Convergence", "Field", "Modes", "Run", "Solution"]


def _rows(pairs: Iterable[tuple[str, object]]) -> str:
    cells = (f"<tr><td>{html.escape(name)}</td><td>{html.escape(str(value))}</td></tr>" for name, value in pairs)
    return "<table>" + "".join(cells) + "</table>"


def _line(cells: Iterable[object], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(c))}</{tag}>" for c in cells) + "</tr>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    return "<table>" + _line(head, "th") + "".join(_line(row, "td") for row in rows) + "</table>"


@dataclass(frozen=True)
class Run:
    """What a run came to."""

    #: Number of the last step.
    steps: int
    #: Time reached, s.
    t: float
    #: SHA-256 of all states, as the program prints it.
    hash: str
    #: Did every step meet its tolerance?
    certified: bool
    #: Steps that were accepted as approximate, steps that were divided, and steps that leave overlaps as they find them.
    approximate: int
    divided: int
    leaving: int
    #: Why it stopped early, if it did.
    failure: str | None
    #: Was it ended between two steps, by Ctrl-C or its limit?
    interrupted: bool
    #: Deepest overlap, m.
    penetration: float
    #: Most contacts in a step.
    contacts: int
    #: Solver iterations in all.
    iterations: int
    #: Energy at the start and at the end, J.
    energy: tuple[float, float]
    #: Time it took, s.
    seconds: float
    #: Largest residual of each kind, m/s.
    residuals: dict[str, float]
    #: What was recorded; ``None`` where nothing was to be.
    trajectory: Trajectory | None = field(repr=False)
    scene: Scene = field(repr=False)

    def __repr__(self) -> str:
        how = "certified" if self.certified else f"not certified ({self.approximate} approximate)"
        end = f", stopped: {self.failure}" if self.failure else ", interrupted" if self.interrupted else ""
        return f"<Run of {self.steps} steps to t = {self.t:g} s, {how}{end}, hash {self.hash[:12]}…>"

    def _repr_html_(self) -> str:
        kind = max(self.residuals, key=lambda k: self.residuals[k])
        pairs = [
            ("scene", self.scene.title),
            ("certified", "every step" if self.certified else f"{self.approximate} of {self.steps} steps approximate"),
            ("steps", f"{self.steps} to t = {self.t:g} s in {self.seconds:.3g} s"),
            ("worst residual", f"{self.residuals[kind]:.2g} m/s ({kind})"),
            ("penetration", f"{self.penetration:.2g} m"),
            ("energy", f"{self.energy[0]:.6g} J → {self.energy[1]:.6g} J"),
            ("state hash", self.hash),
        ]
        page = self.trajectory._repr_html_() if self.trajectory is not None else ""
        return _rows(pairs) + page


def finished(account: dict[str, Any], trajectory: Trajectory | None, scene: Scene) -> Run:
    """The account of a run; an exception with it where the run was interrupted or a step refused."""
    interrupt = account.pop("interrupt")
    run = Run(**account, trajectory=trajectory, scene=scene)
    if interrupt is not None:
        text = f"interrupted at t = {run.t:g} s after step {run.steps}; `result` of this exception has what was computed"
        raise Interrupted(text, run) from None
    if run.failure is not None:
        raise StepError(run.failure, run.t, run)
    return run


@dataclass(frozen=True)
class Check:
    """The certificates of a trajectory, recomputed."""

    #: Is it what it claims to be?
    valid: bool
    #: Is it valid, and did every step meet its tolerance?
    certified: bool
    steps: int
    approximate: int
    divided: int
    leaving: int
    #: Largest residual of each kind, m/s.
    residuals: dict[str, float]
    #: Largest residual of an equality, in units of its rounding bound.
    rounding: float
    #: m.
    penetration: float
    #: What is wrong: step, time (s), words.
    findings: list[tuple[int, float, str]]
    #: How many more are wrong.
    more: int
    notes: list[str]

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        if self.valid:
            return f"<Check: VALID, {self.steps} steps, residuals up to {max(self.residuals.values()):.1e} m/s>"
        step, t, what = self.findings[0]
        return f"<Check: NOT VALID, {len(self.findings) + self.more} findings, the first at step {step}, t = {t:g} s: {what}>"

    def _repr_html_(self) -> str:
        head = f"<b>{'VALID' if self.valid else 'NOT VALID'}</b>, {self.steps} steps judged"
        found = _table(("step", "t (s)", "what"), self.findings) if self.findings else ""
        return head + found + _rows((name, f"{x:.2e} m/s") for name, x in self.residuals.items())


@dataclass(frozen=True)
class Comparison:
    """The distance between two trajectories over time: at each, the largest over the bodies."""

    #: Times, s.
    t: Array
    #: m, rad, m/s, rad/s.
    dist: Array
    angle: Array
    velocity: Array
    spin: Array
    #: The bodies that are farthest apart (by ``dist``) at each time.
    body: list[str]
    #: Was the second interpolated there?
    interpolated: NDArray[np.bool_]
    #: States of the first outside the time of the second, left out.
    outside: int

    def __repr__(self) -> str:
        k = int(np.argmax(self.dist))
        return f'<Comparison at {len(self.t)} times: at most {self.dist[k]:.3e} m ("{self.body[k]}", t = {self.t[k]:g} s)>'

    def _repr_html_(self) -> str:
        units = {"dist": "m", "angle": "rad", "velocity": "m/s", "spin": "rad/s"}
        rows = [(n, f"{np.max(getattr(self, n)):.3e} {u}", f"{getattr(self, n)[-1]:.3e} {u}") for n, u in units.items()]
        return _table(("metric", "largest", "at the end"), rows)


@dataclass(frozen=True)
class Convergence:
    """How large the error of a scene is, and which h a wanted one needs."""

    #: What was looked at, and its unit.
    quantity: str
    unit: str
    #: The runs, h falling: length of a step (s), steps, value, observed order (not a number where there is none).
    h: Array
    steps: NDArray[np.int64]
    value: Array
    orders: Array
    #: The order used, Richardson's value and what it is not sure of.
    order: float
    extrapolated: float
    uncertainty: float
    #: Are the last orders settled? Where not, the error is the change from run to run, no more.
    asymptotic: bool
    #: The error of the scene's own h, and its parts; that of geometry is ``None`` where it is not known.
    error: float
    error_of_step: float
    error_of_cone: float
    error_of_geometry: float | None
    #: Answers of pyramids: directions and value.
    directions: list[tuple[int, float]]
    #: The error wanted and the h recommended for it, s; None where the runs do not tell one.
    recommended: tuple[float, float | None]
    svg: str = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"<Convergence of {self.quantity}: {self.extrapolated:.12g} ± {self.uncertainty:.1e} {self.unit}, order {self.order:g}, "
            f"error {self.error:.1e} at h = {self.h[0]:g} s{'' if self.asymptotic else ', not in the asymptotic range'}>"
        )

    def _repr_html_(self) -> str:
        rows = zip(self.h, self.steps, self.value, self.orders, strict=True)
        cells = ((f"{h:g}", n, repr(float(v)), "-" if math.isnan(p) else f"{p:.2f}") for h, n, v, p in rows)
        return self.svg + _table(("h (s)", "steps", f"{self.quantity} ({self.unit})", "order"), cells)


@dataclass(frozen=True)
class Solution:
    """What a solver made of a problem."""

    #: "solved", "not converged", "ray" or "out of time".
    status: str
    #: z, or the impulses r, in the problem's own order.
    values: Array
    #: |min(z, w)|/|q| for complementarity; the natural map by Siconos' scaling for contact.
    residual: float
    iterations: int
    #: The solver that gave the answer.
    solver: str
    #: Kind and size of the problem.
    problem: str
    #: What a ray says, or why there is no answer.
    note: str
    #: Time it took, s.
    seconds: float

    @property
    def solved(self) -> bool:
        """Did it meet the tolerance?"""
        return self.status == "solved"

    def __repr__(self) -> str:
        note = f" ({self.note})" if self.note else ""
        return f"<Solution of {self.problem}: {self.status} by {self.solver}, residual {self.residual:.1e}{note}>"

    def _repr_html_(self) -> str:
        names = ["problem", "status", "solver", "residual", "iterations", "seconds"] + ["note"] * bool(self.note)
        return _rows((n, getattr(self, n)) for n in names)


@dataclass(frozen=True)
class Accelerations:
    """All accelerations of a planar body in frictional contact."""

    #: "unique", "none", and so on.
    status: str
    #: The solutions as dictionaries: mode, acceleration, forces.
    solutions: list[dict[str, Any]]
    #: Everything that is known, as ``stickslip accel --json`` prints it.
    data: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    svg: str = field(repr=False)

    def __repr__(self) -> str:
        modes = ", ".join(str(s.get("mode")) for s in self.solutions) or "none"
        return f"<Accelerations: {self.status}; modes {modes}>"

    def _repr_html_(self) -> str:
        return f"{self.svg}<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class Modes:
    """The applied forces by the contact modes they lead to."""

    #: Regions with their fractions of the area, as ``stickslip modes --json`` prints them.
    data: dict[str, Any] = field(repr=False)
    text: str = field(repr=False)
    svg: str = field(repr=False)

    def __repr__(self) -> str:
        return f"<Modes: {len(self.data.get('regions', []))} regions>"

    def _repr_html_(self) -> str:
        return f"{self.svg}<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class Field:
    """The velocity field of a vibrating plate on a square grid; all arrays are (rows along y, columns along x)."""

    #: Period of the plate, s, and half of the side of the square, m.
    period: float
    half: float
    #: Where parts started, m.
    x0: Array
    y0: Array
    #: Their mean places, m, and mean velocities, m/s, in the plate's frame.
    x: Array
    y: Array
    vx: Array
    vy: Array
    #: Fractions of the time that they slide, stick and are in the air.
    slide: Array
    stick: Array
    air: Array
    #: By how much the mean velocity changed from the last period but one to the last, m/s.
    change: Array
    svg: str = field(repr=False)

    @property
    def fastest(self) -> float:
        """The largest mean speed, m/s."""
        return float(np.max(np.hypot(self.vx, self.vy)))

    def __repr__(self) -> str:
        n, m = self.vx.shape
        return f"<Field on {n} x {m} places, period {self.period:g} s: up to {self.fastest:.3g} m/s>"

    def _repr_html_(self) -> str:
        return self.svg
