"""Environments for Gymnasium (``pip install stickslip[gym]``): control in the loop, with the certificate in ``info``.

:class:`Env` makes one of any scene; :class:`PushBox` and :class:`Gripper` are ready:

>>> import gymnasium, stickslip.gym
>>> env = gymnasium.make("stickslip/PushBox-v0", render_mode="rgb_array")
"""

from __future__ import annotations

from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from . import shapes
from .errors import InputError, StepError
from .scene import Scene
from .world import World

Array: TypeAlias = NDArray[np.float64]

__all__ = ["Env", "Gripper", "PushBox"]


class Env(gymnasium.Env[Array, Array]):
    """A scene, actions that last for some steps, and what is seen and wanted.

    A subclass says how an episode starts (:meth:`start`), what an action does (:meth:`act`), what is seen (:meth:`observe`) and what
    it is worth (:meth:`reward`). ``info`` of every step has ``certified`` (did the law hold in each step of this action?),
    ``residual`` (the largest, m/s), ``certificate`` (of the last step) and ``t`` (s). An action that is not in the action space is
    refused with an :class:`InputError`; where a step of the world is refused, the episode is truncated and ``info["refused"]``
    says why.
    """

    metadata: dict[str, Any] = {"render_modes": ["html", "rgb_array"], "render_fps": 25}

    def __init__(
        self,
        scene: Scene,
        action_space: spaces.Box,
        observation_space: spaces.Box,
        *,
        hold: int = 1,
        horizon: int = 200,
        render_mode: str | None = None,
        camera: dict[str, Any] | None = None,
    ) -> None:
        """hold: steps of the world for each action. horizon: actions of an episode. camera: options of :meth:`Trajectory.rgb`."""
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise InputError(f'render_mode "{render_mode}": expected "html" or "rgb_array"')
        if hold < 1 or horizon < 1:
            raise InputError("hold and horizon are at least 1")
        self.world = World(scene)
        # Their numbers are float64, which the types of Gymnasium do not tell.
        self.action_space: spaces.Box = action_space  # type: ignore[assignment]
        self.observation_space: spaces.Box = observation_space  # type: ignore[assignment]
        self.render_mode = render_mode
        self.hold = hold
        self.horizon = horizon
        self.camera = {"size": (480, 360), **(camera or {})}
        self._start = self.world.snapshot()
        self._done = 0

    # What a subclass says.

    def start(self, rng: np.random.Generator) -> None:
        """Puts the world, which is as the scene has it, into the start of an episode."""

    def act(self, action: Array) -> None:
        """Sets forces, motors and motions; called before the steps of each action."""
        raise NotImplementedError

    def observe(self) -> Array:
        """What is seen."""
        raise NotImplementedError

    def reward(self) -> tuple[float, bool]:
        """What the state is worth, and whether the task is done."""
        raise NotImplementedError

    def seen(self, *numbers: float) -> Array:
        """Numbers as an observation, within the bounds of its space."""
        space = self.observation_space
        return np.clip(np.array(numbers, dtype=np.float64), space.low, space.high).astype(np.float64, copy=False)

    # What Gymnasium asks for.

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins an episode."""
        super().reset(seed=seed)
        self.world.resume(self._start)
        self.start(self.np_random)
        self._done = 0
        if self.render_mode == "html":
            self.world.record()
        return self.observe(), {"t": self.world.t}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Does the steps of an action: observation, reward, terminated, truncated, info."""
        self.act(self._checked(action))
        info: dict[str, Any] = {"certified": True, "residual": 0.0}
        refused = False
        for _ in range(self.hold):
            try:
                certificate = self.world.step()
            except StepError as error:
                refused, info["refused"] = True, str(error)
                break
            info["certificate"] = certificate
            info["certified"] &= certificate.holds
            info["residual"] = max(info["residual"], certificate.residual)
        self._done += 1
        info["t"] = self.world.t
        reward, terminated = self.reward()
        return self.observe(), reward, terminated, refused or self._done >= self.horizon, info

    def _checked(self, action: Array) -> Array:
        given = np.asarray(action, dtype=np.float64)
        space = self.action_space
        if given.shape != space.shape:
            raise InputError(f"an action has shape {space.shape}, not {given.shape}")
        if not np.isfinite(given).all():
            raise InputError("an action has finite numbers")
        if (given < space.low).any() or (given > space.high).any():
            raise InputError(f"action {given} is outside of {space}")
        return given

    def render(self) -> Any:
        """A page of the episode so far ("html"), or a picture of this moment ("rgb_array")."""
        if self.render_mode == "html":
            return self.world.trajectory.html()
        if self.render_mode == "rgb_array":
            return self.world.trajectory.rgb(**self.camera)
        return None

    def close(self) -> None:
        """Frees the world."""
        self.world.close()


