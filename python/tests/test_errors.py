# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Each fault of a program's gets one exception, which names kernel, argument and cause."""

import array
from typing import Any

import numpy as np
import pytest

import het

from conftest import Kernels


def floats(n: int = 100) -> np.ndarray:
    return np.ones(n, np.float32)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"x": np.ones(100)}, TypeError, r"argument 0 \(x, float\*\): .* float64, .* wants float32: .*astype"),
        ({"y": np.ones(100, np.int32)}, TypeError, r"argument 1 \(y, float\*\): .* int32, .* wants float32"),
        ({"x": np.ones(100, ">f4")}, TypeError, r"argument 0 \(x, float\*\): .* another machine's order"),
        ({"x": np.ones(100, np.complex64)}, TypeError, r"\(x, float\*\): .* complex64, .* wants float32"),
        ({"x": np.ones(100, "datetime64[s]")}, TypeError, r"\(x, float\*\): .* int64, .* wants float32"),
        ({"x": [1.0, 2.0]}, TypeError, r"\(x, float\*\): list is no array"),
        ({"a": 1e300}, OverflowError, r"argument 2 \(a, float\): float too large"),
        ({"a": "3"}, TypeError, r"argument 2 \(a, float\): must be real number, not str"),
        ({"a": floats()}, TypeError, r"argument 2 \(a, float\): only size-1 arrays"),
        ({"a": het.read(floats())}, TypeError, r"argument 2 \(a, float\): this is a value and no array"),
        ({"a": het.local(8)}, TypeError, r"argument 2 \(a, float\): this is no local memory"),
        ({"x": het.written(floats())}, ValueError, r"argument 0 \(x, float\*\): this is only read"),
        ({"y": b"0" * 400}, TypeError, r"\(y, float\*\): .* uint8, .* wants float32"),
    ],
)
def test_wrong_argument(described: Kernels, change: dict[str, Any], error: type[Exception], says: str) -> None:
    arguments = {"x": floats(), "y": floats(), "a": 1.0} | change
    with pytest.raises(error, match="kernel saxpy, .*" + says):
        described.saxpy[100](**arguments)


def test_read_only_array(described: Kernels) -> None:
    y = floats()
    y.flags.writeable = False
    with pytest.raises(ValueError, match=r"argument 1 \(y, float\*\): the array is read-only, .* may write it"):
        described.saxpy[100](floats(), y, 1.0)
    described.saxpy[100](y, floats(), 1.0)  # a const argument may have it
    with pytest.raises(ValueError, match="read-only"):
        described.saxpy[100](floats(), np.broadcast_to(np.float32(1), 100), 1.0)


def test_number_of_arguments(kernels: Kernels) -> None:
    k = kernels.saxpy
    with pytest.raises(TypeError, match=r"kernel saxpy takes 3 arguments \(.*\), and 4 were given"):
        k[1](floats(), floats(), np.float32(1), np.float32(1))
    with pytest.raises(TypeError, match=r"kernel saxpy takes 3 arguments \(.*\), and .* is missing"):
        k[1](floats(), floats())
    with pytest.raises(TypeError, match="kernel saxpy has no argument b"):
        k[1](floats(), floats(), b=1)


def test_names(described: Kernels) -> None:
    y = floats()
    with pytest.raises(TypeError, match="argument x is given twice"):
        described.saxpy[1](floats(), floats(), 1.0, x=floats())
    described.saxpy[100](a=2, y=het.updated(y), x=floats())
    assert (y == 3).all()


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 2**80])
def test_number_too_large(described: Kernels, number: int) -> None:
    with pytest.raises(OverflowError, match=rf"kernel fill, argument 1 \(value, int\): {number} does not fit into int32"):
        described.fill[1](np.zeros(1, np.int32), number)


def test_fraction_for_a_whole_number(described: Kernels) -> None:
    with pytest.raises(TypeError, match=r"argument 1 \(value, int\): .*float.*integer"):
        described.fill[1](np.zeros(1, np.int32), 1.5)


@pytest.mark.parametrize("key", [-1, (1, 2, 3), ((1, 2), 3), ((1, 2, 3, 4), None), "many", ((), None), 1.5])
def test_sizes(kernels: Kernels, key: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        kernels.fill[key](np.zeros(1, np.int32), np.int32(1))


def test_no_work_items(kernels: Kernels) -> None:
    with pytest.raises(het.ArgumentError, match="dimension 0 has 0 work-items") as raised:
        kernels.fill[0](np.zeros(1, np.int32), np.int32(1))
    assert raised.value.code == -103 and isinstance(raised.value, ValueError)


@pytest.mark.parametrize("option", ["queue", "device", "after"])
def test_options(kernels: Kernels, option: str) -> None:
    with pytest.raises(TypeError, match=f"{option}= takes"):
        kernels.fill[1](np.zeros(1, np.int32), np.int32(1), **{option: 3})


def test_no_such_kernel(kernels: Kernels) -> None:
    with pytest.raises(AttributeError, match="no kernel nothing"):
        kernels.program.nothing
    with pytest.raises(het.NoKernel, match="no kernel nothing"):
        kernels.program["nothing"]


def test_undescribed_number(kernels: Kernels) -> None:
    if kernels.is_described:
        pytest.skip("these kernels are described")
    with pytest.raises(TypeError, match="kernel fill, argument 1: .* a number must say its type"):
        kernels.fill[1](np.zeros(1, np.int32), 3)


def test_released_view(kernels: Kernels) -> None:
    view = memoryview(bytearray(400)).cast("i")
    view.release()
    with pytest.raises(ValueError, match="released"):
        kernels.fill[100](view, np.int32(1))


def test_memory_that_is_gone(kernels: Kernels) -> None:
    """An object may lie about its memory."""
    if kernels.device.kind == "host":
        pytest.skip("a kernel on the host would get the address itself")

    class Liar:
        __array_interface__ = {"shape": (100,), "typestr": "<i4", "data": (1 << 12, False), "version": 3}

    with pytest.raises(het.MemoryUnusable):
        kernels.fill[100](Liar(), np.int32(1))


def test_resize_under_way(kernels: Kernels) -> None:
    """What a launch uses can't be freed under it."""
    memory = array.array("i", range(1000))
    gate = het.user_event()
    event = kernels.fill[1000].start(memory, np.int32(1), after=gate)
    with pytest.raises(BufferError):
        memory.append(1)
    assert not event.done
    gate.set()
    event.wait()
    memory.append(1)
    assert memory.tolist() == [1] * 1001


def test_failed_command(kernels: Kernels) -> None:
    """A command that waits for a failed one fails, and says so; its arrays are as they were."""
    x = np.zeros(1000, np.int32)
    gate = het.user_event()
    event = kernels.fill[1000].start(x, np.int32(1), after=[gate])
    gate.set(-107)
    with pytest.raises(het.WaitError):
        event.wait()
    assert event.done and (x == 0).all()
    with pytest.raises(het.StateError, match="het_user_event_set"):
        gate.set()


def test_build_error(kernels: Kernels) -> None:
    if kernels.device.kind != "opencl":
        pytest.skip("the device has no compiler")
    program = het.Program("kernel void broken(global int *p) { p[0] = nothing; }")
    with pytest.raises(het.BuildError) as raised:
        program.broken
    assert "nothing" in program.log(kernels.device) + str(raised.value)
