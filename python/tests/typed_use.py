# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""mypy reads this and runs nothing of it. What is wrong is marked, and mypy says so if one of these is right."""

import numpy as np

import het


async def use() -> int:
    program = het.Program("kernel void k(global float *p, float a) { p[0] = a; }", options="-DN=1")
    k: het.Kernel = program.k
    x = np.zeros(10, np.float32)
    event: het.Event = k[10](x, 3.0)
    event = await k[(10, 2), (5, 1)].start(het.written(x), a=3.0, split=True, after=[event], offset=(0, 0))
    with het.Queue(het.devices()[:1], in_order=True, priority=-1) as queue:
        queue.announce(20_000)
        k[10, None](x, 1, queue=queue, device=het.devices()[0], priority=3)
    names: list[str] = [a.name for a in k.arguments]
    nanoseconds: int = event.times.ended - event.times.started
    pattern: het.Use = het.read(x).each(1, 3, offset=-1)

    memory: het.Memory = het.Memory(het.devices()[0], 100).at(4)
    texture = het.Texture(memory.device, (4, 6), "uint8", channels=4, layers=False)
    sampler = het.Sampler(memory.device, outside="edge", linear=True)
    event = texture.copy_from(x, origin=(0, 1), wait=False)
    k[10](memory, sampler, texture, memory.copy_to(x).done)
    size: int = memory.nbytes + texture.shape[0]

    memory.at("4")  # type: ignore[arg-type]
    het.Texture(memory.device, 3)  # type: ignore[arg-type]
    het.Sampler(memory.device, True)  # type: ignore[misc]
    texture.copy_to(x, (0, 0))  # type: ignore[misc]
    k[10](x, queue="mine")  # type: ignore[arg-type]
    k["many"](x)  # type: ignore[index]
    k(x)  # type: ignore[operator]
    event.times = 3  # type: ignore[misc,assignment]
    het.Program(3)  # type: ignore[arg-type]
    het.local("8")  # type: ignore[arg-type]
    program.build("GPU")  # type: ignore[arg-type]
    text: str = event.done  # type: ignore[assignment]
    return size + nanoseconds + len(names) + len(text) + (pattern is None)
