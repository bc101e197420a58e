"""The commands of the program as functions: the same answers as the program's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import program, pushed_box

import stickslip as ss


def test_check_finds_what_was_changed(tmp_path: Path) -> None:
    run = ss.run(pushed_box())
    good = ss.check(run)
    assert good.valid
    assert bool(good)
    assert good.certified
    assert good.steps == 100
    assert repr(good).startswith("<Check: VALID, 100 steps")
    assert "VALID" in good._repr_html_()


def test_compare_measures_the_distance() -> None:
    coarse, fine = (ss.run(pushed_box(h=h)) for h in (0.01, 0.005))
    same = ss.compare(coarse, coarse)
    assert same.dist.max() == same.angle.max() == same.velocity.max() == same.spin.max() == 0.0
    other = ss.compare(coarse, fine)
    assert len(other.t) == 101
    assert other.outside == 0
    assert "Comparison" in repr(other)
    assert "<table>" in other._repr_html_()


def test_converge_finds_order_one(scenes: Path) -> None:
    study = ss.converge(scenes / "sliding_box.toml", quantity="box.x", halvings=3, directions=False)
    told = json.loads(
        program("converge", scenes / "sliding_box.toml", "--quantity", "box.x", "--halvings", 3, "--no-directions", "--json").stdout
    )
    assert study.extrapolated == told["extrapolated"]
    assert study.error == told["error"]["total"]
    assert list(study.value) == [r["value"] for r in told["rungs"]]
    assert study.order == pytest.approx(1.0, abs=0.1)
    assert study.svg.startswith("<svg")
    assert "Convergence of box.x" in repr(study)
    assert "<table>" in study._repr_html_()


def test_an_lcp_is_solved() -> None:
    # w = M z + q: Cottle, Pang and Stone's first example has z = (4/3, 7/3).
    answer = ss.solve([[2.0, 1.0], [1.0, 2.0]], [-5.0, -6.0])
    assert answer.solved
    np.testing.assert_allclose(answer.values, [4 / 3, 7 / 3])
    assert answer.problem == "LCP, n = 2"
    assert "solved" in repr(answer)
    assert "<table>" in answer._repr_html_()


@pytest.mark.parametrize("solver", ["auto", "lemke", "interior-point", "pgs"])
def test_sparse_and_dense_lcps_have_one_answer(solver: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(7)
    a = rng.normal(size=(20, 20))
    m = a @ a.T + np.eye(20)
    q = rng.normal(size=20)
    dense = ss.solve(m, q, solver=solver)
    csr = ss.solve(sparse.csr_matrix(m), q, solver=solver)
    csc = ss.solve(sparse.csc_array(m), q, solver=solver)
    np.testing.assert_array_equal(dense.values, csr.values)
    np.testing.assert_array_equal(dense.values, csc.values)
    z, w = dense.values, m @ dense.values + q
    assert dense.solved
    assert np.linalg.norm(np.minimum(z, w)) < 1e-7


def test_a_mixed_lcp_has_free_unknowns() -> None:
    answer = ss.solve([[2.0, 1.0], [1.0, 2.0]], [2.0, -1.0], n_eq=1)
    assert answer.solved
    z = answer.values
    assert 2 * z[0] + z[1] + 2 == pytest.approx(0)
    assert z[0] < 0


def test_a_ray_is_told() -> None:
    answer = ss.solve([[0.0, -1.0], [0.0, 0.0]], [1.0, -1.0], solver="lemke")
    assert not answer.solved
    assert answer.status == "ray"
    assert "no solution" in answer.note


def test_a_contact_sticks_and_slides() -> None:
    # One kilogram on the ground, pushed down by -1 and sideways by v; friction 0.5.
    for v, slides in ((0.3, False), (0.9, True)):
        answer = ss.solve(np.eye(3), [-1.0, v, 0.0], [0.5])
        assert answer.solved
        p_n, p_t, _ = answer.values
        assert p_n == pytest.approx(1.0)
        assert p_t == pytest.approx(-0.5 if slides else -v)


def test_files_are_solved(root: Path) -> None:
    answer = ss.solve(root / "problems" / "block.json")
    assert answer.solved
    assert json.loads(program("solve", root / "problems" / "block.json", "--json").stdout)["residual"] == answer.residual


STATE = {
    "m": 1.0, "rho": 1.0, "mu": 0.25, "F": [0.6, -1.0, 0.0], "v": [0, 0, 0],
    "contacts": [{"n": [0, 1], "r": [x, 1]} for x in (1, -1, 0)],
}  # fmt: skip


def test_all_accelerations_are_found() -> None:
    answer = ss.accel(STATE)
    assert len(answer.solutions) == 1
    np.testing.assert_allclose(answer.solutions[0]["acceleration"], [0.35, 0, 0], atol=1e-12)
    assert answer.svg.startswith("<svg")
    assert "rrr" in repr(answer)
    harder = ss.accel(STATE, force=np.array([1.0, -1.0, 0.0]))
    np.testing.assert_allclose(harder.solutions[0]["acceleration"], [0.75, 0, 0], atol=1e-12)
    at_rest = ss.accel(STATE, mu=0.9)
    np.testing.assert_allclose(at_rest.solutions[0]["acceleration"], [0, 0, 0], atol=1e-12)


def test_a_state_file_gives_the_programs_answer(scenes: Path) -> None:
    file = scenes / "planar" / "three-point.toml"
    assert ss.accel(file).data == json.loads(program("accel", file, "--json").stdout)
    assert ss.accel(file.read_text()).data == ss.accel(file).data


def test_a_moment_of_a_run_is_a_planar_problem() -> None:
    scene = pushed_box()
    scene.force("box", force=[9, 0, 0])
    run = ss.run(scene)
    answer = ss.accel(run, at=0.5, body="box")
    a = answer.solutions[0]["acceleration"]
    assert abs(a[0]) == pytest.approx((9 - 0.3 * 2 * 9.81) / 2, abs=1e-6)


def test_modes_are_mapped() -> None:
    found = ss.modes(STATE, fine=6)
    shares = [r["fraction"] for r in found.data["regions"]]
    assert sum(shares) == pytest.approx(1.0, abs=1e-6)
    assert found.svg.startswith("<svg")
    assert "regions" in repr(found)
    window = ss.modes(STATE, x="fx", y="fy", x_range=(-1, 1), y_range=(-2, -0.1), fine=5)
    assert window.data != found.data


def test_a_field_turns_round_the_middle() -> None:
    assert "circle" in ss.plates()
    found = ss.field("circle", grid=5, steps=100, settle=3, average=1)
    assert found.vx.shape == (5, 5)
    assert found.vx[4, 4] < 0 < found.vy[4, 4]
    assert found.x0[0, 0] == -found.half
    assert (found.x0[0, 1] > found.x0[0, 0]) and (found.y0[1, 0] > found.y0[0, 0])
    assert found.svg.startswith("<svg")
    np.testing.assert_allclose(found.slide + found.stick + found.air, 1.0)
    assert "Field on 5 x 5" in repr(found)
    one = ss.field("circle", grid=5, steps=100, settle=3, average=1, threads=1)
    np.testing.assert_array_equal(one.vx, found.vx)


def test_a_sweep_runs_every_combination() -> None:
    scene = pushed_box()
    scene.force("box", force=[9, 0, 0])
    found = ss.sweep(
        scene,
        {"material.friction": [0.1, 0.3, 0.5], "step.h": [0.01, 0.02]},
        lambda run: float(run.trajectory["box"].velocity[-1, 0]),  # type: ignore[index]
    )
    assert len(found) == 6
    for p, v in zip(found.parameters, found.answers, strict=True):
        assert v == pytest.approx(max(0.0, (9 - p["material.friction"] * 2 * 9.81) / 2), abs=1e-9)
    assert list(found.columns()) == ["material.friction", "step.h", "answer"]
    assert "<table>" in found._repr_html_()
    refused = ss.sweep(scene, {"material.friction": [0.1, -1.0]}, lambda run: run.t)
    assert isinstance(refused.answers[1], ss.SceneError)
    assert "1 failed" in repr(refused)


def final_speed(run: ss.Run) -> float:
    assert run.trajectory is not None
    return float(run.trajectory["box"].velocity[-1, 0])


def test_a_sweep_over_processes_has_the_same_answers() -> None:
    distributed = pytest.importorskip("distributed")
    scene = pushed_box()
    scene.force("box", force=[9, 0, 0])
    parameters = {"material.friction": [0.1, 0.2, 0.3, 0.4]}
    with distributed.Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as client:
        there = ss.sweep(scene, parameters, final_speed, client=client)
    assert there.answers == ss.sweep(scene, parameters, final_speed).answers
