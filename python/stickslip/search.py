"""Which parameters make a result least? By Optuna, whose journal remembers every trial."""

from __future__ import annotations

import ast
import json
import math
import operator
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from .errors import InputError, StickslipError
from .scene import Scene
from .sweeps import Values, _values

__all__ = ["Found", "minimize"]

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_UNARY: dict[type[ast.unaryop], Callable[[float], float]] = {ast.USub: operator.neg, ast.UAdd: operator.pos}
_FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
}


class Objective:
    """A formula of results, such as ``abs(box.x.last - 0.3)``; a name with spaces stands in ``of("force on box.max")``."""

    def __init__(self, text: str) -> None:
        try:
            self.tree = ast.parse(text, mode="eval").body
        except SyntaxError as error:
            raise InputError(f"{text!r}: {error.msg}") from None
        self.text = text
        #: Names of the results in it.
        self.of: list[str] = []
        self._check(self.tree)
        if not self.of:
            raise InputError(f"{text!r}: no result of a run is in it, such as box.x.last")

    def _wrong(self, node: ast.AST) -> InputError:
        return InputError(f"{self.text!r}: `{ast.unparse(node)}` cannot stand in it")

    def _check(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(value=int() | float()):
                pass
            case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
                self._check(a)
                self._check(b)
            case ast.UnaryOp(op=op, operand=a) if type(op) in _UNARY:
                self._check(a)
            case ast.Call(func=ast.Name(id="of"), args=[ast.Constant(value=str(name))], keywords=[]):
                self._add(name)
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _FUNCTIONS and args:
                for a in args:
                    self._check(a)
            case ast.Attribute() | ast.Name():
                self._add(self._name(node))
            case _:
                raise self._wrong(node)

    def _add(self, name: str) -> None:
        if name not in self.of:
            self.of.append(name)

    def _name(self, node: ast.expr) -> str:
        match node:
            case ast.Name(id=name):
                return name
            case ast.Attribute(value=value, attr=attr):
                return f"{self._name(value)}.{attr}"
            case _:
                raise self._wrong(node)

    def __call__(self, results: Sequence[float | None]) -> float | None:
        """Its value; ``None`` where a result is not there or the formula has none."""
        known = dict(zip(self.of, results, strict=True))
        try:
            value = self._value(self.tree, known)
        except (TypeError, ValueError, ZeroDivisionError, OverflowError):
            return None
        return float(value) if math.isfinite(value) else None

    def _value(self, node: ast.expr, known: Mapping[str, float | None]) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.BinOp(left=a, op=op, right=b):
                return _BINARY[type(op)](self._value(a, known), self._value(b, known))
            case ast.UnaryOp(op=op, operand=a):
                return _UNARY[type(op)](self._value(a, known))
            case ast.Call(func=ast.Name(id="of"), args=[ast.Constant(value=name)]):
                return known[str(name)]
            case ast.Call(func=ast.Name(id=name), args=args):
                return _FUNCTIONS[name](*(self._value(a, known) for a in args))
        return known[self._name(node)]


@dataclass(frozen=True)
class Found:
    """What a search found."""

    #: Values of the parameters of the best run.
    best: dict[str, Any]
    #: The least value.
    value: float
    #: All trials: parameters, value (``None`` where a run was refused or stopped), state, key and hash of the run.
    trials: list[dict[str, Any]]

    def __repr__(self) -> str:
        return f"<Found {self.value:g} at {self.best} in {len(self.trials)} trials>"


def minimize(
    scene: Scene | str | os.PathLike[str],
    parameters: Mapping[str, Values],
    objective: str,
    *,
    trials: int = 100,
    folder: str | os.PathLike[str],
    seed: int = 1,
    limit: float | None = None,
    progress: Callable[[int, float | None], None] | None = None,
) -> Found:
    """Searches for the parameters that make a formula of results least, by Optuna's tree-structured Parzen estimator.

    parameters: as of :func:`sweep`; an interval ``(low, high)`` is searched, a list is chosen from. objective: such as
    ``"abs(box.x.last - 0.3)"``, with results in the words of ``stickslip series``; ``of("force on box.max")`` for a name with spaces. folder: holds Optuna's journal;
    the same call goes on there until there are so many ``trials``. Runs that stop or are refused count as failed trials.
    """
    try:
        import optuna
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend
    except ImportError:
        raise InputError("a search needs Optuna: pip install 'stickslip[search]'") from None
    wanted = Objective(objective)
    given = scene if isinstance(scene, Scene) else Scene.from_file(scene)
    ranges = {str(name): _range(str(name), v) for name, v in parameters.items()}
    # Keys and results are checked before anything is written.
    first = [(name, r if isinstance(r, list) else [r.split(":")[0]]) for name, r in ranges.items()]
    _core.SweepPlan(given._checked(), first, None, False, 1, wanted.of, limit)
    place = os.fspath(folder)
    about = json.dumps([given._checked().text, sorted(ranges.items()), objective, seed, limit])
    _take(place, about)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    storage = JournalStorage(JournalFileBackend(os.path.join(place, "journal.log")))
    study = optuna.create_study(storage=storage, study_name="stickslip", load_if_exists=True)
    finished = (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.FAIL)

    def count() -> int:
        return len([t for t in study.get_trials(deepcopy=False) if t.state in finished])

    while (done := count()) < trials:
        # A sampler for each trial: a search that goes on draws what one that was never interrupted would.
        study.sampler = optuna.samplers.TPESampler(seed=seed + done)
        trial = study.ask()
        point = {name: _suggest(trial, name, r) for name, r in ranges.items()}
        values = [(name, [value]) for name, value in point.items()]
        plan = _core.SweepPlan(given._checked(), values, None, False, 1, wanted.of, limit)
        row = json.loads(plan.run(list(point.values())))
        for name in ("state", "key", "hash", "why"):
            trial.set_user_attr(name, row[name])
        ended = row["state"] in ("certified", "approximate")
        value = wanted(row["results"]) if ended else None
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, value)
        if progress is not None:
            progress(done + 1, value)
    return _found(study, finished)


