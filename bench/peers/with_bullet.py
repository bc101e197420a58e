"""Bullet, by PyBullet, on a scene of `cargo xtask peers` (stepped.py says how it is called).

One setting, `default`: 50 iterations, rigid bodies in maximal coordinates, without the damping that is on by default. The engine multiplies the friction
and the restitution of two bodies, so each gets the root. It takes the inertia of a hull from its bounding box.
"""

import math

import pybullet as bullet
from stepped import Lacks, main


def shape(body):
    kind, dims = body["kind"], body["dims"]
    create = bullet.createCollisionShape
    if kind == "ball":
        return create(bullet.GEOM_SPHERE, radius=dims[0])
    if kind == "box":
        return create(bullet.GEOM_BOX, halfExtents=[x / 2 for x in dims])
    if kind == "capsule":
        return create(bullet.GEOM_CAPSULE, radius=dims[0], height=dims[1])
    if kind == "cylinder":
        return create(bullet.GEOM_CYLINDER, radius=dims[0], height=dims[1])
    if kind == "hull":
        return create(bullet.GEOM_MESH, vertices=dims)
    if kind == "half-space":
        return create(bullet.GEOM_PLANE, planeNormal=dims[:3])
    if kind == "mesh":
        vertices, corners = dims["vertices"], [i for t in dims["triangles"] for i in t]
    elif kind == "height-field":
        heights, (dx, dy) = dims["heights"], dims["spacing"]
        rows, columns = len(heights), len(heights[0])
        vertices = [
            [(i - (columns - 1) / 2) * dx, (j - (rows - 1) / 2) * dy, heights[j][i]]
            for j in range(rows)
            for i in range(columns)
        ]
        first = [j * columns + i for j in range(rows - 1) for i in range(columns - 1)]
        corners = [c for a in first for c in (a, a + 1, a + columns, a + 1, a + columns + 1, a + columns)]
    else:
        raise Lacks(f"a {kind}")
    return create(bullet.GEOM_MESH, vertices=vertices, indices=corners, flags=bullet.GEOM_FORCE_CONCAVE_TRIMESH)


def build(_, scene):
    if any(b.get("moves") for b in scene["bodies"]):
        raise Lacks("a prescribed motion")
    bullet.connect(bullet.DIRECT)
    bullet.setTimeStep(scene["h"])
    bullet.setGravity(*scene["gravity"])
    bullet.setPhysicsEngineParameter(deterministicOverlappingPairs=1)
    friction, restitution = math.sqrt(scene["mu"]), math.sqrt(scene["restitution"])
    free = []
    for body in scene["bodies"]:
        w, x, y, z = body["quat"]
        place = body["pos"]
        if body["kind"] == "half-space":
            place = [x * body["dims"][3] for x in body["dims"][:3]]
        number = bullet.createMultiBody(
            body["mass"] or 0,
            shape(body),
            basePosition=place,
            baseOrientation=[x, y, z, w],
            useMaximalCoordinates=True,
        )
        bullet.changeDynamics(
            number,
            -1,
            lateralFriction=friction,
            restitution=restitution,
            rollingFriction=0,
            spinningFriction=0,
            linearDamping=0,
            angularDamping=0,
        )
        if body["mass"] is not None:
            bullet.resetBaseVelocity(number, body["vel"], body["ang"])
            free.append(number)

    def states():
        for number in free:
            place, (x, y, z, w) = bullet.getBasePositionAndOrientation(number)
            speed, spin = bullet.getBaseVelocity(number)
            yield [*place, w, x, y, z, *speed, *spin]

    return bullet.stepSimulation, states, lambda: len(bullet.getContactPoints() or ())


main(build)
