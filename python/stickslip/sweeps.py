"""The same question for many parameters."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import InputError, StickslipError
from .results import Run, _table
from .scene import Scene

__all__ = ["Sweep", "sweep"]


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


def sweep(
    scene: Scene | str | os.PathLike[str],
    parameters: Mapping[str, Sequence[Any]],
    answer: Callable[[Run], Any],
    *,
    client: Any = None,
    threads: int | None = None,
    **options: Any,
) -> Sweep:
    """Runs a scene for every combination of parameters, and keeps what ``answer`` makes of each run.

    parameters: lists of values by name or path, such as ``{"mu": [0.1, 0.2], "step.h": [0.01, 0.001]}``. client: one of
    ``dask.distributed``, to spread the runs over processes or machines; threads of this process otherwise, which run side by side
    since no lock is held while steps run. A run that is refused leaves its exception in its place. options: of :func:`run`.
    """
    if not parameters:
        raise InputError("a sweep needs parameters")
    given = scene if isinstance(scene, Scene) else Scene.from_file(scene)
    names = list(parameters)
    rows = [dict(zip(names, values, strict=True)) for values in itertools.product(*parameters.values())]
    jobs = [(given.replace(row), answer, options) for row in rows]
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