def _turn(angle: float) -> list[float]:
    """The quaternion (s, x, y, z) of a turn about z."""
    return [np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)]


class PushBox(Env):
    """Push a box on a table to a pose: a ball moves beside it with the velocity that the action says.

    Action: velocity of the ball along x and y, in parts of 0.3 m/s. Observation: place of the box (m), cosine and sine of
    its angle, its velocity (m/s) and spin (rad/s), place of the ball (m). The goal is the origin, at angle zero; it is reached within
    2 cm and 0.2 rad. The reward of a state is -(distance in m) - 0.1 |angle in rad|, and 10 at the goal.
    """

    SPEED = 0.3
    ROOM = 0.6
    EDGE = 0.2
    RADIUS = 0.03

    def __init__(self, *, render_mode: str | None = None, horizon: int = 200, hold: int = 10) -> None:
        scene = Scene(h=0.005, until=60.0, title="Push a box to a pose", friction=0.4)
        scene.body("table", shapes.half_space(), motion="fixed")
        scene.body("box", shapes.box([self.EDGE, self.EDGE, 0.1]), mass=0.5, position=[0, 0, 0.05])
        scene.body("ball", shapes.ball(self.RADIUS), motion="fixed", position=[0.3, 0, 0.05])
        scene.contact("ball", "box", friction=0.2)
        limit = np.array([2.0, 2.0, 1.0, 1.0, 5.0, 5.0, 50.0, 1.0, 1.0])
        super().__init__(
            scene,
            spaces.Box(-1.0, 1.0, (2,), np.float64),
            spaces.Box(-limit, limit, dtype=np.float64),
            hold=hold,
            horizon=horizon,
            render_mode=render_mode,
            camera={"elevation": 50.0},
        )

    def start(self, rng: np.random.Generator) -> None:
        """The box anywhere within 0.25 m and at any angle, the ball beside it."""
        state = self.world.state
        box, ball = self.world.index("box"), self.world.index("ball")
        place, angle, side = rng.uniform(-0.25, 0.25, 2), rng.uniform(-np.pi, np.pi), rng.uniform(-np.pi, np.pi)
        state[box, :2] = place
        state[box, 3:7] = _turn(angle)
        # Half the diagonal of the box, and the ball.
        away = self.EDGE / np.sqrt(2) + self.RADIUS + 0.01
        state[ball, :2] = place + away * np.array([np.cos(side), np.sin(side)])
        self.world.set_state(state, t=0.0, step=0)
        self.world.set_motion("ball")

    def act(self, action: Array) -> None:
        """The ball moves on; not out of its room."""
        velocity = self.SPEED * action
        place = self.world["ball"].position[:2]
        out = (np.abs(place) >= self.ROOM) & (np.sign(place) == np.sign(velocity))
        vx, vy = np.where(out, 0.0, velocity)
        self.world.set_motion("ball", [vx, vy, 0.0])

    def _angle(self) -> float:
        s, _, _, z = self.world["box"].orientation_sxyz
        return float(np.arctan2(2.0 * s * z, 1.0 - 2.0 * z * z))

    def observe(self) -> Array:
        """Box and ball."""
        box, ball, angle = self.world["box"], self.world["ball"], self._angle()
        return self.seen(
            *box.position[:2], np.cos(angle), np.sin(angle), *box.velocity[:2], box.angular_velocity[2], *ball.position[:2]
        )

    def reward(self) -> tuple[float, bool]:
        """How far it is from the goal."""
        distance, angle = float(np.hypot(*self.world["box"].position[:2])), abs(self._angle())
        if distance < 0.02 and angle < 0.2:
            return 10.0, True
        return -distance - 0.1 * angle, False