def main() -> int:
    """For the program: what is asked comes as JSON on standard input."""
    import sys

    asked = json.load(sys.stdin)
    told = asked.pop("quiet")

    def tell(done: int, value: float | None) -> None:
        if not told:
            shown = "no value" if value is None else f"{value:g}"
            print(f"trial {done} of {asked['trials']}: {shown}", file=sys.stderr)

    try:
        scene = Scene.from_file(asked.pop("scene"), set=asked.pop("set"))
        found = minimize(scene, progress=tell, **asked)
    except StickslipError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"least {asked['objective']} = {found.value:g} in {len(found.trials)} trials")
    for name, value in found.best.items():
        print(f"  {name} = {value}")
    return 0


def _take(place: str, about: str) -> None:
    """Takes the folder for this search, or finds it taken by the same one."""
    path = os.path.join(place, "search.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() != about:
                raise InputError(f"{place}: it holds another search; nothing was changed, choose another folder")
        return
    os.makedirs(place, exist_ok=True)
    if os.listdir(place):
        raise InputError(f"{place}: something else than a search is in this folder; choose another")
    with open(path + ".unfinished", "w", encoding="utf-8") as file:
        file.write(about)
    os.replace(path + ".unfinished", path)


def _range(name: str, values: Values) -> str | list[str]:
    """An interval in the program's words, or a list."""
    known = _values(name, values)
    if isinstance(known, str) and ":" not in known:
        return [word.strip() for word in known.split(",")]
    return known


def _suggest(trial: Any, name: str, values: str | list[str]) -> str:
    if isinstance(values, list):
        return str(trial.suggest_categorical(name, values))
    words = values.split(":")
    log = words[-1] == "log"
    ends = words[:-1] if log else words
    if len(ends) != 2:
        raise InputError(f"{name}: a search needs an interval (low, high) or a list")
    return repr(trial.suggest_float(name, float(ends[0]), float(ends[1]), log=log))


def _found(study: Any, finished: tuple[Any, ...]) -> Found:
    trials = [
        {"parameters": t.params, "value": t.value, **t.user_attrs}
        for t in study.get_trials(deepcopy=False)
        if t.state in finished
    ]
    good = [t for t in trials if t["value"] is not None]
    if not good:
        raise InputError("no run of the search came to its end")
    best = min(good, key=lambda t: t["value"])
    return Found(best["parameters"], best["value"], trials)


if __name__ == "__main__":
    raise SystemExit(main())
