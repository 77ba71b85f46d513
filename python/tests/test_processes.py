# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Arrays that are on a device go into other processes and files like any others."""

import io
import multiprocessing
import os
import pickle
from multiprocessing.connection import Connection

import numpy as np
import pytest

import het

from conftest import Kernels

N = 200000


def on_device(kernels: Kernels) -> np.ndarray:
    x = np.zeros(N, np.int32)
    kernels.fill[N](x, np.int32(11))
    return x


def test_pickle(kernels: Kernels) -> None:
    x = on_device(kernels)
    for protocol in (2, 5):
        assert (pickle.loads(pickle.dumps(x[::3], protocol)) == 11).all()
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    assert (pickle.loads(data, buffers=buffers) == 11).all()


def test_save(kernels: Kernels) -> None:
    file = io.BytesIO()
    np.save(file, on_device(kernels))
    file.seek(0)
    assert (np.load(file) == 11).all()


def child(x: np.ndarray, kernels: Kernels, to: Connection) -> None:
    """It has copies of the arrays, may use and free them, and is told that the library is its parent's."""
    try:
        kernels.fill[N](x, np.int32(0))
        said = "a kernel ran in the child"
    except het.StateError as error:
        said = type(error).__name__
    x += 1
    to.send((said, int(x.min()), int(x.max())))
    del x


def test_fork(kernels: Kernels) -> None:
    if kernels.device.kind == "host":
        pytest.skip("the host device needs nothing of the library that a child could not have")
    x = on_device(kernels)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=child, args=(x, kernels, there))
    process.start()
    assert here.recv() == ("StateError", 12, 12)
    process.join()
    assert process.exitcode == 0
    assert (x == 11).all()
    kernels.fill[N](x, np.int32(3))
    assert (x == 3).all()


def total(x: np.ndarray) -> int:
    return int(x.sum())


def test_pool(kernels: Kernels) -> None:
    x = on_device(kernels)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(total, [x[i::4] for i in range(4)]) == [11 * N // 4] * 4


def test_write(kernels: Kernels) -> None:
    """The kernel of the system reads the bytes, if the trap here lets it."""
    x = on_device(kernels)
    reading, writing = os.pipe()
    try:
        os.write(writing, x.data[:1000])
    except OSError as error:
        pytest.skip(f"touches by system calls are not caught here: {error}")
    assert np.frombuffer(os.read(reading, 4000), np.int32).tolist() == [11] * 1000
    os.close(reading)
    os.close(writing)
