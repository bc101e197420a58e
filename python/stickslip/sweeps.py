"""The same question for many parameters."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from . import _core, _toml
from .errors import InputError, StickslipError
from .results import Run, _table
from .scene import Scene

__all__ = ["Runs", "Sweep", "sweep"]

#: Values of a parameter: a list of them, ``(low, high)`` for every number between, or a range in the program's words, ``"0.1:0.8:15"``.
Values: TypeAlias = Sequence[Any] | str


@dataclass(frozen=True)
class Sweep:
    """Answers of a sweep, a row for each set of parameters."""

    #: Names of the parameters.
    names: list[str]
    #: What was set: a dictionary for each row.
    parameters: list[dict[str, Any]]
    #: The answers; an exception where a run was refused.
    answers: list[Any]

    def __len__(self) -> int:
        return len(self.parameters)

    def columns(self) -> dict[str, list[Any]]:
        """Lists by name, the answers as "answer": what data frames are made of."""
        table = {name: [p[name] for p in self.parameters] for name in self.names}
        return {**table, "answer": self.answers}

    def __repr__(self) -> str:
        failed = sum(isinstance(a, StickslipError) for a in self.answers)
        return f"<Sweep over {', '.join(self.names)}: {len(self)} runs, {failed} failed>"

    def _repr_html_(self) -> str:
        rows = ([*p.values(), a] for p, a in zip(self.parameters, self.answers, strict=True))
        return _table([*self.names, "answer"], rows)


@dataclass(frozen=True)
class Runs:
    """The table of a sweep, a row for each run: the same as ``runs.parquet`` of ``stickslip sweep``."""

    #: Names of the parameters.
    names: list[str]
    #: What was asked, and the unit of each.
    units: dict[str, str]
    #: key, values, state, steps, worst, hash, seconds, why, results of each run, in the order of the sweep.
    rows: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.rows)

    def columns(self) -> dict[str, list[Any]]:
        """Lists by name, as the table of the program has them: what data frames are made of."""
        table: dict[str, list[Any]] = {}
        for k, name in enumerate(self.names):
            table[name] = _numbers([row["values"][k] for row in self.rows])
        for name in ("state", "steps", "worst", "hash", "seconds"):
            table[name] = [row[name] for row in self.rows]
        for k, name in enumerate(self.units):
            table[name] = [row["results"][k] for row in self.rows]
        for name in ("why", "key"):
            table[name] = [row[name] for row in self.rows]
        return table

    def to_pandas(self) -> Any:
        """As a pandas data frame."""
        import pandas

        return pandas.DataFrame(self.columns())

    def __repr__(self) -> str:
        states: dict[str, int] = {}
        for row in self.rows:
            states[row["state"]] = states.get(row["state"], 0) + 1
        counts = ", ".join(f"{n} {state}" for state, n in sorted(states.items()))
        return f"<Runs over {', '.join(self.names)}: {counts}>"

    def _repr_html_(self) -> str:
        columns = self.columns()
        return _table(list(columns), zip(*columns.values(), strict=True))


def _numbers(words: list[str]) -> list[Any]:
    try:
        return [float(word) for word in words]
    except ValueError:
        return list(words)


def sweep(
    scene: Scene | str | os.PathLike[str],
    parameters: Mapping[str, Values],
    answer: Callable[[Run], Any] | None = None,
    *,
    of: Sequence[str] = (),
    folder: str | os.PathLike[str] | None = None,
    samples: int | None = None,
    random: bool = False,
    seed: int = 1,
    keep: str = "none",
    client: Any = None,
    threads: int | None = None,
    limit: float | None = None,
    **options: Any,
) -> Any:
    """Runs a scene for every combination of parameters, or for a sample of them.

    parameters: values by name or path, such as ``{"mu": [0.1, 0.2], "body.box.mass": "1:5:9", "step.h": (1e-3, 1e-2)}``; an interval is for
    ``samples`` points, a Latin hypercube of ``seed`` unless ``random``.

    of: results in the words of ``stickslip series``, such as ``["box.x.last", "force on box.max"]``; :class:`Runs` comes back, the same table as of
    ``stickslip sweep``. folder: where rows are kept; a sweep that was killed goes on there, with the same call or with the program. keep:
    trajectories there, "all", "failed" or "none" (not with a client).

    answer: instead of ``of``, a function of each :class:`Run`; what it makes of them comes back as a :class:`Sweep`. A run that is refused leaves
    its exception in its place. options: of :func:`run`.

    client: one of ``dask.distributed``, to spread the runs over processes or machines; runs whose worker is lost are done by another.
    Threads of this process otherwise, which run side by side since no lock is held while steps run.
    """
    if not parameters:
        raise InputError("a sweep needs parameters")
    given = scene if isinstance(scene, Scene) else Scene.from_file(scene)
    if answer is not None:
        if of or folder is not None or samples is not None:
            raise InputError("of, folder and samples are for a table of runs, not for answers of a function")
        if limit is not None:
            options["limit"] = limit
        return _answers(given, parameters, answer, client, threads, options)
    if options:
        raise InputError(f"unknown: {', '.join(options)}")
    plan = _Plan(given, parameters, samples, random, seed, of, limit)
    with _place(folder) as place:
        if client is None:
            rows = plan.core.work(place, threads or os.cpu_count() or 1, keep)
        elif keep != "none":
            raise InputError("keep: trajectories are not sent from other machines; use parts of `stickslip sweep`")
        else:
            rows = plan.on(client, place)
    return Runs(plan.names, plan.units, [json.loads(row) for row in rows])


class _Plan:
    """Which runs there are."""

    def __init__(
        self,
        scene: Scene,
        parameters: Mapping[str, Values],
        samples: int | None,
        random: bool,
        seed: int,
        of: Sequence[str],
        limit: float | None,
    ) -> None:
        self.scene, self.of, self.limit = scene, [str(name) for name in of], limit
        self.names = [str(name) for name in parameters]
        values = [(str(name), _values(str(name), v)) for name, v in parameters.items()]
        self.core = _core.SweepPlan(scene._checked(), values, samples, random, seed, self.of, limit)
        self.units = dict(zip(self.of, self.core.units, strict=True))

    def on(self, client: Any, place: str) -> list[str]:
        """The rows, computed by the workers of a Dask cluster and kept here as they come."""
        from distributed import as_completed

        self.core.open(place)
        points = self.core.points
        rows: list[str | None] = [self.core.found(place, point) for point in points]
        shared = client.scatter((self.scene, self.names, self.of, self.limit), broadcast=True)
        # A few at a time for each worker: neither many tasks nor long waits.
        todo = [k for k, row in enumerate(rows) if row is None]
        futures = {client.submit(_row, shared, points[k], pure=False, retries=5): k for k in todo}
        for future in as_completed(futures):  # type: ignore[no-untyped-call]
            row = future.result()
            self.core.put(place, row)
            rows[futures[future]] = row
        done = [row for row in rows if row is not None]
        self.core.table(place, done)
        return done


def _row(shared: tuple[Scene, list[str], list[str], float | None], point: list[str]) -> str:
    """One run, on a worker."""
    scene, names, of, limit = shared
    values = [(name, [value]) for name, value in zip(names, point, strict=True)]
    plan = _core.SweepPlan(scene._checked(), values, None, False, 1, of, limit)
    return plan.run(point)


def _values(name: str, values: Values) -> str | list[str]:
    if isinstance(values, str):
        return values
    if isinstance(values, tuple):
        if len(values) != 2:
            raise InputError(f"{name}: an interval has two ends, (low, high); values are a list")
        return f"{float(values[0])!r}:{float(values[1])!r}"
    return [v if isinstance(v, str) else _toml.value(v, name) for v in values]


class _place:
    """The folder of a sweep, or one that goes with it."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else os.fspath(folder)
        self.temporary: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> str:
        if self.folder is not None:
            return self.folder
        self.temporary = tempfile.TemporaryDirectory()
        return self.temporary.name

    def __exit__(self, *_: object) -> None:
        if self.temporary is not None:
            self.temporary.cleanup()


def _answers(
    scene: Scene,
    parameters: Mapping[str, Values],
    answer: Callable[[Run], Any],
    client: Any,
    threads: int | None,
    options: dict[str, Any],
) -> Sweep:
    names = list(parameters)
    rows = [dict(zip(names, values, strict=True)) for values in itertools.product(*parameters.values())]
    jobs = [(scene.replace(row), answer, options) for row in rows]
    if client is not None:
        return Sweep(names, rows, list(client.gather(client.map(_one, jobs, pure=False))))
    # Not at the top: it takes as long to import as all else here.
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=threads or os.cpu_count()) as pool:
        return Sweep(names, rows, list(pool.map(_one, jobs)))


def _one(job: tuple[Scene, Callable[[Run], Any], dict[str, Any]]) -> Any:
    from .functions import run

    scene, answer, options = job
    try:
        return answer(run(scene, **options))
    except StickslipError as error:
        return error
