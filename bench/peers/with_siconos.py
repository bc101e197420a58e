"""Siconos on an LCP or a frictional contact problem (Debian: python3-siconos).

Reads one JSON object from standard input, {"kind": "lcp" | "contact", "n", "rows", "cols", "vals", "q", "mu",
"tolerance", "limit", "budget"}, and prints one: {"values", "seconds", "iterations", "solver"}. A contact problem is given to
each of the solvers below in each storage of W, each in a process of its own. Its time is the best of as many
calls as fit into `budget` seconds (five at least, unless that takes ten times as long), impulses set to zero before each; building the problem does not count. The
fastest that reaches the tolerance in Siconos' own measure is the answer, else the one that came nearest. A solver
gets a second, and no more than a few times what the fastest has taken: it could not win; where none is done,
all get `limit` seconds. Exit code 4 where Siconos is not installed, 3 where no solver ended.
"""

import json
import multiprocessing
import os
import sys
import tempfile
import time


def refuse(why, code=3):
    print(why, file=sys.stderr)
    sys.exit(code)


try:
    import numpy as np
    import siconos.numerics as sn
except ImportError:
    refuse("Siconos is not installed (on Debian: apt install python3-siconos)", 4)

# A solver's first answer must come within START + SLACK times the best first answer so far, s.
START, SLACK = 0.3, 4.0
# Most contacts for which W is tried dense.
DENSE = 300


def best_of(budget, call):
    """Seconds of the fastest call, and of the first."""
    first = best = spent = call()
    calls = 1
    while spent < budget or (calls < 5 and spent < 10 * budget):
        seconds = call()
        spent, calls = spent + seconds, calls + 1
        best = min(best, seconds)
    return best, first


def dense_of(problem):
    n = len(problem["q"])
    dense = np.zeros((n, n))
    np.add.at(dense, (problem["rows"], problem["cols"]), problem["vals"])
    return dense


def lemke(problem):
    lcp = sn.LCP(dense_of(problem), np.array(problem["q"]))
    options = sn.SolverOptions(sn.SICONOS_LCP_LEMKE)
    options.dparam[sn.SICONOS_DPARAM_TOL] = problem["tolerance"]
    n = len(problem["q"])
    z, w = np.zeros(n), np.zeros(n)

    def call():
        z[:], w[:] = 0, 0
        start = time.perf_counter()
        sn.linearComplementarity_driver(lcp, z, w, options)
        return time.perf_counter() - start

    seconds, first = best_of(problem["budget"], call)
    return z, seconds, int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE]), 0.0, first


def local_solver(kind):
    return lambda options: sn.solver_options_update_internal(options, 0, kind)


def parameter(index, value):
    def put(options):
        options.iparam[index] = value

    return put


NSGS = sn.SICONOS_FRICTION_3D_NSGS
NSN = sn.SICONOS_FRICTION_3D_NSN_AC
EVALUATION = sn.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION
FULL = sn.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
HYBRID = sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY

# Name: (Siconos' number, most iterations, changes to its options).
CONTACT = {
    "NSGS, full error": (NSGS, 100000, [parameter(EVALUATION, FULL)]),
    "NSGS": (NSGS, 100000, []),
    "NSGS, local iteration": (
        NSGS,
        100000,
        [local_solver(sn.SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration)],
    ),
    "NSGS, quartic": (NSGS, 100000, [local_solver(sn.SICONOS_FRICTION_3D_ONECONTACT_QUARTIC)]),
    "NSN-AC": (NSN, 1000, []),
    "NSN-AC, hybrid": (
        NSN,
        1000,
        [parameter(HYBRID, sn.SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN)],
    ),
    "NSN-NM": (sn.SICONOS_FRICTION_3D_NSN_NM, 1000, []),
    "PROX": (sn.SICONOS_FRICTION_3D_PROX, 1000, []),
    "ADMM": (sn.SICONOS_FRICTION_3D_ADMM, 100000, []),
    "VI-EG": (sn.SICONOS_FRICTION_3D_VI_EG, 100000, []),
    "VI-FPP": (sn.SICONOS_FRICTION_3D_VI_FPP, 100000, []),
}


