"""What can go wrong, in the program's own words.

All are :class:`StickslipError`, but for :class:`Interrupted`, which is a ``KeyboardInterrupt``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .results import Run

__all__ = [
    "BusyError",
    "ClosedError",
    "InputError",
    "InternalError",
    "Interrupted",
    "RecordError",
    "SceneError",
    "StepError",
    "StickslipError",
    "WorkError",
]


class StickslipError(Exception):
    """Anything that stickslip says no to."""


class InputError(StickslipError, ValueError):
    """What was asked for makes no sense: a name that does not exist, a wrong shape, a number that is not finite."""


class SceneError(InputError):
    """A scene that cannot be, with its place."""

    def __init__(
        self,
        message: str,
        what: str = "",
        file: str = "",
        line: int = 0,
        column: int = 0,
        help: str | None = None,  # noqa: A002
    ) -> None:
        super().__init__(message)
        #: What is wrong, without the place.
        self.what = what
        #: The file, or "the command line" where a value that was set is at fault.
        self.file = file
        #: Line and column, counted from 1; 0 where the file could not be read.
        self.line = line
        self.column = column
        #: What to do about it, where that is known.
        self.help = help


class StepError(StickslipError, RuntimeError):
    """A step that no solver's answer was accepted for. The world is as it was before the step."""

    def __init__(self, message: str, t: float = 0.0, result: Run | None = None) -> None:
        super().__init__(message)
        #: Time at which the world stands, s.
        self.t = t
        #: Of a whole run: what was computed until then.
        self.result = result


class RecordError(StickslipError, RuntimeError):
    """A trajectory that cannot be read, written or compared."""


class WorkError(StickslipError, RuntimeError):
    """The input is good, but the work failed."""


class BusyError(StickslipError, RuntimeError):
    """Another thread is stepping this world."""


class ClosedError(StickslipError, RuntimeError):
    """This world was closed."""


class InternalError(StickslipError, RuntimeError):
    """A bug of stickslip."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run between two steps."""

    def __init__(self, message: str, result: Run | None = None) -> None:
        super().__init__(message)
        #: What was computed until then.
        self.result = result
