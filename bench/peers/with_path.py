"""PATH on a linear complementarity problem, through gamspy (pip install gamspy).

Reads one JSON object from standard input, {"kind": "lcp", "n", "rows", "cols", "vals", "q", "tolerance"}, and prints
one: {"values", "seconds", "iterations", "solver"}. Exit code 4 where PATH is not installed, 3 where it cannot take the
problem, with a sentence on standard error. The demonstration licence ends at n = 1000.
"""

import json
import sys


def refuse(why, code=3):
    print(why, file=sys.stderr)
    sys.exit(code)


try:
    import gamspy as gp
    import numpy as np
except ImportError:
    refuse("PATH is not installed (pip install gamspy)", 4)

problem = json.load(sys.stdin)
if problem["kind"] != "lcp":
    refuse("PATH takes LCPs only")
n, q = problem["n"], np.array(problem["q"])
dense = np.zeros((n, n))
np.add.at(dense, (problem["rows"], problem["cols"]), problem["vals"])

container = gp.Container()
i = gp.Set(container, "i", records=range(n))
j = gp.Alias(container, "j", i)
matrix = gp.Parameter(container, "M", domain=[i, j], records=dense)
vector = gp.Parameter(container, "q", domain=[i], records=q)
z = gp.Variable(container, "z", type="positive", domain=[i])
w = gp.Equation(container, "w", domain=[i])
w[i] = gp.Sum(j, matrix[i, j] * z[j]) + vector[i] >= gp.Number(0)
model = gp.Model(container, "lcp", problem="MCP", matches={w: z})
options = {"convergence_tolerance": problem["tolerance"]}
try:
    model.solve(solver="path", solver_options=options)
except Exception as error:  # a licence, most of all
    refuse("PATH: " + str(error).strip().splitlines()[-1])
print(
    json.dumps(
        {
            "values": z.toDense().tolist(),
            # Of the solver alone: what GAMS needs to write the model is left out.
            "seconds": model.solve_model_time,
            "iterations": int(model.num_iterations),
            "solver": "PATH",
        }
    )
)
