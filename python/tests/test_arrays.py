# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Arrays of all shapes are used on devices as they are; numpy on a copy says what must come out."""

import array
import ctypes
import gc
import os
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import het

from conftest import Kernels

# Devices and kernels are the same for all examples.
many = settings(
    max_examples=500 if os.environ.get("HET_TEST_FULL") else 12,
    deadline=None,
    derandomize="HET_TEST_FULL" not in os.environ,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
sizes = st.integers(1, 20000)


def whole(n: int) -> np.ndarray:
    return np.arange(n, dtype=np.int32)


@many
@given(n=sizes, a=st.floats(-100, 100, width=32))
def test_floats(kernels: Kernels, n: int, a: float) -> None:
    x, y = np.linspace(0, 1, n, dtype=np.float32), np.ones(n, np.float32)
    expected = y + np.float32(a) * x
    kernels.saxpy[n](x, y, np.float32(a))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(x, np.linspace(0, 1, n, dtype=np.float32))


@many
@given(n=sizes, data=st.data())
def test_slices_of_one_array(kernels: Kernels, n: int, data: st.DataObject) -> None:
    """Source and target may be any two parts of an array, but no element may be read that is written."""
    base = whole(2 * n)
    count = data.draw(st.integers(1, n))
    start = data.draw(st.integers(0, n - count))
    to = data.draw(st.integers(n, 2 * n - count))
    model = base.copy()
    for a in (3, -1):
        model[to : to + count] += a * model[start : start + count]
        kernels.add_ints[count](base[start : start + count], base[to : to + count], np.int32(a))
    np.testing.assert_array_equal(base, model)


@many
@given(n=st.integers(1, 3000), step=st.integers(1, 9), first=st.integers(0, 50))
def test_strided_views(kernels: Kernels, n: int, step: int, first: int) -> None:
    """What lies between the elements stays, also if the launch says that it writes all of them."""
    base = whole(first + n * step)
    model = base.copy()
    view = base[first::step]
    model[first::step] += 5
    kernels.add_strided[len(view)](view, np.int32(step), np.int32(5))
    np.testing.assert_array_equal(base, model)
    kernels.add_strided[len(view)](het.updated(base[first::step]), np.int32(step), np.int32(-5))
    np.testing.assert_array_equal(base, whole(first + n * step))


@many
@given(
    shape=st.tuples(st.integers(1, 6), st.integers(1, 7), st.integers(1, 8)),
    order=st.permutations((0, 1, 2)),
    backwards=st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
def test_views_that_run_backwards(
    kernels: Kernels, shape: tuple[int, ...], order: list[int], backwards: tuple[bool, ...]
) -> None:
    """They are copied, in the order of their elements, and back."""
    base = whole(int(np.prod(shape))).reshape(shape)
    view = base.transpose(order)[tuple(slice(None, None, -1 if b else 1) for b in backwards)]
    if not any(s < 0 for s, n in zip(view.strides, view.shape) if n > 1):
        return
    expected = view + 7 * np.arange(view.size, dtype=np.int32).reshape(view.shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", het.CopyWarning)
        kernels.add_ints[view.size](whole(view.size), view, np.int32(7))
    np.testing.assert_array_equal(view, expected)


@many
@given(n=st.integers(1, 5000), data=st.data())
def test_host_and_device_take_turns(kernels: Kernels, n: int, data: st.DataObject) -> None:
    x = whole(n)
    model = x.copy()
    for _ in range(4):
        at = data.draw(st.integers(0, n - 1))
        x[at] += 1
        model[at] += 1
        kernels.add_ints[n](whole(n), x, np.int32(3))
        model += 3 * whole(n)
        kernels.add_strided[n](x, np.int32(1), np.int32(2))
        model += 2
        assert x[at] == model[at]
    np.testing.assert_array_equal(x, model)


def test_written_needs_no_old_bytes(kernels: Kernels) -> None:
    x = whole(5000)
    kernels.fill[5000](het.written(x), np.int32(9))
    assert (x == 9).all()
    # What lies between elements is not written, and must be there.
    y = whole(200000)
    kernels.add_strided[100000](het.written(y[::2]), np.int32(2), np.int32(7))
    y[::2] -= 7
    np.testing.assert_array_equal(y, whole(200000))


@pytest.mark.parametrize("make", ["bytearray", "memoryview", "array", "ctypes", "interface", "frombuffer"])
def test_what_is_no_array_of_numpys(kernels: Kernels, make: str) -> None:
    n = 3000
    if make == "ctypes":
        memory: Any = (ctypes.c_int * n)(*range(n))
        argument = memory
    elif make == "array":
        memory = argument = array.array("i", range(n))
    else:
        memory = bytearray(whole(n).tobytes())
        argument = {
            "bytearray": lambda: np.frombuffer(memory, np.int32) if kernels.is_described else memory,
            "memoryview": lambda: memoryview(memory).cast("i"),
            "frombuffer": lambda: np.frombuffer(memory, np.int32)[:],
            "interface": lambda: Interface(np.frombuffer(memory, np.int32)),
        }[make]()
    for a in (1, 2):
        kernels.add_ints[n](whole(n), argument, np.int32(a))
    assert np.frombuffer(memory, np.int32).tolist() == (4 * whole(n)).tolist()
    del argument
    gc.collect()
    if isinstance(memory, bytearray):
        memory.clear()  # nobody holds it any longer


class Interface:
    """This has nothing but the array interface."""

    def __init__(self, of: np.ndarray) -> None:
        self.of = of

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self.of.__array_interface__


def test_no_elements(kernels: Kernels) -> None:
    """An array without elements is a null pointer to the kernel, as None is."""
    if kernels.device.kind != "opencl":
        pytest.skip("the device compiles no OpenCL C")
    is_null = het.Program("kernel void k(global int *p, global int *to) { to[0] += p == 0 ? 1 : 100; }").k
    to = np.zeros(1, np.int32)
    is_null[1](np.zeros(0, np.int32), to)
    is_null[1](None, to)
    is_null[1](np.zeros(1, np.int32), to)
    assert to[0] == 102


def test_interfaces_that_are_not_understood(kernels: Kernels) -> None:
    class Odd:
        def __init__(self, **entries: Any) -> None:
            data = {"shape": (4,), "typestr": "<i4", "data": bytearray(16), "version": 3}
            self.__array_interface__ = data | entries

    kernels.fill[4](Odd(), np.int32(1))
    for entries, says in (
        ({"strides": (-4,), "offset": 12}, "negative strides"),
        ({"shape": (10**6,)}, "beyond"),
        ({"offset": 4}, "beyond"),
        ({"shape": (-4,)}, "negative shape"),
    ):
        with pytest.raises(ValueError, match=says):
            kernels.fill[4](Odd(**entries), np.int32(1))


def test_elements_that_lie_upon_each_other(kernels: Kernels) -> None:
    """They may leave bytes between them, though they are as many as would fill all."""
    base = whole(4)
    view = np.lib.stride_tricks.as_strided(base, (2, 2), (0, 12))
    kernels.fill[1](het.written(view), np.int32(9))
    assert base.tolist() == [9, 1, 2, 3]


def test_owners_are_forgotten(kernels: Kernels) -> None:
    """Views keep nothing by themselves: the array that owns the memory does, until it goes."""
    base = whole(10000)
    kernels.fill[10](base[5:15], np.int32(1))
    kernels.fill[10](base[500:].reshape(50, -1)[3], np.int32(1))
    assert het._het._count_of_kept() == 1
    view = base[7:]
    del base
    assert het._het._count_of_kept() == 1
    assert view[0] == 1 and view[9] == 16
    del view
    assert het._het._count_of_kept() == 0


def test_forget_lets_an_array_be_resized(kernels: Kernels) -> None:
    x = whole(1000)
    kernels.fill[1000](x, np.int32(3))
    with pytest.raises(ValueError, match="resize"):
        x.resize(2000, refcheck=False)
    assert het.forget(x) and not het.forget(x)
    x.resize(2000, refcheck=False)
    assert (x[:1000] == 3).all() and (x[1000:] == 0).all()
    kernels.fill[2000](x, np.int32(4))
    assert (x == 4).all()


@many
@given(seed=st.integers(0, 2**32 - 1))
def test_memory_is_used_again(kernels: Kernels, seed: int) -> None:
    """Arrays come and go: what lies at the same address afterwards has nothing of those before."""
    random = np.random.default_rng(seed)
    alive: list[tuple[np.ndarray, int]] = []
    for step in range(20):
        if alive and random.random() < 0.5:
            x, wanted = alive.pop(random.integers(len(alive)))
            assert (x == wanted).all()
        else:
            n = int(random.choice([3, 500, 4096, 70000]))
            x = np.full(n, -1, np.int32)
            assert (x == -1).all()
            kernels.fill[n](x, np.int32(step))
            alive.append((x, step))
        del x
    for x, wanted in alive:
        assert (x == wanted).all()
