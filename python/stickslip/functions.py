"""The commands of the program as functions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .errors import InputError, WorkError
from .results import Accelerations, Check, Comparison, Convergence, Field, Modes, Run, Solution
from .scene import Scene, Set
from .trajectory import Trajectory
from .world import World

Source: TypeAlias = Scene | str | os.PathLike[str]

__all__ = ["accel", "check", "compare", "converge", "field", "modes", "plates", "run", "solve"]


def _scene(source: Source, changes: Set | None) -> Scene:
    if isinstance(source, Scene):
        return source.replace(changes) if changes else source
    return Scene.from_file(source, set=changes)


def _trajectory(source: Trajectory | Run | str | os.PathLike[str]) -> Trajectory:
    if isinstance(source, Run):
        if source.trajectory is None:
            raise InputError("nothing of this run was recorded")
        return source.trajectory
    return source if isinstance(source, Trajectory) else Trajectory.open(source)


def run(
    scene: Source,
    *,
    set: Set | None = None,  # noqa: A002
    until: float | None = None,
    every: int = 1,
    record: bool = True,
    output: Any = (),
    limit: float | None = None,
    threads: int = 1,
) -> Run:
    """Simulates a scene (or its file) and certifies every step.

    set: parameters by name and values by path, such as ``{"speed": 3, "step.h": 0.001}``. The others as of :meth:`World.run`.
    The same bits as ``stickslip run``: compare ``hash``.
    """
    given = _scene(scene, set)
    if until is not None:
        given = given.replace({"step.until": float(until)})
    with World(given, threads=threads) as world:
        return world.run(every=every, record=record, output=output, limit=limit)


def check(trajectory: Trajectory | Run | str | os.PathLike[str]) -> Check:
    """Recomputes every certificate of a trajectory, or of its file, from what is in it alone."""
    given = _trajectory(trajectory)
    if given.controlled:
        raise WorkError(
            "forces, motors or motions were set from outside while this was recorded: its scene does not tell them, so it cannot "
            "be recomputed; every step was certified when it ran"
        )
    return Check(**_core.check(given._core))


def compare(
    a: Trajectory | Run | str | os.PathLike[str], b: Trajectory | Run | str | os.PathLike[str]
) -> Comparison:
    """The distance between two trajectories (or files: .parquet, .csv) at the times of the first."""
    names, rows, outside = _core.compare(_side(a), _side(b))
    table = np.frombuffer(rows).reshape(-1, 10)
    t, dist, angle, velocity, spin = (np.ascontiguousarray(table[:, k]) for k in range(5))
    body = [names[int(k)] for k in table[:, 5]]
    return Comparison(t, dist, angle, velocity, spin, body, table[:, 9] != 0.0, outside)


def _side(x: Trajectory | Run | str | os.PathLike[str]) -> _core.Trajectory | str:
    return os.fspath(x) if isinstance(x, (str, os.PathLike)) else _trajectory(x)._core


def converge(
    scene: Source,
    *,
    quantity: str | None = None,
    halvings: int = 5,
    error: float | None = None,
    directions: bool = True,
    set: Set | None = None,  # noqa: A002
) -> Convergence:
    """How large is my error, and which h should I use? Runs the scene with h, h/2, h/4 … and compares the answers.

    quantity: "BODY.x", ".y", … ".wz", ".speed", or "energy"; the coordinate known worst unless given. error: the one for which h is
    recommended. directions: run pyramids too.
    """
    found = _core.converge(_scene(scene, set)._checked(), quantity, halvings, error, directions)
    rungs = np.frombuffer(found.pop("rungs")).reshape(-1, 4)
    h, steps, value, orders = (np.ascontiguousarray(rungs[:, k]) for k in range(4))
    return Convergence(h=h, steps=steps.astype(np.int64), value=value, orders=orders, **found)


def solve(
    problem: str | os.PathLike[str] | Any,
    q: ArrayLike | None = None,
    mu: ArrayLike | None = None,
    *,
    n_eq: int = 0,
    solver: str = "auto",
    tolerance: float = 1e-8,
    limit: float | None = None,
) -> Solution:
    """Solves a complementarity or friction problem.

    ``solve(M, q)``: find z with 0 <= z, 0 <= M z + q, z·(M z + q) = 0; the first ``n_eq`` unknowns are free and their rows zero.

    ``solve(D, q, mu)``: find impulses r on Coulomb's cone with u = D r + q; three rows for each contact, normal first, and
    a coefficient of friction each.

    ``solve(path)``: a file (FCLIB, JSON, Matrix Market).

    Matrices are arrays or SciPy's sparse ones. limit: seconds. What is not solved is told in ``status``, not raised.
    """
    how = {"solver": solver, "tolerance": float(tolerance), "limit": limit}
    if isinstance(problem, (str, os.PathLike)):
        if q is not None:
            raise InputError("a file has its own q")
        return _solution(_core.solve_file(os.fspath(problem), how))
    if q is None:
        raise InputError("q is missing: solve(M, q), solve(D, q, mu) or solve(path)")
    vector = _vector("q", q)
    entries = _entries(problem, len(vector))
    if mu is None:
        return _solution(_core.solve_lcp(entries, vector, n_eq, how))
    if n_eq:
        raise InputError("n_eq belongs to an LCP: a friction problem has no free unknowns")
    return _solution(_core.solve_contact(entries, vector, _vector("mu", mu), how))


def _solution(found: dict[str, Any]) -> Solution:
    return Solution(values=np.frombuffer(found.pop("values")), **found)


def _vector(name: str, x: ArrayLike) -> NDArray[np.float64]:
    if np.iscomplexobj(x):
        raise InputError(f"{name} has complex numbers")
    try:
        vector = np.ascontiguousarray(x, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: expected numbers ({error})") from None
    if vector.ndim != 1:
        raise InputError(f"{name} has shape {vector.shape}; expected a vector")
    if not np.isfinite(vector).all():
        raise InputError(f"{name} has a number that is not finite")
    return vector


def _entries(matrix: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """A matrix by its entries, as the solvers take it."""
    if hasattr(matrix, "tocoo"):
        sparse = matrix.tocoo()
        shape, row, col, data = sparse.shape, sparse.row, sparse.col, sparse.data
    else:
        try:
            dense = np.asarray(matrix)
            dense = dense if np.iscomplexobj(dense) else dense.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"the matrix: expected numbers ({error})") from None
        shape = dense.shape
        if dense.ndim == 2:
            row, col = np.nonzero(dense)
            data = dense[row, col]
    if tuple(shape) != (n, n):
        raise InputError(f"the matrix has shape {tuple(shape)}, but q has {n} entries")
    if np.iscomplexobj(data):
        raise InputError("the matrix has complex numbers; split it into real and imaginary parts")
    values = np.ascontiguousarray(data, dtype=np.float64)
    if not np.isfinite(values).all():
        raise InputError("the matrix has a number that is not finite")
    return np.ascontiguousarray(row, dtype=np.int64), np.ascontiguousarray(col, dtype=np.int64), values


Planar: TypeAlias = Mapping[str, Any] | str | os.PathLike[str] | Trajectory | Run


def _planar(
    state: Planar,
    at: float | None,
    body: str | None,
    mu: float | None = None,
    force: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
) -> _core.PlanarState:
    if isinstance(state, (Trajectory, Run)):
        if at is None:
            raise InputError("a trajectory holds many states; `at` (s) says which")
        return _core.PlanarState.of_trajectory(_trajectory(state)._core, float(at), body)
    if at is not None or body is not None:
        raise InputError("`at` and `body` are for a trajectory; a state is one moment")
    if isinstance(state, Mapping):
        text = json.dumps(state, default=_plain)
    elif isinstance(state, str) and "\n" in state:
        text = state
    else:
        try:
            with open(state, encoding="utf-8") as file:
                text = file.read()
        except OSError as error:
            raise InputError(f"{state}: {error.strerror}") from None
    return _core.PlanarState.parse(text, mu, _three("force", force), _three("velocity", velocity))


def _plain(x: object) -> object:
    if isinstance(x, (np.ndarray, np.generic)):
        return x.tolist()
    raise InputError(f"a planar state cannot hold {type(x).__name__} {x!r}")


def _three(name: str, x: ArrayLike | None) -> tuple[float, float, float] | None:
    if x is None:
        return None
    vector = _vector(name, x)
    if len(vector) != 3:
        raise InputError(f"{name}: expected three numbers")
    a, b, c = (float(v) for v in vector)
    return a, b, c


def accel(
    state: Planar,
    *,
    at: float | None = None,
    body: str | None = None,
    mu: float | None = None,
    force: ArrayLike | None = None,
    velocity: ArrayLike | None = None,
    tolerance: float = 1e-9,
    rest_speed: float = 0.0,
    max_contacts: int = 64,
) -> Accelerations:
    """All accelerations of a planar body in frictional contact: none, one, several or a continuum.

    state: a dictionary, TOML or JSON text, or a file, with ``m``, ``rho``, ``mu``, ``F``, ``v`` and ``contacts``; or a
    trajectory with the time ``at`` (s) and, where several bodies touch something, the name of one. mu, force and velocity are in
    place of the state's own.
    """
    planar = _planar(state, at, body, mu, force, velocity)
    text, words, svg = planar.accel(tolerance, rest_speed, max_contacts)
    data = json.loads(text)
    return Accelerations(data["status"], data["solutions"], data, words, svg)


def modes(
    state: Planar,
    *,
    x: str = "fx",
    y: str = "torque",
    x_range: tuple[float, float] | None = None,
    y_range: tuple[float, float] | None = None,
    at: float | None = None,
    body: str | None = None,
    fine: int = 9,
    tolerance: float = 1e-9,
) -> Modes:
    """The plane of two components of the applied force ("fx", "fy", "torque"), split by the contact modes they lead to."""
    text, words, svg = _planar(state, at, body).modes(x, y, (x_range, y_range), fine, tolerance)
    return Modes(json.loads(text), words, svg)


def plates() -> dict[str, str]:
    """The named motions of vibrating plates, and what their fields do."""
    return dict(_core.plate_motions())


def field(
    plate: Source,
    *,
    part: str = "particle",
    grid: int = 41,
    half: float | None = None,
    period: float | None = None,
    steps: int = 300,
    settle: int = 12,
    average: int = 2,
    threads: int | None = None,
    set: Set | None = None,  # noqa: A002
) -> Field:
    """Measures where a vibrating plate carries parts, from every place of a square grid.

    plate: a name of :func:`plates`, or a scene (or its file) with one prescribed body, the plate, and one free body, the part. half: of
    the side of the square, m. period: of the plate, s. steps: in a period. settle, average: periods. All cores are used unless
    ``threads`` says otherwise; the answer does not depend on it.
    """
    name = None
    if isinstance(plate, str) and plate in plates():
        name, scene = plate, Scene.from_toml(_core.plate_scene(plate, part), file=plate, set=set)
    elif isinstance(plate, str) and not os.path.exists(plate):
        raise InputError(f'"{plate}" is neither a scene file nor one of the named motions: {", ".join(plates())}')
    else:
        scene = _scene(plate, set)
    order = {
        "grid": grid, "half": half, "period": period, "steps": steps, "settle": settle, "average": average, "threads": threads,
    }  # fmt: skip
    found, size, rows, columns, svg = _core.plate_field(scene._checked(), name, order)
    table = np.frombuffer(rows).reshape(grid, grid, len(columns))
    arrays = {column: np.ascontiguousarray(table[:, :, k]) for k, column in enumerate(columns)}
    return Field(period=found, half=size, svg=svg, **arrays)
