"""MuJoCo on a scene of `cargo xtask peers` (stepped.py says how it is called).

Settings: `default`, the engine's own; `tuned`, elliptic cones, Newton to 1e-10, impratio 100 and contacts as stiff as do not chatter
(solref 4 h; 2 h does).
"""

import mujoco
import numpy as np
from stepped import Lacks, main


def text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def geometry(number, body):
    """The attributes of a body's geom, its asset, and the heights of a field."""
    kind, dims, asset, heights = body["kind"], body["dims"], "", None
    if kind == "ball":
        return f'type="sphere" size="{text(dims)}"', asset, heights
    if kind == "box":
        return f'type="box" size="{text(x / 2 for x in dims)}"', asset, heights
    if kind in ("capsule", "cylinder"):
        return f'type="{kind}" size="{text([dims[0], dims[1] / 2])}"', asset, heights
    if kind == "half-space":
        return 'type="plane" size="0 0 1"', asset, heights
    if kind == "hull":
        vertices = " ".join(text(p) for p in dims)
        return f'type="mesh" mesh="m{number}"', f'<mesh name="m{number}" vertex="{vertices}"/>', heights
    if kind == "height-field":
        field = np.array(dims["heights"])
        low, high = float(field.min()), float(field.max())
        (rows, columns), (dx, dy) = field.shape, dims["spacing"]
        size = text([(columns - 1) * dx / 2, (rows - 1) * dy / 2, high - low, 1])
        asset = f'<hfield name="m{number}" nrow="{rows}" ncol="{columns}" size="{size}"/>'
        return f'type="hfield" hfield="m{number}" pos="0 0 {low!r}"', asset, (field - low) / (high - low)
    raise Lacks(f"a {kind} that is not convex")


def build(setting, scene):
    if any(b.get("moves") for b in scene["bodies"]):
        raise Lacks("a prescribed motion")
    if scene["restitution"] > 0:
        raise Lacks("a coefficient of restitution")
    option = contact = ""
    if setting == "tuned":
        option = 'integrator="implicitfast" cone="elliptic" solver="Newton" iterations="100" tolerance="1e-10" impratio="100"'
        contact = f'solref="{4 * scene["h"]!r} 1" solimp="0.99 0.99 0.001 0.5 2"'
    assets, world, fields = [], [], []
    for number, body in enumerate(scene["bodies"]):
        shape, asset, heights = geometry(number, body)
        assets.append(asset)
        if heights is not None:
            fields.append(heights)
        geom = f'<geom {shape} friction="{scene["mu"]!r} 0 0" condim="3" {contact}'
        place = f'pos="{text(body["pos"])}" quat="{text(body["quat"])}"'
        if body["mass"] is not None:
            world.append(f'<body {place}><freejoint/>{geom} mass="{body["mass"]!r}"/></body>')
        elif body["kind"] == "half-space":
            normal = np.array(body["dims"][:3])
            world.append(f'{geom} pos="{text(normal * body["dims"][3])}" zaxis="{text(normal)}"/>')
        elif body["kind"] == "height-field":
            world.append(f"{geom}/>")
        else:
            world.append(f"{geom} {place}/>")
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><size memory="1G"/><option timestep="{scene["h"]!r}" gravity="{text(scene["gravity"])}" {option}/>'
        f"<asset>{''.join(assets)}</asset><worldbody>{''.join(world)}</worldbody></mujoco>"
    )
    if fields:
        model.hfield_data[:] = np.concatenate([f.ravel() for f in fields])
    data = mujoco.MjData(model)
    free = [b for b in scene["bodies"] if b["mass"] is not None]

    def turned(vector, quaternion):
        result = np.zeros(3)
        mujoco.mju_rotVecQuat(result, np.array(vector, float), np.array(quaternion, float))
        return result

    # The engine's angular velocities are along the axes of the body.
    for k, body in enumerate(free):
        data.qvel[6 * k : 6 * k + 3] = body["vel"]
        back = np.array(body["quat"]) * [1, -1, -1, -1]
        data.qvel[6 * k + 3 : 6 * k + 6] = turned(body["ang"], back)
    mujoco.mj_forward(model, data)

    def states():
        places, speeds = data.qpos.reshape(-1, 7), data.qvel.reshape(-1, 6)
        return [[*q, *v[:3], *turned(v[3:], q[3:])] for q, v in zip(places, speeds)]

    return lambda: mujoco.mj_step(model, data), states, lambda: int(data.ncon)


main(build)
