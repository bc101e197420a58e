"""Scenes as TOML text: numbers come back to the bit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.match(name) else json.dumps(name)


def value(x: Any, place: str) -> str:
    """A value; ``place`` is what messages call it."""
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if isinstance(x, (float, np.floating)):
        return _number(float(x), place)
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False)
    if isinstance(x, Mapping):
        inner = (f"{key(str(k))} = {value(v, f'{place}.{k}')}" for k, v in x.items() if v is not None)
        return "{ " + ", ".join(inner) + " }"
    if isinstance(x, np.ndarray):
        x = x.tolist()
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(item, place) for item in x) + "]"
    raise InputError(f"{place}: a scene cannot hold {type(x).__name__} {x!r}")


def _number(x: float, place: str) -> str:
    if math.isnan(x):
        raise InputError(f"{place}: not a number")
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return repr(x)


def table(header: str, entries: Mapping[str, Any]) -> str:
    """A table with what is not ``None``; underscores of names are the file's hyphens."""
    lines = [header] if header else []
    for name, x in entries.items():
        if x is not None:
            name = name.replace("_", "-")
            lines.append(f"{key(name)} = {value(x, name)}")
    return "\n".join(lines) + "\n"
