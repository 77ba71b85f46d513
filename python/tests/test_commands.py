# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Queues, events, devices: what stands between a call and its end."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import het

from conftest import Kernels


def zeros(n: int = 10000) -> np.ndarray:
    return np.zeros(n, np.int32)


def test_devices() -> None:
    devices = het.devices()
    assert devices and devices == het.devices() and len({*devices, *het.devices()}) == len(devices)
    for d in devices:
        assert d.name and d.kind in ("host", "apart", "opencl", "cuda") and d.units >= 1
        assert d.name in repr(d) and d.memory_use()["total"] >= 0


def test_a_named_device(kernels: Kernels) -> None:
    x = zeros()
    event = kernels.fill[len(x)](x, np.int32(2), device=kernels.device)
    assert [p.device for p in event.parts] == [kernels.device]
    assert (x == 2).all()


def test_times(kernels: Kernels) -> None:
    before = time.monotonic_ns()
    times = kernels.fill[100](zeros(), np.int32(2)).times
    assert before <= times.queued <= times.submitted <= times.started <= times.ended <= time.monotonic_ns()


def test_commands_on_the_same_bytes_keep_their_order(kernels: Kernels) -> None:
    x = zeros()
    events = [kernels.add_strided[len(x)].start(x, np.int32(1), np.int32(1)) for _ in range(20)]
    kernels.fill[1].start(x[5000:], np.int32(-1)).wait()
    events[-1].wait()
    assert all(e.done for e in events)
    assert x[5000] == -1 and (np.delete(x, 5000) == 20).all()


def test_a_queue_waits_at_its_end(kernels: Kernels) -> None:
    x = zeros()
    with het.Queue([kernels.device], in_order=True) as queue:
        for _ in range(5):
            kernels.add_strided[len(x)].start(x, np.int32(1), np.int32(3), queue=queue)
    assert (x == 15).all()
    queue = het.Queue(touch_after_wait=True)
    kernels.add_strided[len(x)].start(x, np.int32(1), np.int32(3), queue=queue)
    queue.finish()
    assert (x == 18).all()


def test_the_most_urgent_is_first(kernels: Kernels) -> None:
    """While the device is busy, launches come in the order of what is unimportant to what is urgent."""
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("a kernel that waits for the test is a function")
    begun, goes_on = threading.Event(), threading.Event()

    @het.host.function
    def blocks(group: het.host.Group, args: Any) -> None:
        begun.set()
        goes_on.wait(30)

    device = kernels.device
    kernels.fill[100](zeros(), np.int32(1), device=device)  # is prepared now
    low, high = het.Queue([device], priority=-8), het.Queue([device])
    high.set_priority(2)
    ways: list[dict[str, Any]] = [{"queue": low}, {"priority": -3}, {"queue": high}, {"queue": low, "priority": 7}]
    # Who waits gets more urgent, by a level in 10 ms: on a busy machine that may level them out, so it is tried again.
    for _ in range(50):
        begun.clear()
        goes_on.clear()
        busy = [het.Program(functions={"blocks": (blocks, 0)}).blocks[1].start(device=device)]
        assert begun.wait(30)
        first = time.monotonic()
        events = [kernels.fill[100].start(zeros(), np.int32(1), device=device, **way) for way in ways]
        goes_on.set()
        # Who waits for a launch on the host may run it himself, at once: so the most urgent one comes first here, too.
        for e in busy + events[::-1]:
            e.wait()
        if time.monotonic() - first < 0.04:
            break
    else:
        pytest.skip("the machine was too busy to launch four kernels and see their ends in 40 ms")
    began = [e.times.started for e in events]
    assert began == sorted(began, reverse=True)


