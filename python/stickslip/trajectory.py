"""Recorded runs: columns in one memory for NumPy, Arrow, pandas and polars."""

from __future__ import annotations

import html
import os
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from .errors import InputError

if TYPE_CHECKING:
    from .results import Check
    from .scene import Scene

Array: TypeAlias = NDArray[np.float64]

__all__ = ["Path", "Table", "Trajectory"]


class Table(Mapping[str, "NDArray[Any]"]):
    """Columns by name, in SI units. Numbers are arrays that cannot be written to: the table's own memory, shared with whoever asks."""

    def __init__(self, core: _core.Table) -> None:
        self._core = core
        self._arrays: dict[str, NDArray[Any]] = {}

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A column. Words are made to an array of objects, which is a copy."""
        if name not in self._arrays:
            values, words = self._column(name)
            self._arrays[name] = values if words is None else np.array(words, dtype=object)[values]
        return self._arrays[name]

    def _column(self, name: str) -> tuple[NDArray[Any], list[str] | None]:
        buffer, kind, words = self._core.column(name)
        return np.frombuffer(memoryview(buffer), dtype=kind), words

    def codes(self, name: str) -> tuple[NDArray[np.int32], list[str]]:
        """A column of words as numbers, and the words they stand for."""
        values, words = self._column(name)
        if words is None:
            raise InputError(f'column "{name}" has numbers, not words')
        return values, words

    def __iter__(self) -> Iterator[str]:
        return iter(self._core.names)

    def __len__(self) -> int:
        """Number of columns; :attr:`rows` is that of rows."""
        return len(self._core.names)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._core)

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        return self._core.units

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """As a pandas data frame; numbers are not copied."""
        import pandas as pd

        columns = {}
        for name in self:
            values, words = self._column(name)
            columns[name] = values if words is None else pd.Categorical.from_codes(values, words)
        return pd.DataFrame(columns, copy=False)

    def to_polars(self) -> Any:
        """As a polars data frame; numbers are not copied."""
        import polars as pl

        return pl.DataFrame(self)

    def to_arrow(self) -> Any:
        """As a pyarrow table; numbers are not copied."""
        import pyarrow as pa

        return pa.table(self)

    def __repr__(self) -> str:
        return f"<Table of {self.rows} rows: {', '.join(self)}>"


@dataclass(frozen=True, slots=True)
class Path:
    """One body over time: copies, a row for each recorded state."""

    name: str
    #: Times, s: (n,).
    t: Array
    #: m: (n, 3).
    position: Array
    #: Unit quaternions (s, x, y, z), scalar first: (n, 4).
    orientation_sxyz: Array
    #: m/s: (n, 3).
    velocity: Array
    #: rad/s: (n, 3).
    angular_velocity: Array

    def __repr__(self) -> str:
        return f"Path({self.name!r}, {len(self.t)} states to t = {self.t[-1]:g} s)"


class Trajectory:
    """A recorded run: states, contacts, joints and certificates of every recorded step.

    The tables are those of the file format: :attr:`bodies` has a row for each body at each time, bodies in the order of
    :attr:`names`. A trajectory is itself an Arrow stream, that of :attr:`bodies`.
    """

    def __init__(self, core: _core.Trajectory, *, controlled: bool = False) -> None:
        self._core = core
        #: Were forces, motors or motions set from outside? Then its scene does not tell all that acted.
        self.controlled = controlled

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Trajectory:
        """Reads a Parquet file that a run wrote, or the folder that a run left when it died."""
        return cls(_core.Trajectory.open(os.fspath(path)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it: .parquet (everything), .csv (the bodies) or .html (to look at)."""
        self._core.save(os.fspath(path))

    def __len__(self) -> int:
        """Number of recorded states, the initial one included."""
        return len(self._core)

    @property
    def names(self) -> list[str]:
        """Names of the bodies, sorted."""
        return self._core.names

    @property
    def joint_names(self) -> list[str]:
        """Names of the joints, then of the springs, then of the gears, each sorted: as :attr:`World.joint_names`."""
        return self._core.joint_names

    @property
    def hash(self) -> str:
        """The run's state hash, as the program prints it."""
        return self._core.hash

    @property
    def certified(self) -> bool:
        """Did every step meet its tolerance? Of those that are here where the run did not end."""
        return self._core.certified

    @property
    def warnings(self) -> list[str]:
        """What a reader found odd but could live with."""
        return self._core.warnings

    @property
    def scene(self) -> Scene:
        """The scene in it."""
        from .scene import Scene

        text, file, changes, files = self._core.scene
        return Scene._of_record(text, file, dict(c.split("=", 1) for c in changes), files)

    @cached_property
    def bodies(self) -> Table:
        """A row for each body at each recorded time."""
        return Table(self._core.bodies())

    @cached_property
    def contacts(self) -> Table:
        """A row for each contact that was part of a recorded step's problem, open ones included."""
        return Table(self._core.contacts())

    @cached_property
    def joints(self) -> Table:
        """A row for each joint and spring at each recorded step."""
        return Table(self._core.joints())

    @cached_property
    def steps(self) -> Table:
        """A row for each recorded step: energy, certificate, solver."""
        return Table(self._core.steps_table())

    @property
    def t(self) -> Array:
        """Times of the recorded states, s."""
        return self.steps["t"]

    def series(self, name: str) -> Array:
        """A number over time, in the words of ``stickslip series``: "box.z", "force on box from ground.normal", "hinge.torque", "energy".

        Forces are means over each step; NaN at the initial state and at impacts, which have impulses and no length.
        """
        return np.frombuffer(self._core.series(name)[0])

    def column(self, name: str) -> NDArray[Any]:
        """A column of :attr:`bodies` as an array of (times, bodies), without a copy."""
        return self.bodies[name].reshape(len(self), -1)

    def __getitem__(self, name: str) -> Path:
        """One body over time."""
        if name not in self.names:
            raise InputError(f'there is no body "{name}"')
        k = self.names.index(name)

        def part(*columns: str) -> Array:
            return np.stack([self.column(c)[:, k] for c in columns], axis=1)

        place, turn = part("x", "y", "z"), part("qs", "qx", "qy", "qz")
        return Path(name, self.t, place, turn, part("vx", "vy", "vz"), part("wx", "wy", "wz"))

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.bodies.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """:attr:`bodies` as a pandas data frame; numbers are not copied."""
        return self.bodies.to_pandas()

    def to_polars(self) -> Any:
        """:attr:`bodies` as a polars data frame; numbers are not copied."""
        return self.bodies.to_polars()

    def to_arrow(self) -> Any:
        """:attr:`bodies` as a pyarrow table; numbers are not copied."""
        return self.bodies.to_arrow()

    def to_xarray(self) -> Any:
        """The states as an xarray data set over ``t`` and ``body``; numbers are not copied."""
        import xarray as xr

        units = self.bodies.units
        names = [c for c in self.bodies if c not in ("step", "t", "body")]
        variables = {c: (("t", "body"), self.column(c), {"units": units.get(c, "1")}) for c in names}
        return xr.Dataset(variables, coords={"t": ("t", self.t, {"units": "s"}), "body": self.names})

    def check(self) -> Check:
        """Every certificate recomputed from this trajectory alone."""
        from .functions import check

        return check(self)

    def html(self) -> str:
        """The run as one page with a 3D view, without anything to fetch."""
        return self._core.page()

    def glb(self) -> bytes:
        """The run as an animation for other programs (glTF 2.0, binary)."""
        return self._core.glb()

    def svg(self, t: float | Sequence[float] | None = None, **options: Any) -> str:
        """A moment of it as a picture; ``options`` as of :meth:`png`."""
        return self._shot(t, None, **options).decode()

    def png(self, t: float | Sequence[float] | None = None, *, scale: float = 1.0, **options: Any) -> bytes:
        """A moment (s, the end unless given) as a picture; of several times each has a view of its own.

        size: width and height. azimuth, elevation: where the eye is, degrees. forces, caption: draw them? whole: frame
        everything that ever moves. glass: bodies to see through. overlay: several moments over each other in one view.
        """
        return self._shot(t, scale, **options)

    def rgb(self, t: float | None = None, **options: Any) -> NDArray[np.uint8]:
        """A moment as an array of (height, width, 3)."""
        return _decoded(self._shot(t, 1.0, **options))

    def _shot(
        self,
        t: float | Sequence[float] | None,
        scale: float | None,
        *,
        size: tuple[float, float] = (800, 600),
        azimuth: float = -60.0,
        elevation: float = 15.0,
        forces: bool = True,
        caption: bool = True,
        whole: bool = False,
        glass: Sequence[str] = (),
        overlay: bool = False,
    ) -> bytes:
        times = [] if t is None else [float(x) for x in np.atleast_1d(np.asarray(t, dtype=float))]
        width, height = size
        view = (float(width), float(height)), (azimuth, elevation)
        return self._core.shot(times, *view, forces, caption, whole, list(glass), overlay, scale)

    def __repr__(self) -> str:
        n = len(self.names)
        return f"<Trajectory of {n} bod{'y' if n == 1 else 'ies'}: {len(self)} states to t = {self.t[-1]:g} s>"

    def _repr_html_(self) -> str:
        page = html.escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width: 100%; height: 480px; border: 0"></iframe>'


def _decoded(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a PNG as the program writes them: 8 bits, three channels, each row the difference to the one above."""
    at, data, size = 8, b"", (0, 0)
    while at < len(png):
        (length,), kind = struct.unpack(">I", png[at : at + 4]), png[at + 4 : at + 8]
        chunk = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            size = struct.unpack(">II", chunk[:8])
        elif kind == b"IDAT":
            data += chunk
        at += 12 + length
    width, height = size
    rows = np.frombuffer(zlib.decompress(data), dtype=np.uint8).reshape(height, 3 * width + 1)
    pixels: NDArray[np.uint8] = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8)
    return pixels.reshape(height, width, 3)
