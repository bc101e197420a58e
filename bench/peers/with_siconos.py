"""Siconos on an LCP or a frictional contact problem (Debian: python3-siconos).

Reads one JSON object from standard input, {"kind": "lcp" | "contact", "n", "rows", "cols", "vals", "q", "mu",
"tolerance", "limit"}, and prints one: {"values", "seconds", "iterations", "solver"}. Contact problems are given to each of the
solvers below, each in a process of its own with a limit of time; the fastest that reaches the tolerance in Siconos'
own measure is the answer, else the one that came nearest. Exit code 4 where Siconos is not installed,
3 where no solver ended.
"""

import json
import multiprocessing
import os
import sys
import time

def refuse(why, code=3):
    print(why, file=sys.stderr)
    sys.exit(code)


try:
    import numpy as np
    import siconos.numerics as sn
except ImportError:
    refuse("Siconos is not installed (on Debian: apt install python3-siconos)", 4)


def matrix_of(problem):
    n = len(problem["q"])
    dense = np.zeros((n, n))
    np.add.at(dense, (problem["rows"], problem["cols"]), problem["vals"])
    return dense


def lemke(problem):
    lcp = sn.LCP(matrix_of(problem), np.array(problem["q"]))
    options = sn.SolverOptions(sn.SICONOS_LCP_LEMKE)
    options.dparam[sn.SICONOS_DPARAM_TOL] = problem["tolerance"]
    n = len(problem["q"])
    z, w = np.zeros(n), np.zeros(n)
    start = time.perf_counter()
    sn.linearComplementarity_driver(lcp, z, w, options)
    seconds = time.perf_counter() - start
    return z, seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), 0.0


CONTACT = {
    "NSGS": (sn.SICONOS_FRICTION_3D_NSGS, sn.fc3d_nsgs, 100000),
    "NSN-AC": (sn.SICONOS_FRICTION_3D_NSN_AC, sn.fc3d_nonsmooth_Newton_AlartCurnier, 1000),
    "ADMM": (sn.SICONOS_FRICTION_3D_ADMM, sn.fc3d_admm, 100000),
}


def contact(problem, name):
    kind, solve, most = CONTACT[name]
    q, mu = np.array(problem["q"]), np.array(problem["mu"])
    posed = sn.FrictionContactProblem(3, len(mu), matrix_of(problem), q, mu)
    options = sn.SolverOptions(kind)
    options.dparam[sn.SICONOS_DPARAM_TOL] = problem["tolerance"]
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most
    r, u = np.zeros_like(q), np.zeros_like(q)
    start = time.perf_counter()
    solve(posed, r, u, options)
    seconds = time.perf_counter() - start
    u = matrix_of(problem) @ r + q
    return r, seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), error_of(r, u, q, mu)


def error_of(r, u, q, mu):
    """Natural map over max(|q|, |r|, |u|)."""
    r, u = r.reshape(-1, 3), u.reshape(-1, 3)
    slip = np.linalg.norm(u[:, 1:], axis=1)
    x = r - u
    x[:, 0] -= mu * slip
    n, t = x[:, 0], x[:, 1:]
    size = np.linalg.norm(t, axis=1)
    inside, polar = size <= mu * n, mu * size <= -n
    s = (mu * size + n) / (1 + mu**2)
    direction = np.where(size[:, None] > 0, t / np.maximum(size, 1e-300)[:, None], 0)
    edge = np.column_stack([s, (mu * s)[:, None] * direction])
    projected = np.where(inside[:, None], x, np.where(polar[:, None], 0, edge))
    scale = max(np.linalg.norm(q), np.linalg.norm(r), np.linalg.norm(u), 1e-16)
    return np.linalg.norm(r - projected) / scale


def child(pipe, problem, name):
    # Siconos talks on standard output, which is ours.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    pipe.send(lemke(problem) if name == "Lemke" else contact(problem, name))


def attempt(problem, name):
    """The answer of one solver, or None where it did not end in time or broke down."""
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.Process(target=child, args=(theirs, problem, name))
    worker.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(problem["limit"]) else None
    except EOFError:
        answer = None
    worker.terminate()
    worker.join()
    return answer and (name, *answer)


problem = json.load(sys.stdin)
names = ["Lemke"] if problem["kind"] == "lcp" else list(CONTACT)
answers = [a for a in (attempt(problem, name) for name in names) if a]
if not answers:
    refuse("no solver of Siconos ended within %g s" % problem["limit"])
solved = [a for a in answers if a[4] <= problem["tolerance"]]
name, values, seconds, iterations, _ = (
    min(solved, key=lambda a: a[2]) if solved else min(answers, key=lambda a: a[4])
)
print(
    json.dumps(
        {"values": values.tolist(), "seconds": seconds, "iterations": iterations, "solver": "Siconos " + name}
    )
)