class Gripper(Env):
    """Grip a block between two fingers and lift it.

    Action: velocity of the hand upwards, in parts of 0.2 m/s, and how hard the fingers close: -1 opens them, 1 presses with 20 N.
    Observation: height of the hand, of the block, its place along the fingers (m), its velocity upwards (m/s), coordinates of
    the two fingers (m), normal force of each finger on the block (N). The block has 0.2 kg and friction 0.5, so that lifting needs
    m g/(2 μ) = 1.96 N. The task is done when the block is 0.15 m above the table; the reward is its height in m, and 10 then.
    """

    SPEED = 0.2
    FORCE = 20.0

    def __init__(self, *, render_mode: str | None = None, horizon: int = 200, hold: int = 10) -> None:
        scene = Scene(h=0.005, until=60.0, title="A gripper lifts a block", friction=0.5)
        scene.body("table", shapes.half_space(), motion="fixed")
        scene.body("block", shapes.box([0.06, 0.06, 0.06]), mass=0.2, position=[0, 0, 0.03])
        scene.body("hand", shapes.box([0.24, 0.06, 0.02]), motion="fixed", position=[0, 0, 0.13])
        for name, side in (("left", -1.0), ("right", 1.0)):
            scene.body(name, shapes.box([0.02, 0.04, 0.08]), mass=0.05, position=[0.07 * side, 0, 0.06], groups=["hand"])
            motor = {"velocity": 0.0, "force": 1.0}
            anchor = [0.07 * side, 0, 0.1]
            axis = [-side, 0, 0]
            scene.joint(
                "slider", ["hand", name], name=f"{name} finger", anchor=anchor, axis=axis, limits=[-0.02, 0.06], motor=motor
            )
        limit = np.array([0.5, 1.0, 0.5, 5.0, 0.1, 0.1, 1e3, 1e3])
        super().__init__(
            scene,
            spaces.Box(-1.0, 1.0, (2,), np.float64),
            spaces.Box(-limit, limit, dtype=np.float64),
            hold=hold,
            horizon=horizon,
            render_mode=render_mode,
        )
        self._height = float(self.world["hand"].position[2])

    def start(self, rng: np.random.Generator) -> None:
        """The block up to 1 cm off the middle, turned by up to 0.1 rad."""
        state = self.world.state
        block = self.world.index("block")
        state[block, :2] = rng.uniform(-0.01, 0.01, 2)
        state[block, 3:7] = _turn(rng.uniform(-0.1, 0.1))
        self.world.set_state(state, t=0.0, step=0)
        self.world.set_motion("hand")

    def act(self, action: Array) -> None:
        """The hand moves on between the table and 0.3 m above it; both fingers close or open."""
        lift, grip = self.SPEED * action[0], action[1]
        height = self.world["hand"].position[2] - self._height
        if (height <= 0.0 and lift < 0.0) or (height >= 0.3 and lift > 0.0):
            lift = 0.0
        self.world.set_motion("hand", [0.0, 0.0, lift])
        for finger in ("left finger", "right finger"):
            self.world.set_motor(finger, 0.1 if grip > 0.0 else -0.1, force=max(1.0, self.FORCE * grip))

    def observe(self) -> Array:
        """Hand, block and fingers."""
        world = self.world
        block, joints, contacts = world["block"], world.joints, world.contacts
        along = joints.coordinates[:2, 0] if len(joints) else np.zeros(2)
        press = [self._press(contacts, finger) for finger in ("left", "right")]
        height = world["hand"].position[2] - self._height
        return self.seen(height, block.position[2], block.position[0], block.velocity[2], *along, *press)

    @staticmethod
    def _press(contacts: Any, finger: str) -> float:
        pairs = contacts.bodies
        force = contacts.normal_force
        return float(sum(f for pair, f in zip(pairs, force, strict=True) if set(pair) == {"block", finger}))

    def reward(self) -> tuple[float, bool]:
        """How high the block is over the table."""
        height = float(self.world["block"].position[2]) - 0.03
        return (10.0, True) if height >= 0.15 else (height, False)


gymnasium.register(id="stickslip/PushBox-v0", entry_point="stickslip.gym:PushBox")
gymnasium.register(id="stickslip/Gripper-v0", entry_point="stickslip.gym:Gripper")
