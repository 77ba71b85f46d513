# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The same tests run with each kind of device that HET_DEVICES names: kernels are OpenCL C where an OpenCL driver is, a
fat binary's on CUDA devices (or what stands in for them), and functions on the host's."""

import ctypes
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import het
import het.host

SOURCE = """
kernel void saxpy(global const float *x, global float *y, float a)
{
	size_t i = get_global_id(0);
	y[i] += a * x[i];
}
kernel void add_ints(global const int *x, global int *y, int a)
{
	size_t i = get_global_id(0);
	y[i] += a * x[i];
}
kernel void fill(global int *to, int value)
{
	to[get_global_id(0)] = value;
}
kernel void add_strided(global int *p, int stride, int value)
{
	p[get_global_id(0) * stride] += value;
}
"""


def numbers(address: int, group: het.host.Group, kind: Any, stride: int = 1) -> np.ndarray:
    """The elements that a work-group has."""
    first, count = group.first[0], group.items[0]
    p = ctypes.cast(address + ctypes.sizeof(kind) * first * stride, ctypes.POINTER(kind))
    return np.ctypeslib.as_array(p, ((count - 1) * stride + 1,))[::stride]


def value(address: int, kind: Any) -> Any:
    return ctypes.cast(address, ctypes.POINTER(kind))[0]


def adds(kind: Any) -> Any:
    @het.host.function
    def run(group: het.host.Group, args: Any) -> None:
        y = numbers(args[1], group, kind)
        y += value(args[2], kind) * numbers(args[0], group, kind)

    return run


@het.host.function
def fill(group: het.host.Group, args: Any) -> None:
    numbers(args[0], group, ctypes.c_int)[:] = value(args[1], ctypes.c_int)


@het.host.function
def add_strided(group: het.host.Group, args: Any) -> None:
    p = numbers(args[0], group, ctypes.c_int, value(args[1], ctypes.c_int))
    p += value(args[2], ctypes.c_int)


FUNCTIONS = {
    "saxpy": (adds(ctypes.c_float), 3),
    "add_ints": (adds(ctypes.c_int), 3),
    "fill": (fill, 2),
    "add_strided": (add_strided, 3),
}


LIBCLC = Path("/usr/lib/clc/nvptx64--nvidiacl.bc")
FAT_BINARY_TOOL = Path(het.__file__).resolve().parents[2] / "bin/het-fatbin"


def fat_binary_of(source: str, folder: Path, targets: str = "opencl,ptx") -> Path:
    """Or the one that HET_PYTHON_FAT_BINARY names, made of the same source, where no compiler is."""
    made = os.environ.get("HET_PYTHON_FAT_BINARY")
    if made and source == SOURCE:
        return Path(made)
    if not FAT_BINARY_TOOL.exists() or not shutil.which("clang-14") or not LIBCLC.exists():
        pytest.skip("het-fatbin, clang-14 or libclc-14 is not here to make a fat binary with PTX")
    text, binary = folder / "kernels.cl", folder / "kernels.het"
    text.write_text(source)
    subprocess.run([FAT_BINARY_TOOL, "build", text, "--targets", targets, "-o", binary], check=True)
    return binary


class Kernels:
    """The kernels of SOURCE on the first device, called alike whatever describes them."""

    def __init__(self, folder: Path) -> None:
        self.device = het.devices()[0]
        kind = self.device.kind
        self.is_described = kind in ("opencl", "cuda")
        if kind == "opencl":
            self.program = het.Program(SOURCE)
        elif kind == "cuda":
            self.program = het.Program(fat_binary_of(SOURCE, folder))
        else:
            self.program = het.Program(functions=FUNCTIONS)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)


@pytest.fixture(scope="session")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("kernels"))


@pytest.fixture
def described(kernels: Kernels) -> Kernels:
    """Where nothing describes a kernel's arguments, nothing can be checked."""
    if not kernels.is_described:
        pytest.skip(f"nothing describes the arguments of kernels on {kernels.device.kind} devices")
    return kernels


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """What a test's arrays had on devices is gone with them."""
    yield
    import gc

    gc.collect()
    # What a launch keeps goes when the event's callbacks are run, and a wait may return before these.
    for _ in range(10000):
        if het._het._count_of_kept() == 0:
            break
        time.sleep(0.001)
    assert het._het._count_of_kept() == 0
