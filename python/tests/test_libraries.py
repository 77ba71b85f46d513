# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What others do with arrays works on those that are on a device."""

from pathlib import Path

import numpy as np
import pytest

import het

from conftest import Kernels

N = 256


def matrix(kernels: Kernels) -> np.ndarray:
    """2 * identity + 1, half of which a kernel has made; it is on the device."""
    a = np.eye(N, dtype=np.float32)
    kernels.saxpy[N * N](np.full(N * N, 0.5, np.float32), a, np.float32(2))
    kernels.saxpy[N](np.ones(N, np.float32), np.zeros(N, np.float32), np.float32(1))
    a += np.eye(N, dtype=np.float32)
    kernels.saxpy[N * N](np.zeros(N * N, np.float32), a, np.float32(1))
    return a


def test_numpy(kernels: Kernels) -> None:
    a = matrix(kernels)
    expected = 2 * np.eye(N) + 1
    np.testing.assert_allclose(a, expected)
    kernels.saxpy[N * N](a, a.copy(), np.float32(0))
    np.testing.assert_allclose(a @ a, expected @ expected, rtol=1e-4)
    np.testing.assert_allclose(np.linalg.inv(a) @ a, np.eye(N), atol=1e-3)
    np.testing.assert_allclose(np.fft.fft(a[0]).real[0], N + 2)
    assert np.sort(a, axis=None)[-1] == 3 and int(np.argmax(a[7])) == 7


def test_scipy(kernels: Kernels) -> None:
    scipy = pytest.importorskip("scipy.linalg", reason="python3-scipy is not installed")
    sparse = pytest.importorskip("scipy.sparse", reason="python3-scipy is not installed")
    a = matrix(kernels)
    x = np.zeros(N, np.float32)
    kernels.saxpy[N](np.ones(N, np.float32), x, np.float32(N + 2))
    np.testing.assert_allclose(scipy.solve(a, x), np.ones(N), rtol=1e-3)
    kernels.saxpy[N](np.ones(N, np.float32), x, np.float32(0))
    np.testing.assert_allclose(sparse.identity(N, np.float32) @ x, np.full(N, N + 2))


def test_threads_of_blas(kernels: Kernels) -> None:
    """Several threads touch what is on the device at once."""
    a = matrix(kernels)
    big = np.tile(a, (2, 2))
    kernels.saxpy[4 * N * N](np.zeros(4 * N * N, np.float32), big, np.float32(1))
    expected = (2 * np.tile(np.eye(N), (2, 2)) + 1).astype(np.float32)
    np.testing.assert_allclose(big @ big, expected @ expected, rtol=1e-3)


def test_h5py(kernels: Kernels, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="python3-h5py is not installed")
    a = matrix(kernels)
    try:
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["a"] = a
    except OSError as error:
        pytest.skip(f"touches by system calls are not caught here: {error}")
    kernels.saxpy[N * N](np.ones(N * N, np.float32), a, np.float32(1))
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_allclose(file["a"][:], 2 * np.eye(N) + 1)
        file["a"].read_direct(a)
    np.testing.assert_allclose(a, 2 * np.eye(N) + 1)
    y = np.zeros((N, N), np.float32)
    kernels.saxpy[N * N](a, y, np.float32(1))
    np.testing.assert_array_equal(a, y)


def test_pyopencl(kernels: Kernels) -> None:
    """Both use OpenCL in one process; pyopencl copies from and to arrays that are on a device."""
    cl = pytest.importorskip("pyopencl", reason="python3-pyopencl is not installed")
    if kernels.device.kind != "opencl":
        pytest.skip("the device is none of OpenCL's")
    a = matrix(kernels)
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE, a.nbytes)
    cl.enqueue_copy(queue, buffer, a)
    kernels.saxpy[N * N](np.ones(N * N, np.float32), a, np.float32(1))
    cl.enqueue_copy(queue, a, buffer)
    np.testing.assert_allclose(a, 2 * np.eye(N) + 1)
    kernels.saxpy[N * N](np.ones(N * N, np.float32), a, np.float32(1))
    np.testing.assert_allclose(a, 2 * np.eye(N) + 2)


def test_numba(kernels: Kernels) -> None:
    """What cfunc compiles is a kernel for the host's devices."""
    numba = pytest.importorskip("numba", reason="python3-numba is not installed")
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("functions are for the host's devices")
    from numba import types

    @numba.cfunc(types.void(types.voidptr, types.CPointer(types.voidptr)))
    def square(group, args):  # type: ignore[no-untyped-def]
        sizes = numba.carray(group, 22, np.uint64)  # struct het_group, as numbers of 64 bits
        first, count = sizes[16], sizes[19]
        x = numba.carray(args[0], first + count, np.float32)
        for i in range(first, first + count):
            x[i] *= x[i]

    x = np.arange(10000, dtype=np.float32)
    het.Program(functions={"square": (square, 1)}).square[10000, 100](x)
    np.testing.assert_array_equal(x, np.arange(10000, dtype=np.float32) ** 2)


def test_cell_magic(kernels: Kernels) -> None:
    testing = pytest.importorskip("IPython.testing.globalipapp", reason="python3-ipython is not installed")
    if kernels.device.kind != "opencl":
        pytest.skip("the device compiles no OpenCL C")
    shell = testing.start_ipython() or testing.get_ipython()
    shell.run_line_magic("load_ext", "het")
    shell.run_cell_magic("het", "-DN=3", "kernel void scale(global float *p) { p[get_global_id(0)] *= N; }")
    x = np.ones(100, np.float32)
    shell.user_ns["scale"][100](x)
    assert (x == 3).all() and shell.user_ns["_het"].names() == ["scale"]
    with pytest.raises(het.BuildError):
        shell.run_cell_magic("het", "", "kernel void broken(global float *p) { nothing; }")
