"""Asks Pinocchio (URDF) and MuJoCo (MJCF) what robots weigh: mass matrix, centre of mass, kinetic energy, gravity forces and frames.

Usage: python with_robots.py FOLDER OUT.json [POSES] [SEED]

FOLDER holds the models of the references (`robots` of the shared folder). Needs `pip install pin mujoco`. For each model POSES random
configurations within the joints' limits; the test `robots` of stickslip-verify reads the file (STICKSLIP_ROBOTS names it) and compares
with bodies and joints as stickslip makes them.

A degree of freedom is ["joint", name], or ["free", body, k]: k = 0, 1, 2 shifts, 3, 4, 5 turns of a body that moves freely, the
shifts along the axes of the body (URDF) or of the world (MJCF), the turns about those of the body.
"""

import json
import os
import re
import sys

import mujoco
import numpy as np
import pinocchio as pin

URDF = [
    "quadruped/quadruped.urdf",
    "solo12/solo12.urdf",
    "unitree_a1/a1.urdf",
    "allegro_hand/allegro_right_hand.urdf",
    "panda/panda_collision.urdf",
    "simple_humanoid/simple_humanoid.urdf",
    "simple_humanoid/simple_humanoid_classical.urdf",
    "minitaur/quadruped.urdf",
    "minitaur/minitaur_fixed_all.urdf",
]
MJCF = ["car", "newton_cradle", "bowl", "slider_crank", "humanoid"]
GRAVITY = np.array([0.0, 0.0, -9.81])


def of_urdf(path, poses, rng):
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())
    model.gravity.linear = GRAVITY
    data = model.createData()
    base = next(f.name for f in model.frames if f.type == pin.FrameType.BODY)
    dofs = [["free", base, k] for k in range(6)]
    names = list(model.names)[2:]
    for k, name in enumerate(names):
        assert model.joints[k + 2].nv == 1, name
        dofs.append(["joint", name])
    found = []
    for _ in range(poses):
        q, values = pin.neutral(model), {}
        for k, name in enumerate(names):
            joint = model.joints[k + 2]
            if joint.nq == 2:
                angle = rng.uniform(-3, 3)
                q[joint.idx_q : joint.idx_q + 2] = [np.cos(angle), np.sin(angle)]
            else:
                lo, hi = model.lowerPositionLimit[joint.idx_q], model.upperPositionLimit[joint.idx_q]
                lo, hi = (max(lo, -3), min(hi, 3)) if lo < hi else (-3, 3)
                angle = rng.uniform(lo, hi)
                q[joint.idx_q] = angle
            values[name] = angle
        v = rng.normal(size=model.nv)
        pin.crba(model, data, q)
        mass = np.triu(data.M) + np.triu(data.M, 1).T
        gravity = -pin.computeGeneralizedGravity(model, data, q)
        com = pin.centerOfMass(model, data, q)
        kinetic = pin.computeKineticEnergy(model, data, q, v)
        pin.framesForwardKinematics(model, data, q)
        frames = {}
        for k, frame in enumerate(model.frames):
            if frame.type == pin.FrameType.BODY:
                at = pin.SE3ToXYZQUAT(data.oMf[k])
                frames[frame.name] = [*at[:3], at[6], *at[3:6]]
        found.append(entry(values, v, mass, com, kinetic, gravity, frames))
    return {"dofs": dofs, "poses": found}


def of_mjcf(model, poses, rng):
    data = mujoco.MjData(model)
    model.opt.gravity[:] = GRAVITY
    dofs, scalars = [], []
    for k in range(model.njnt):
        joint = model.joint(k)
        body = model.body(model.jnt_bodyid[k]).name or f"body {model.jnt_bodyid[k]}"
        kind = mujoco.mjtJoint(int(model.jnt_type[k]))
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            dofs += [["free", body, i] for i in range(6)]
        else:
            assert kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE)
            name = joint.name or f"{body} joint"
            dofs.append(["joint", name])
            scalars.append((k, name))
    found = []
    for _ in range(poses):
        mujoco.mj_resetData(model, data)
        values = {}
        for k, name in scalars:
            lo, hi = model.jnt_range[k] if model.jnt_limited[k] else (-3, 3)
            values[name] = rng.uniform(lo, hi)
            data.qpos[model.jnt_qposadr[k]] = values[name]
        v = rng.normal(size=model.nv)
        mujoco.mj_forward(model, data)
        gravity = -data.qfrc_bias.copy()
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        com = data.subtree_com[0].copy()
        frames = {}
        for k in range(1, model.nbody):
            name = model.body(k).name or f"body {k}"
            frames[name] = [*data.xpos[k], *data.xquat[k]]
        found.append(entry(values, v, mass, com, 0.5 * v @ mass @ v, gravity, frames))
    return {"dofs": dofs, "poses": found}


def with_ankles(path):
    """MuJoCo's humanoid with a link between the two axes of each ankle, which do not meet: a thousandth of the foot's mass turns with the first axis
    alone, as it does here."""
    model = mujoco.MjModel.from_xml_path(path)
    text = open(path).read()
    for side in ("right", "left"):
        foot = model.body(f"foot_{side}")

        def inertial(part, foot=foot):
            words = lambda numbers: " ".join(repr(float(x)) for x in numbers)  # noqa: E731
            where = f'pos="{words(foot.ipos)}" quat="{words(foot.iquat)}"'
            return f'<inertial {where} mass="{float(foot.mass[0]) * part!r}" diaginertia="{words(foot.inertia * part)}"/>'

        found = re.compile(rf'<body name="foot_{side}" (pos="[^"]*")>\s*(<joint name="ankle_y_{side}"[^>]*/>)(.*?)</body>', re.S)
        assert found.search(text)
        text = found.sub(
            lambda m, side=side, inertial=inertial: f'<body name="foot_{side} between" {m[1]}>{m[2]}{inertial(0.001)}'
            f'<body name="foot_{side}">{inertial(0.999)}{m[3]}</body></body>',
            text,
        )
    return mujoco.MjModel.from_xml_string(text)


def entry(q, v, mass, com, kinetic, gravity, frames):
    return {
        "q": q,
        "v": list(map(float, v)),
        "mass": [float(x) for x in mass[np.triu_indices(len(mass))]],
        "com": list(map(float, com)),
        "kinetic": float(kinetic),
        "gravity": list(map(float, gravity)),
        "frames": {name: list(map(float, at)) for name, at in frames.items()},
    }


def main():
    folder, out = sys.argv[1:3]
    poses = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = np.random.default_rng(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    models = {}
    for file in URDF:
        models[file] = of_urdf(os.path.join(folder, file), poses, rng)
    for name in MJCF:
        file = f"mujoco_models/{name}.xml"
        # Many bodies that move by themselves: a few poses tell it all.
        few = min(poses, 2) if name in ("newton_cradle", "bowl") else poses
        path = os.path.join(folder, file)
        models[file] = of_mjcf(mujoco.MjModel.from_xml_path(path), few, rng)
        if name == "humanoid":
            models[file + "#ankles"] = of_mjcf(with_ankles(path), poses, rng)
    made = {"pinocchio": pin.__version__, "mujoco": mujoco.__version__}
    with open(out, "w") as file:
        json.dump({"made_by": made, "models": models}, file)


if __name__ == "__main__":
    main()
