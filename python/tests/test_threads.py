"""Threads and signals: no lock is held while steps run, one thread has a world at a time, Ctrl-C ends a run between steps."""

from __future__ import annotations

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from conftest import pushed_box

import stickslip as ss


def test_a_second_thread_is_told_that_the_world_is_busy(scenes: Path) -> None:
    world = ss.World(scenes / "box_stack.toml")
    runner = threading.Thread(target=lambda: world.run(1e6, limit=3.0, record=False))
    runner.start()
    told = 0
    # The world may be asked before the run begins, and after it has ended.
    while runner.is_alive() and told <= 20:
        for ask in (world.step, lambda: world.state, lambda: world.set_force("box[0]", [0, 0, 0])):
            try:
                ask()
            except ss.BusyError as error:
                assert "another thread" in str(error)
                told += 1
        time.sleep(0.001)
    if told:
        with pytest.raises(ss.BusyError):
            world.close()
    runner.join()
    assert told > 20


def test_other_threads_run_while_a_step_does(scenes: Path) -> None:
    counts = [0]
    done = threading.Event()

    def count() -> None:
        while not done.is_set():
            counts[0] += 1
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    with ss.World(scenes / "box_stack.toml") as world:
        world.run(1e6, limit=0.5, record=False)
    done.set()
    counter.join()
    # A thread that had to wait for the lock would have counted once or twice.
    assert counts[0] > 20


@pytest.mark.skipif(not hasattr(signal, "raise_signal") or os.name == "nt", reason="POSIX signals")
def test_ctrl_c_ends_a_run_with_what_was_computed() -> None:
    world = ss.World(pushed_box())
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    begun = time.monotonic()
    with pytest.raises(ss.Interrupted) as caught:
        # Where the signal is ignored, as in a job that a shell put into the background, this ends before the memory does.
        world.run(1e6, limit=15.0)
    assert time.monotonic() - begun < 10.0
    result = caught.value.result
    assert result is not None
    assert result.interrupted
    assert result.steps == world.steps > 0
    assert result.trajectory is not None
    assert len(result.trajectory) == result.steps + 1
    assert isinstance(caught.value, KeyboardInterrupt)
    assert "`result`" in str(caught.value)
    assert world.step().holds


def test_ctrl_c_ends_the_program(scenes: Path) -> None:
    command = [sys.executable, "-m", "stickslip", "run", str(scenes / "box_stack.toml"), "--until", "1e6", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 130


def test_worlds_in_several_threads_do_not_disturb_each_other(scenes: Path) -> None:
    alone = ss.run(scenes / "box_stack.toml", until=2.0).hash
    found: list[str] = []
    threads = [
        threading.Thread(target=lambda: found.append(ss.run(scenes / "box_stack.toml", until=2.0).hash)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 4