def in_blocks(problem):
    """W as Siconos' sparse block matrix; the only way in from Python is its text format."""
    n, blocks = problem["n"], {}
    for i, j, value in zip(problem["rows"], problem["cols"], problem["vals"]):
        block = blocks.setdefault((i // 3, j // 3), np.zeros((3, 3)))
        block[i % 3, j % 3] += value
    places = sorted(blocks)
    starts = np.zeros(n + 1, dtype=int)
    for i, _ in places:
        starts[i + 1] += 1
    ends = " ".join(str(3 * k + 3) for k in range(n))
    numbers = lambda values: " ".join(repr(float(v)) for v in values)
    lines = ["3", str(n), "1 %d %d" % (3 * n, 3 * n), "%d %d %d" % (len(places), n, n), ends, ends]
    lines += ["%d %d" % (n + 1, len(places)), " ".join(map(str, np.cumsum(starts)))]
    lines.append(" ".join(str(j) for _, j in places))
    for k, place in enumerate(places):
        lines += [str(k), numbers(blocks[place].flatten(order="F"))]
    lines += [numbers(problem["q"]), numbers(problem["mu"]), ""]
    with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
        file.write("\n".join(lines))
        file.flush()
        return sn.frictionContact_new_from_filename(file.name)


def in_triplets(problem):
    n = len(problem["q"])
    matrix = sn.NM_create(sn.NM_SPARSE, n, n)
    sn.NM_triplet_alloc(matrix, len(problem["vals"]))
    for i, j, value in zip(problem["rows"], problem["cols"], problem["vals"]):
        sn.NM_entry(matrix, i, j, value)
    return given(problem, matrix)


def in_full(problem):
    return given(problem, dense_of(problem))


def given(problem, matrix):
    q, mu = np.array(problem["q"]), np.array(problem["mu"])
    posed = sn.FrictionContactProblem(3, problem["n"], matrix, q, mu)
    # Siconos keeps no reference of its own to these.
    posed.kept = (matrix, q, mu)
    return posed


STORAGES = {"dense": in_full, "blocks": in_blocks, "sparse": in_triplets}


def contact(problem, name):
    solver, storage = name
    kind, most, changes = CONTACT[solver]
    posed = STORAGES[storage](problem)
    options = sn.SolverOptions(kind)
    options.dparam[sn.SICONOS_DPARAM_TOL] = problem["tolerance"]
    options.iparam[sn.SICONOS_IPARAM_MAX_ITER] = most
    for change in changes:
        change(options)
    q = np.array(problem["q"])
    r, u = np.zeros_like(q), np.zeros_like(q)

    def call():
        r[:], u[:] = 0, 0
        start = time.perf_counter()
        sn.fc3d_driver(posed, r, u, options)
        return time.perf_counter() - start

    seconds, first = best_of(problem["budget"], call)
    iterations = int(options.iparam[sn.SICONOS_IPARAM_ITER_DONE])
    return r, seconds, iterations, error_of(problem, r), first


def error_of(problem, r):
    """Natural map over max(|q|, |r|, |u|)."""
    q, mu = np.array(problem["q"]), np.array(problem["mu"])
    u = q.copy()
    np.add.at(u, problem["rows"], np.array(problem["vals"]) * r[np.array(problem["cols"])])
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


def attempt(problem, name, limit):
    """The answer of one solver, or None where it did not end in time or broke down."""
    ours, theirs = multiprocessing.Pipe()
    worker = multiprocessing.Process(target=child, args=(theirs, problem, name))
    worker.start()
    theirs.close()
    try:
        answer = ours.recv() if ours.poll(limit + 10 * problem["budget"]) else None
    except EOFError:
        answer = None
    worker.terminate()
    worker.join()
    return answer and (name, *answer)


def attempts(problem):
    if problem["kind"] == "lcp":
        return [attempt(problem, "Lemke", problem["limit"])]
    answers, storages = [], [s for s in STORAGES if s != "dense" or problem["n"] <= DENSE]
    for limit in (min(1.0, problem["limit"]), problem["limit"]):
        for name in [(solver, storage) for storage in storages for solver in CONTACT]:
            answer = attempt(problem, name, limit)
            if answer and answer[4] <= problem["tolerance"]:
                limit = min(limit, START + SLACK * answer[5])
            answers.append(answer)
        if any(a and a[4] <= problem["tolerance"] for a in answers):
            break
    return answers


problem = json.load(sys.stdin)
answers = [a for a in attempts(problem) if a]
if not answers:
    refuse("no solver of Siconos ended within %g s" % problem["limit"])
solved = [a for a in answers if a[4] <= problem["tolerance"]]
name, values, seconds, iterations, _, _ = (
    min(solved, key=lambda a: a[2]) if solved else min(answers, key=lambda a: a[4])
)
name = name if isinstance(name, str) else "%s (%s)" % name
print(
    json.dumps(
        {"values": values.tolist(), "seconds": seconds, "iterations": iterations, "solver": "Siconos " + name}
    )
)
