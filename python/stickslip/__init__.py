"""Rigid bodies in frictional contact, solved to the law and certified step by step.

>>> import stickslip
>>> run = stickslip.run("scenes/box_stack.toml")
>>> run.certified, run.hash

:class:`Scene` says what there is, :class:`World` steps it, :class:`Trajectory` is what was recorded, :class:`Certificate` the
judge's word on a step. The commands of the program are functions: :func:`run`, :func:`check`, :func:`compare`,
:func:`converge`, :func:`solve`, :func:`accel`, :func:`modes`, :func:`field`. Units are SI, angles radians, quaternions have their
scalar first.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING, Any

from . import errors, shapes
from ._core import VERSION as __version__
from ._core import Certificate
from .errors import (
    BusyError,
    ClosedError,
    InputError,
    InternalError,
    Interrupted,
    RecordError,
    SceneError,
    StepError,
    StickslipError,
    WorkError,
)

if TYPE_CHECKING:
    from .functions import accel, check, compare, converge, field, modes, plates, run, solve
    from .results import Accelerations, Check, Comparison, Convergence, Field, Modes, Run, Solution
    from .scene import Scene, schema
    from .search import Found, minimize
    from .sweeps import Runs, Sweep, sweep
    from .trajectory import Path, Table, Trajectory
    from .world import AXES, COLUMNS, Body, Contacts, Joints, World

__all__ = [
    "AXES",
    "COLUMNS",
    "Accelerations",
    "Body",
    "BusyError",
    "Certificate",
    "Check",
    "ClosedError",
    "Comparison",
    "Contacts",
    "Convergence",
    "Field",
    "Found",
    "InputError",
    "InternalError",
    "Interrupted",
    "Joints",
    "Modes",
    "Path",
    "RecordError",
    "Run",
    "Runs",
    "Scene",
    "SceneError",
    "Solution",
    "StepError",
    "StickslipError",
    "Sweep",
    "Table",
    "Trajectory",
    "WorkError",
    "World",
    "__version__",
    "accel",
    "check",
    "compare",
    "converge",
    "errors",
    "field",
    "minimize",
    "modes",
    "plates",
    "run",
    "schema",
    "shapes",
    "solve",
    "sweep",
]

# What needs NumPy comes with the first name that is asked of it: to load NumPy takes several times as long as all the rest.
_LATER = ("functions", "results", "scene", "search", "sweeps", "trajectory", "world")


def __getattr__(name: str) -> Any:
    if name not in __all__ and name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    for part in _LATER:
        module = _import_module(f".{part}", __name__)
        globals().update((known, getattr(module, known)) for known in module.__all__ if known in __all__)
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATER, *(name for name in globals() if name.startswith("__"))})
