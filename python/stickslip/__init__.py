"""Rigid bodies in frictional contact, solved to the law and certified step by step.

>>> import stickslip
>>> run = stickslip.run("scenes/box_stack.toml")
>>> run.certified, run.hash

:class:`Scene` says what there is, :class:`World` steps it, :class:`Trajectory` is what was recorded, :class:`Certificate` the
judge's word on a step. The commands of the program are functions: :func:`run`, :func:`check`, :func:`compare`,
:func:`converge`, :func:`solve`, :func:`accel`, :func:`modes`, :func:`field`. Units are SI, angles radians, quaternions have their
scalar first.
"""

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
