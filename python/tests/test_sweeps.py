"""Tables of runs, on threads and on Dask, and searches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import stickslip
from stickslip.search import Objective

SLIDING = """
format = 1
[parameters]
speed = 2.0
[step]
h = 0.005
until = 0.5
[material]
friction = 0.5
[[body]]
name = "ground"
motion = "fixed"
shape = { half-space = { normal = [0, 0, 1] } }
[[body]]
name = "box"
shape = { box = { size = [0.4, 0.4, 0.1] } }
mass = 1.0
position = [0, 0, 0.05]
velocity = ["speed", 0, 0]
"""

GRID = {"material.friction": "0.2:0.8:6", "speed": [1, 2]}
OF = ["box.x", "force on box.max"]


@pytest.fixture
def scene(tmp_path: Path) -> str:
    path = tmp_path / "sliding.toml"
    path.write_text(SLIDING)
    return str(path)


def bits(runs: stickslip.Runs) -> list[dict[str, object]]:
    return [{k: v for k, v in row.items() if k != "seconds"} for row in runs.rows]


def test_threads_and_the_program_share_a_folder(scene: str, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    runs = stickslip.sweep(scene, GRID, of=OF, folder=folder)
    assert len(runs) == 12
    columns = runs.columns()
    assert columns["state"] == ["certified"] * 12
    for mu, v, x, force in zip(columns["material.friction"], columns["speed"], columns[OF[0]], columns[OF[1]], strict=True):
        t = min(0.5, v / (mu * 9.81))
        assert abs(x - (v * t - 0.5 * mu * 9.81 * t * t)) < 0.01
        assert abs(force - 9.81 * (1 + mu * mu) ** 0.5) < 1e-6
    pandas = pytest.importorskip("pandas")
    table = pandas.read_parquet(folder / "runs.parquet")
    assert list(table.columns) == list(columns)
    assert list(table["hash"]) == columns["hash"]
    # The program finds all of it done.
    words = ["sweep", scene, "material.friction=0.2:0.8:6", "speed=1,2", "--json", "-o", str(folder)]
    words += [word for name in OF for word in ("--of", name)]
    done = subprocess.run([sys.executable, "-m", "stickslip", *words], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["found"] == 12


def test_a_table_without_a_folder_and_a_sample(scene: str) -> None:
    runs = stickslip.sweep(scene, {"speed": (1.0, 3.0), "material.friction": [0.3, -1]}, of=["box.x.max"], samples=8)
    states = [row["state"] for row in runs.rows]
    assert states.count("refused input") == 4 and states.count("certified") == 4
    refused = next(row for row in runs.rows if row["state"] == "refused input")
    assert "friction" in refused["why"] and refused["results"] == [None]
    assert "4 certified" in repr(runs)


def test_the_same_table_from_a_cluster_that_loses_a_worker(scene: str, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    runs = int(os.environ.get("STICKSLIP_DASK_RUNS", "24"))
    grid = {"material.friction": f"0.2:0.8:{runs // 2}", "speed": [1, 2]}
    whole = stickslip.sweep(scene, grid, of=OF)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            plan_folder = tmp_path / "dask"
            # One worker dies while runs are on their way.
            client.submit(_die_soon, os.getpid(), pure=False)
            far = stickslip.sweep(scene, grid, of=OF, folder=plan_folder, client=client)
    assert bits(far) == bits(whole)
    assert (plan_folder / "runs.parquet").exists()


def _die_soon(_: int) -> None:
    import threading
    import time

    def die() -> None:
        time.sleep(0.3)
        os.kill(os.getpid(), 9)

    threading.Thread(target=die, daemon=True).start()


def test_nonsense_has_a_clear_word(scene: str, tmp_path: Path) -> None:
    for grid, of, word in [
        ({}, [], "needs parameters"),
        ({"frictoin": [1]}, [], "nothing in the scene is called"),
        ({"speed": []}, [], "empty"),
        ({"speed": (1, 2)}, [], "how many values"),
        ({"speed": [1, 2]}, ["bx.x"], "no body or joint"),
    ]:
        with pytest.raises(stickslip.StickslipError, match=word):
            stickslip.sweep(scene, grid, of=of)
    folder = tmp_path / "out"
    stickslip.sweep(scene, {"speed": [1]}, of=["box.x"], folder=folder)
    with pytest.raises(stickslip.InputError, match="other values"):
        stickslip.sweep(scene, {"speed": [2]}, of=["box.x"], folder=folder)


def test_series_in_the_words_of_the_program(scene: str) -> None:
    run = stickslip.run(scene)
    trajectory = run.trajectory
    assert trajectory is not None
    force = trajectory.series("force on box from ground.z")
    assert force.shape == trajectory.t.shape
    assert abs(force[1:] - 9.81).max() < 1e-9 and force[0] != force[0]
    assert (trajectory.series("box.x") == trajectory["box"].position[:, 0]).all()
    with pytest.raises(stickslip.InputError, match="did you mean `box`"):
        trajectory.series("force on bx")


def test_formulas_of_results() -> None:
    formula = Objective('abs(box.x.last - 0.3) + 2 * of("force on box.max")')
    assert formula.of == ["box.x.last", "force on box.max"]
    assert formula([0.1, 1.0]) == pytest.approx(2.2)
    assert formula([None, 1.0]) is None
    assert Objective("1 / box.x")([0.0]) is None
    for text in ["", "1 + 2", "box.x if True else 1", "__import__('os')", "box.x.last()", "open('x')", "[box.x]"]:
        with pytest.raises(stickslip.InputError):
            Objective(text)


def test_a_search_goes_on_where_it_was_ended(scene: str, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    wanted = {"material.friction": (0.2, 0.9)}
    formula = "abs(box.x.last - 0.4)"
    whole = stickslip.minimize(scene, wanted, formula, trials=14, folder=tmp_path / "whole")
    for trials in (3, 9, 14):
        parts = stickslip.minimize(scene, wanted, formula, trials=trials, folder=tmp_path / "parts")
        assert len(parts.trials) == trials
    assert [t["hash"] for t in parts.trials] == [t["hash"] for t in whole.trials]
    # x = v²/(2 µ g): 0.4 m at µ = 0.51.
    assert abs(whole.best["material.friction"] - 0.51) < 0.1 and whole.value < 0.05
    with pytest.raises(stickslip.InputError, match="another search"):
        stickslip.minimize(scene, wanted, "box.x.last", trials=2, folder=tmp_path / "parts")
