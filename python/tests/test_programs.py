# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What programs are made from, and what is known of their kernels."""

import ctypes
import gc
import subprocess
from pathlib import Path

import numpy as np
import pytest

import het
import het.host

from conftest import FAT_BINARY_TOOL, SOURCE, Kernels, fat_binary_of

VALUES = """
typedef struct { float scale; int shift; } rule;
kernel void many(global float *to, char c, uchar uc, short s, ushort us, int i, uint ui, long l, ulong ul, float f,
                 float4 v, float3 w, rule r, local int *scratch)
{
	scratch[0] = 1;
	to[0] = c; to[1] = uc; to[2] = s; to[3] = us; to[4] = i; to[5] = ui; to[6] = l; to[7] = ul; to[8] = f;
	to[9] = v.x + 10 * v.w; to[10] = w.z; to[11] = r.scale * 2 + r.shift;
}
"""
READER = "kernel void sum(global int *only_read, global int *to) { to[0] = only_read[0] + only_read[1]; }"


class Rule(ctypes.Structure):
    _fields_ = [("scale", ctypes.c_float), ("shift", ctypes.c_int)]


def opencl_only(kernels: Kernels) -> None:
    if kernels.device.kind != "opencl":
        pytest.skip("the device compiles no OpenCL C")


def test_names_and_descriptions(kernels: Kernels) -> None:
    names = {"saxpy", "add_ints", "fill", "add_strided"}
    if kernels.device.kind != "cuda":
        assert set(kernels.program.names()) == names <= set(dir(kernels.program))
    k = kernels.program["saxpy"]
    assert k is kernels.program.saxpy and k.name == "saxpy" and len(k.arguments) == 3
    if not kernels.is_described:
        assert k.arguments[0].space == "unknown"
        return
    x, y, a = k.arguments
    assert (x.name, x.type, x.space, x.access) == ("x", "float*", "global", "read")
    assert (y.name, y.access) == ("y", "read and write") and (a.space, a.nbytes) == ("value", 4)


def test_the_only_kernel(kernels: Kernels) -> None:
    with pytest.raises(LookupError, match="not one kernel but"):
        kernels.program.kernel
    if kernels.device.kind == "opencl":
        assert het.Program("kernel void one(global int *p) { p[0] = 1; }").kernel.name == "one"


def test_all_kinds_of_values(kernels: Kernels) -> None:
    opencl_only(kernels)
    to = np.zeros(12, np.float32)
    rule = Rule(1.5, 4)
    het.Program(VALUES).many[1, 1](
        to, -5, 200, np.int16(-300), 60000, True, 2**24, -(2**40), 2**63, 0.5, (1, 2, 3, 4), (7.0, 8.0, 9.0), rule,
        het.local(64),
    )
    assert to.tolist() == [-5, 200, -300, 60000, 1, 2**24, -(2**40), 2**63, 0.5, 41, 9, 7]


def test_options_of_the_compiler(kernels: Kernels) -> None:
    opencl_only(kernels)
    to = np.zeros(1, np.int32)
    het.Program("kernel void k(global int *p) { p[0] = N; }", options="-DN=42").kernel[1](to)
    assert to[0] == 42


def test_files(kernels: Kernels, tmp_path: Path) -> None:
    opencl_only(kernels)
    path = tmp_path / "kernels.cl"
    path.write_text(SOURCE)
    to = np.zeros(10, np.int32)
    het.Program(path).fill[10](to, 4)
    assert (to == 4).all()
    binary = fat_binary_of(SOURCE, tmp_path)
    sources: list[Path | bytes] = [binary, binary.read_bytes()]
    for source in sources:
        het.Program(source).fill[10](to, 5)
        assert (to == 5).all()
        to[:] = 0
    with pytest.raises(het.ImageError):
        het.Program(binary.read_bytes()[:200]).fill
    with pytest.raises(FileNotFoundError):
        het.Program(tmp_path / "nothing.cl")


def test_an_analysis_knows_what_is_only_read(kernels: Kernels, tmp_path: Path) -> None:
    """So an array that must not be written may be given for an argument that is not const."""
    if kernels.device.kind not in ("opencl", "cuda"):
        pytest.skip("functions are not analysed")
    k = het.Program(fat_binary_of(READER, tmp_path)).sum
    only_read, to = np.array([3, 4], np.int32), np.zeros(1, np.int32)
    only_read.flags.writeable = False
    assert [a.access for a in k.arguments] == ["read", "read and write"]
    k[1](only_read, to)
    assert to[0] == 7
    with pytest.raises(ValueError, match="read-only"):
        k[1](to, only_read)


def test_ptx(kernels: Kernels, tmp_path: Path) -> None:
    """Nothing describes arguments in PTX, so numbers have a type; arrays that may not be written are only read."""
    if kernels.device.kind != "cuda":
        pytest.skip("the device takes no PTX")
    if not FAT_BINARY_TOOL.exists():
        pytest.skip("het-fatbin was not built")
    path = tmp_path / "kernels.ptx"
    binary = fat_binary_of(SOURCE, tmp_path, "ptx")
    subprocess.run([FAT_BINARY_TOOL, "extract", binary, "1", "-o", path], check=True)
    sources: list[Path | str] = [path, path.read_text()]
    for source in sources:
        program = het.Program(source)
        assert set(program.names()) == {"saxpy", "add_ints", "fill", "add_strided"}
        x, y = np.ones(256, np.float32), np.zeros(256, np.float32)
        x.flags.writeable = False
        program.saxpy[256, 64](x, y, np.float32(3))
        assert (y == 3).all()
        with pytest.raises(TypeError, match="must say its type"):
            program.saxpy[256, 64](x, y, 3.0)


def test_functions(kernels: Kernels) -> None:
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("functions are for the host's devices")
    seen = []

    @het.host.function
    def look(group: het.host.Group, args: object) -> None:
        seen.append((tuple(group.global_size)[:2], tuple(group.local_size)[:2], tuple(group.items)[:2]))

    program = het.Program(functions={"look": (look, 0), "by address": (ctypes.cast(look, ctypes.c_void_p).value, 0)})
    program.look[(6, 4), (3, 4)]()
    program["by address"][(6, 4), (6, 2)]()
    assert seen == [((6, 4), (3, 4), (3, 4))] * 2 + [((6, 4), (6, 2), (6, 2))] * 2


def test_functions_live_as_long_as_kernels(kernels: Kernels) -> None:
    if kernels.device.kind not in ("host", "apart"):
        pytest.skip("functions are for the host's devices")
    calls = []
    k = het.Program(functions={"f": (het.host.function(lambda group, args: calls.append(1)), 0)}).f
    gc.collect()
    gate = het.user_event()
    event = k[1].start(after=gate)
    del k
    gc.collect()
    gate.set()
    event.wait()
    assert calls == [1]
