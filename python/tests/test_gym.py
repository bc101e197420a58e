"""Environments: Gymnasium's own checker, random actions, policies that solve the tasks."""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

import stickslip as ss  # noqa: E402
import stickslip.gym as gym  # noqa: E402

#: Random resets, and actions in all: STICKSLIP_GYM_ACTIONS=100000 for the whole.
ACTIONS = int(os.environ.get("STICKSLIP_GYM_ACTIONS", "4000"))
RESETS = 1000


@pytest.mark.parametrize("name", ["PushBox", "Gripper"])
def test_the_checker_of_gymnasium_passes(name: str) -> None:
    env = gymnasium.make(f"stickslip/{name}-v0").unwrapped
    env.spec = gymnasium.spec(f"stickslip/{name}-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize("make", [gym.PushBox, gym.Gripper])
def test_random_resets_and_actions(make: type[gym.Env]) -> None:
    env = make(hold=2)  # type: ignore[call-arg]
    env.action_space.seed(1)
    env.reset(seed=1)
    each = max(1, ACTIONS // RESETS)
    refused = 0
    for _ in range(RESETS):
        seen, _ = env.reset()
        assert env.observation_space.contains(seen)
        for _ in range(each):
            seen, reward, terminated, truncated, info = env.step(env.action_space.sample())
            assert env.observation_space.contains(seen)
            assert np.isfinite(reward)
            refused += "refused" in info
            assert info["certified"] or "refused" in info
            if terminated or truncated:
                break
    # Steps that the judge refuses are told in `info` and end the episode; they are rare, and nothing else may happen.
    assert refused * 500 <= ACTIONS


@pytest.mark.parametrize("make", [gym.PushBox, gym.Gripper])
def test_a_seed_gives_the_same_episode(make: type[gym.Env]) -> None:
    def episode() -> list[bytes]:
        env = make()
        seen, _ = env.reset(seed=5)
        rng = np.random.default_rng(3)
        path = [seen.tobytes()]
        for _ in range(20):
            path.append(env.step(rng.uniform(-1, 1, 2))[0].tobytes())
        return path

    assert episode() == episode()


def test_the_gripper_lifts_with_enough_force_only() -> None:
    # m g/(2 μ) = 1.96 N for each finger.
    for grip, lifts in ((0.15, True), (0.08, False)):
        env = gym.Gripper()
        env.reset(seed=2)
        done = False
        for k in range(150):
            lift = 0.0 if k < 30 else 0.5
            _, _, done, _, info = env.step(np.array([lift, grip]))
            assert info["certified"]
            if done:
                break
        assert done is lifts, grip


def test_a_box_is_pushed_to_the_goal() -> None:
    """From straight behind, at angle zero: the ball pushes the box to the origin."""
    env = gym.PushBox()
    env.reset(seed=0)
    state = env.world.state
    box, ball = env.world.index("box"), env.world.index("ball")
    state[box] = [-0.2, 0, 0.05, 1, 0, 0, 0, *np.zeros(6)]
    state[ball, :2] = [-0.34, 0]
    env.world.set_state(state, t=0.0, step=0)
    env.world.set_motion("ball")
    for _ in range(60):
        _, reward, terminated, _, _ = env.step(np.array([0.5, 0.0]))
        if terminated:
            break
    assert terminated
    assert reward == 10.0


def test_what_is_no_action_is_refused() -> None:
    env = gym.PushBox()
    env.reset(seed=0)
    for action, says in (
        (np.array([np.nan, 0.0]), "finite"),
        (np.array([2.0, 0.0]), "outside"),
        (np.zeros(3), "shape"),
    ):
        before = env.world.hash
        with pytest.raises(ss.InputError, match=says):
            env.step(action)
        assert env.world.hash == before
    with pytest.raises(ss.InputError, match="render_mode"):
        gym.PushBox(render_mode="human")


def test_episodes_are_shown() -> None:
    env = gym.Gripper(render_mode="html")
    env.reset(seed=0)
    for _ in range(5):
        env.step(np.array([0.0, 1.0]))
    page = env.render()
    assert page.lstrip().startswith("<!")
    assert len(env.world.trajectory) == 51
    picture = gym.PushBox(render_mode="rgb_array")
    picture.reset(seed=0)
    assert picture.render().shape == (360, 480, 3)
    assert picture.render().dtype == np.uint8
    assert gym.PushBox().render() is None


def test_environments_are_stepped_side_by_side() -> None:
    envs = gymnasium.make_vec("stickslip/PushBox-v0", num_envs=2, vectorization_mode="sync")
    seen, _ = envs.reset(seed=3)
    assert seen.shape == (2, 9)
    seen, rewards, terminated, truncated, info = envs.step(np.zeros((2, 2)))
    assert rewards.shape == (2,)
    assert info["certified"].all()
    envs.close()


def test_an_episode_ends_at_its_horizon() -> None:
    env = gym.PushBox(horizon=3)
    env.reset(seed=0)
    ends = [env.step(np.zeros(2))[3] for _ in range(3)]
    assert ends == [False, False, True]
    env.close()
    with pytest.raises(ss.ClosedError):
        env.step(np.zeros(2))