def test_priorities(kernels: Kernels) -> None:
    x = zeros()
    with het.Queue([kernels.device], priority=7) as urgent:
        kernels.fill[len(x)].start(x, np.int32(2), queue=urgent)
        urgent.announce(20_000)
        kernels.fill[10].start(x, np.int32(3), priority=-8, queue=urgent)
    assert (x[:10] == 3).all() and (x[10:] == 2).all()
    for wrong in (8, -9, 1 << 40):
        with pytest.raises(het.ArgumentError, match="priority"):
            kernels.fill[10](x, np.int32(2), priority=wrong)
    with pytest.raises(het.ArgumentError, match="priority"):
        het.Queue(priority=8)
    with pytest.raises(het.ArgumentError, match="priority"):
        urgent.set_priority(-9)
    for wrong in (-1, 1 << 64, "soon"):
        with pytest.raises(TypeError):
            urgent.announce(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kernels.fill[10](x, np.int32(2), priority="high")
    assert (x[:10] == 3).all()


def test_a_device_tells_of_its_memory(kernels: Kernels) -> None:
    device = kernels.device
    before, x = device.memory_use(), zeros()
    kernels.fill[len(x)](x, np.int32(2), device=device)
    now = device.memory_use()
    if device.kind == "host":
        assert not any(n for name, n in now.items() if name != "total")
        with pytest.raises(het.NoDevice):
            device.set_budget(1 << 20)
        return
    assert now["arrays"] >= before["arrays"] + x.nbytes and now["given"] >= before["given"] + x.nbytes
    assert {"raw", "textures", "copies", "slices", "windows", "sent", "brought", "kept", "reused"} <= set(now)
    assert {"in_place", "accesses_in_place"} <= set(now) and now["dirty"] <= now["arrays"] and now["away"] <= now["kept"]
    device.set_budget(1)
    try:
        small = device.memory_use()
        assert small["budget"] == 1 and small["arrays"] == 0 and small["evictions"] > now["evictions"]
    finally:
        device.set_budget(0)
    assert device.memory_use()["budget"] > x.nbytes and (x == 2).all()


def test_nobody_keeps_the_event(kernels: Kernels) -> None:
    """An array lives until its kernel has finished, and no longer."""
    gate = het.user_event()
    x = zeros(100000)
    alive = weakref.ref(x)
    kernels.fill[len(x)].start(x, np.int32(5), after=gate)
    del x
    gc.collect()
    assert alive() is not None
    gate.set()
    for _ in range(500):
        if alive() is None:
            break
        time.sleep(0.01)
    assert alive() is None


def test_forget_under_way(kernels: Kernels) -> None:
    """A launch would put the array on a device again, and nobody would take it away."""
    gate, x = het.user_event(), zeros()
    event = kernels.fill[len(x) - 5].start(x[5:], np.int32(5), after=gate)
    with pytest.raises(BufferError, match="wait for it first"):
        het.forget(x)
    gate.set()
    event.wait()
    assert het.forget(x) and x[4] == 0 and (x[5:] == 5).all()


def test_a_fork_while_one_awaits(kernels: Kernels) -> None:
    """The child has copies of all descriptors, and lives longer than the command."""
    gate, x = het.user_event(), zeros()
    children: list[int] = []

    async def wait() -> None:
        task = asyncio.ensure_future(kernels.fill[len(x)].start(x, np.int32(1), after=gate))
        await asyncio.sleep(0.01)
        child = os.fork()
        if not child:
            time.sleep(60)
            os._exit(0)
        children.append(child)
        gate.set()
        await asyncio.wait_for(task, 30)

    try:
        asyncio.run(wait())
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    assert (x == 1).all()


AT_EXIT = """
import threading, time
import numpy as np
import het, het.host

gate = het.user_event()

@het.host.function
def slow(group, args):
    time.sleep(0.2)
    print("the kernel has ended", flush=True)

k = het.Program(functions={"slow": (slow, 0)}).slow
del slow
waiting = k[1].start(after=gate)
threading.Thread(target=waiting.wait, daemon=True).start()
k[1].start()
time.sleep(0.05)
"""


def test_the_end_of_python(kernels: Kernels) -> None:
    """A kernel that is Python's may end, and a thread that waits for ever does not hold up the process or abort it."""
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("functions are for the host's devices")
    ended = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (0, "the kernel has ended\n"), ended.stderr


def test_arrays_go_when_the_command_has_ended(kernels: Kernels) -> None:
    for _ in range(20):
        kernels.fill[1000].start(zeros(1000), np.int32(5))
    for _ in range(500):
        gc.collect()
        if het._het._count_of_kept() == 0:
            break
        time.sleep(0.01)
    assert het._het._count_of_kept() == 0


def test_await(kernels: Kernels) -> None:
    gate = het.user_event()
    seen: list[str] = []

    async def compute(x: np.ndarray) -> int:
        await kernels.fill[len(x)].start(x, np.int32(7), after=gate)
        seen.append("computed")
        return int(x[-1])

    async def open_gate() -> None:
        await asyncio.sleep(0.05)
        seen.append("opened")
        gate.set()

    async def both() -> list[Any]:
        return await asyncio.gather(*(compute(zeros()) for _ in range(50)), open_gate())

    assert asyncio.run(both()) == [7] * 50 + [None]
    assert seen == ["opened"] + ["computed"] * 50


def test_await_again_and_failure(kernels: Kernels) -> None:
    gate, x = het.user_event(), zeros()
    event = kernels.fill[1].start(x, np.int32(1), after=gate)

    async def both() -> tuple[het.Event, Any]:
        task = asyncio.ensure_future(event)
        await asyncio.sleep(0)
        gate.set(-1)
        return (await asyncio.gather(task, return_exceptions=True))[0]

    assert isinstance(asyncio.run(both()), het.WaitError)
    done = kernels.fill[1](x, np.int32(1))

    async def again() -> None:
        assert await done is done and await done is done

    asyncio.run(again())


def test_a_cancelled_task_lets_the_command_go_on(kernels: Kernels) -> None:
    gate, x = het.user_event(), zeros()
    event = kernels.fill[len(x)].start(x, np.int32(1), after=gate)

    async def impatient() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(event, 0.05)

    asyncio.run(impatient())
    gate.set()
    event.wait()
    assert (x == 1).all()


def test_wait_for(kernels: Kernels) -> None:
    gate, x = het.user_event(), zeros()
    event = kernels.fill[1].start(x, np.int32(1), after=gate)
    assert not event.wait_for(0.02) and not event.done
    gate.set()
    assert event.wait_for(30) and x[0] == 1


def test_others_run_while_one_waits(kernels: Kernels) -> None:
    """The interpreter's lock is not held: the thread that opens the gate would never get it."""
    gate, x = het.user_event(), zeros()
    event = kernels.fill[1].start(x, np.int32(1), after=gate)
    opener = threading.Timer(0.05, gate.set)
    opener.start()
    event.wait()
    opener.join()
    assert x[0] == 1


def test_many_threads(kernels: Kernels) -> None:
    """Each has arrays of its own, and all have one."""
    shared = zeros(4096)
    failures: list[str] = []

    def work(number: int) -> None:
        for round in range(15):
            own = np.full(3000 + number, round, np.int32)
            kernels.add_strided[len(own)](own, np.int32(1), np.int32(number))
            kernels.add_strided[len(shared)].start(shared, np.int32(1), np.int32(1)).wait()
            if not (own == round + number).all():
                failures.append(f"thread {number}, round {round}")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures and (shared == 60).all()


def test_split(kernels: Kernels) -> None:
    """Whoever does what, the results are those of one device."""
    n = 64 * 1000
    x, y = np.arange(n, dtype=np.int32), zeros(n)
    for _ in range(3):
        event = kernels.add_ints[n, 64](het.read(x).each(1), het.updated(y).each(1), np.int32(2), split=True)
    np.testing.assert_array_equal(y, 6 * x)
    assert sum(p.items for p in event.parts) == n
    assert len(event.parts) >= 1


def test_a_launch_tells_how_it_used_memory(kernels: Kernels) -> None:
    device, n = kernels.device, 64 * 1000
    x, y = np.arange(n, dtype=np.int32), zeros(n)

    def add() -> het.MemoryUse:
        event = kernels.add_ints[n, 64](het.read(x).each(1), het.updated(y).each(1), np.int32(2), device=device)
        use: het.MemoryUse = event.memory
        return use

    use = add()
    assert (use.way, use.memory_class, use.slices) == ("whole", "unknown", 0)
    if device.kind == "host":
        return
    device.set_budget(x.nbytes)
    try:
        use = add()
    finally:
        device.set_budget(0)
    assert use.way in ("slices", "in place")
    if use.way == "slices":
        assert (use.memory_class, use.declared, use.analysed, use.whole) == ("regular", 2, 0, 0)
        assert use.slices > 1 and use.sent == 2 * x.nbytes and use.brought == y.nbytes and use.level == 0
    np.testing.assert_array_equal(y, 4 * x)


def test_offset(kernels: Kernels) -> None:
    if kernels.device.kind == "host" or not kernels.is_described:
        pytest.skip("functions of these tests count from the array's first element")
    x = zeros(100)
    kernels.fill[10](x, 3, offset=50)
    assert x.sum() == 30 and (x[50:60] == 3).all()
    with pytest.raises(TypeError, match="offset= has other dimensions"):
        kernels.fill[10](x, 3, offset=(1, 2))
