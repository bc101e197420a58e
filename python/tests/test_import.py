"""``import stickslip`` is light: what needs NumPy comes when it is asked for."""

from __future__ import annotations

import subprocess
import sys

import stickslip as ss


def said(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_the_bare_import_leaves_numpy_alone() -> None:
    heavy = "[name for name in ('numpy', 'matplotlib', 'gymnasium', 'dask', 'pandas') if name in sys.modules]"
    assert said(f"import sys, stickslip; stickslip.__version__, stickslip.shapes.ball(0.1); print({heavy})") == "[]"
    assert said(f"import sys, stickslip; stickslip.Scene; print({heavy})") == "['numpy']"


def test_the_program_runs_without_it() -> None:
    code = "import sys, stickslip.__main__ as m; sys.argv = ['', '--version']; m.main(); print('numpy' in sys.modules)"
    assert said(code).splitlines()[-1] == "False"


def test_every_name_is_there() -> None:
    for name in ss.__all__:
        assert getattr(ss, name) is not None
        assert name in dir(ss)
    star: dict[str, object] = {}
    exec("from stickslip import *", star)
    assert set(ss.__all__) <= set(star)
    assert ss.run.__module__ == "stickslip.functions"
    assert ss.world.World is ss.World


def test_a_name_that_does_not_exist_is_said() -> None:
    assert said("import stickslip\ntry: stickslip.Wrold\nexcept AttributeError as e: print(e)") == "module 'stickslip' has no attribute 'Wrold'"
    assert said("import stickslip; print(hasattr(stickslip, 'gym_'), hasattr(stickslip, 'run'))") == "False True"
