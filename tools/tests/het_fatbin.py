#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-fatbin as its users call it, and what it makes as libhet runs it. Prints KTAP; the program is
build/bin/het-fatbin, or that of the first argument."""

import ctypes
import json
import os
import shutil
import struct
import subprocess
import sys
from functools import partial
from pathlib import Path

import builtin_results
import command_line
import opencl_builtins
from command_line import Skip, run_cases, same, within
from libhet import ProgramArguments, argument_of_range, argument_of_value, launch_of

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "runtime/fatbin/tests/corpus"
HET_FATBIN = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/het-fatbin")
ADD = """kernel void add(global int *p, int value)
{
	p[get_global_id(0)] += value;
}
"""
GROUPS = """float twice(float x) { return 2 * x; }
kernel void rotate(global float *to, local float *a, global const float *from, local int *b, uint n)
{
	uint i = get_global_id(0), j = get_local_id(0), m = get_local_size(0);
	local int c[4];
	a[j] = twice(from[i]);
	b[j] = 100 * get_group_id(0);
	if (j < 4)
		c[j] = 1000 * j;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n)
		to[i] = a[(j + 1) % m] + b[m - 1 - j] + c[j % 4];
}
"""
TYPES = """typedef struct { float a; int b; char c; } params;
struct point { double x, y; };
enum color { red, green };
kernel void types(constant float4 *c, local short *l, params p, struct point q, float3 v, global params *out, enum color e,
	const global struct point *z, read_only image2d_t from, write_only image2d_t to, sampler_t s, global void *raw)
{
	out[0] = p;
}
"""

Called = partial(command_line.Called, HET_FATBIN)


def build(work: Path, source: str, *options: object) -> Path:
    """A fat binary of the source; skips where nothing can compile."""
    made = work / "made.het"
    called = Called("build", "-", "-o", made, *options, stdin=source.encode())
    if "there is no OpenCL" in called.err:
        raise Skip("no OpenCL driver with a compiler is installed")
    # Drivers write what their compilers say to stderr.
    is_error = "spirv" not in str(options) and "generated" not in called.err
    same((called.status, called.err if is_error else ""), (0, ""))
    return made


def listed(file: Path) -> dict:
    called = Called("list", "--json", file)
    same((called.status, called.err), (0, ""))
    return json.loads(called.out)


def compilers_describe_arguments(work: Path) -> None:
    (kernel,) = listed(build(work, TYPES, "--targets", "opencl"))["kernels"]
    same(kernel["name"], "types")
    got = [(a["name"], a["space"], a["type"], a["size"], a.get("access")) for a in kernel["arguments"]]
    same(
        got,
        [
            ("c", "constant", "float4*", 16, "read"),
            ("l", "local", "short*", 2, "read and write"),
            ("p", "value", "params", 12, None),
            ("q", "value", "struct point", 16, None),
            ("v", "value", "float3", 16, None),
            ("out", "global", "params*", 12, "read and write"),
            ("e", "value", "enum color", 4, None),
            ("z", "global", "struct point*", 16, "read"),
            ("from", "image", "image2d_t", 0, "read"),
            ("to", "image", "image2d_t", 0, "write"),
            ("s", "sampler", "sampler_t", 0, None),
            ("raw", "global", "void*", 0, "read and write"),
        ],
    )


def images_are_what_went_in(work: Path) -> None:
    made = build(work, ADD, "--targets", "opencl,native", "--options", "-cl-std=CL2.0 -DN=3")
    images = listed(made)["images"]
    same(images[-1]["title"], "OpenCL C 2.0")
    same(images[-1]["options"], "-cl-std=CL2.0 -DN=3")
    same({i["target"] for i in images[:-1]}, {"native"})
    same(Called("extract", made, len(images), "-o", work / "source").status, 0)
    same((work / "source").read_text(), ADD)
    same(Called("extract", made, len(images), "-o", "-").out, ADD)
    within("1 kernels, ", Called("verify", made).out)


def spirv_is_made_and_valid(work: Path) -> None:
    made = build(work, ADD, "--targets", "spirv")
    (image,) = listed(made)["images"]
    if "missing" in image:
        if "are not installed" in image["missing"]:
            raise Skip(image["missing"])
        raise AssertionError(image["missing"])
    within("SPIR-V 1.", image["title"])
    same(Called("extract", made, 1, "-o", work / "made.spv").status, 0)
    if shutil.which("spirv-val"):
        subprocess.run(["spirv-val", "--target-env", "opencl2.2", work / "made.spv"], check=True)


def spirv_is_made_of_what_clang_makes_invalid(work: Path) -> None:
    """The sum becomes a product of 33 bits, which SPIR-V has not."""
    source = "kernel void sum(global uint *c, uint n) { uint s = 0; for (uint i = 0; i < n; i++) s += i; " \
        "c[get_global_id(0)] = s; }"
    (image,) = listed(build(work, ADD + source, "--targets", "spirv"))["images"]
    if "are not installed" in image.get("missing", ""):
        raise Skip(image["missing"])
    same(image.get("missing"), None)


def what_is_not_made_has_a_reason(work: Path) -> None:
    called = Called("build", "-", "-o", work / "made.het", "--targets", "spirv", "--options", '-DQUOTED="x"',
        stdin=ADD.encode())
    if "there is no OpenCL" in called.err:
        raise Skip("no OpenCL driver with a compiler is installed")
    within("het-fatbin: no SPIR-V: ", called.err)
    (image,) = listed(work / "made.het")["images"]
    same(image["missing"] != "", True)
    within("was not made", Called("extract", work / "made.het", 1, "-o", "-").err)


def names_are_those_of_the_source(work: Path) -> None:
    """PoCL has macros of the names of OpenCL's functions."""
    file = build(work, ADD.replace("int *p", "int *all").replace("p[", "all[").replace("add", "mix"), "--targets",
        "opencl,native")
    (kernel,) = listed(file)["kernels"]
    same((kernel["name"], [a["name"] for a in kernel["arguments"]]), ("mix", ["all", "value"]))
    if "is not" not in kernel["split"]["reason"]:
        same(kernel["split"]["answer"], "safe")
    program = str(Path(HET_FATBIN).parent / "het-run")
    arguments = ["--global", "8", "--arg", "all=index", "--arg", "7", "--json"]
    called = command_line.Called(program, file, "mix", *arguments, env={"HET_DEVICES": "opencl"})
    same((called.status, json.loads(called.out)["outputs"][0]["first"]), (0, ["7", "8", "9", "10"]))


def splits_are_analysed(work: Path) -> None:
    (kernel,) = listed(build(work, ADD, "--targets", "opencl"))["kernels"]
    if kernel["split"]["reason"].startswith("not analysed"):
        raise Skip(kernel["split"]["reason"])
    same((kernel["split"]["answer"], kernel["dimensions"]), ("safe", 1))
    p, value = kernel["arguments"]
    same((p["found"], "found" in value), ("read and write", False))
    same((p["reach"]["offset"], p["reach"]["length"], p["reach"]["axes"][0]["step"]), (0, 4, 4))
    printed = Called("list", work / "made.het").out
    within("split: safe, it uses what it writes (p) at the work-item's own index alone", printed)
    within("p: read and write, 4 bytes from 0 + 4 * x on", printed)
    (kernel,) = listed(build(work, ADD.replace("+=", "= p[0] +"), "--targets", "opencl"))["kernels"]
    same(kernel["split"]["answer"], "unknown")
    within("line 3 ", kernel["split"]["reason"])


def what_is_not_analysed_has_a_reason(work: Path) -> None:
    for asks, said in (
        ("#include <none.h>", "line 2 includes a file"),
        ("#ifdef __GNUC_STDC_INLINE__\n#undef __clang_version__\nconstant char v[] = __clang_version__;\n#endif",
            "not all numbers"),
    ):
        source = f"#if 0\n{asks}\n#endif\n{ADD}"
        (kernel,) = listed(build(work, source, "--targets", "opencl"))["kernels"]
        same(kernel["split"]["answer"], "unknown")
        within(said, kernel["split"]["reason"])


def written_by(file: Path, devices: int) -> tuple[int, str]:
    """How many of so many OpenCL devices were given a part of a launch that says nothing, and the checksum of what they
    wrote."""
    environment = {"POCL_DEVICES": "pthread " * devices, "HET_DEVICES": "opencl", "HET_POLICY": "dynamic"}
    arguments = ["--arg", "index", "--arg", "1", "--global", "64K", "--local", "64", "--json"]
    called = command_line.Called(str(Path(HET_FATBIN).parent / "het-run"), file, "add", *arguments, env=environment)
    same((called.status, called.err if called.status else ""), (0, ""))
    report = json.loads(called.out)
    return sum(d["parts"] > 0 for d in report["devices"]), report["outputs"][0]["xxh64"]


def check_shared(file: Path, devices: int) -> None:
    same(written_by(file, 2), (devices, written_by(file, 1)[1]))


# With OTHER, a work-item uses what another one writes, so that parts of a launch can't tell what the whole does.
CHOICE = """
kernel void add(global int *p, int value)
{
	size_t i = get_global_id(0), n = get_global_size(0);
	if (!OTHER)
		p[i] += value;
	else if (i < n / 2)
		p[i] = p[abs_diff(n - 1, i)] = get_group_id(0) + value; // of which nothing is known
}
"""


def what_the_devices_compiler_says_counts(work: Path) -> None:
    """Macros that the device's compiler has and clang has not, or the other way round, however the source looks for
    them."""
    if "not analysed" in listed(build(work, ADD, "--targets", "opencl"))["kernels"][0]["split"]["reason"]:
        raise Skip("nothing is analysed here")
    check_shared(work / "made.het", 2)
    for asks, answer in (
        ("#ifndef __OPENCL_VERSION__\n#define __OPENCL_VERSION__ 0\n#endif\n#define OTHER (__OPENCL_VERSION__ > 0)",
            "unknown"),
        ("#if 1 \\\r\n && defined(__SPIR__)\r\n#define OTHER 0\n#else\n#define OTHER 1\n#endif", "unknown"),
        ("#if 1 \\ \n && defined(__SPIR__)\n#define OTHER 0\n#else\n#define OTHER 1\n#endif", "unknown"),
        ("%:ifdef __SPIR__\n#define OTHER 0\n#else\n#define OTHER 1\n#endif", "unknown"),
        ("#if __clang_major__ == 14\n#define OTHER 0\n#else\n#define OTHER 1\n#endif", None),
        ("#ifdef cl_khr_fp64\n#define OTHER 0\n#else\n#define OTHER 1\n#endif", None),
        ("#ifndef MINE\n#define MINE 0\n#endif\n#define OTHER MINE", "safe"),
    ):
        (kernel,) = listed(build(work, asks + CHOICE, "--targets", "opencl"))["kernels"]
        if answer:
            same((asks, kernel["split"]["answer"]), (asks, answer))
        check_shared(work / "made.het", 2 if kernel["split"]["answer"] == "safe" else 1)


def answers_are_those_of_the_images(work: Path) -> None:
    file = build(work, ADD, "--targets", "opencl,ptx")
    if listed(file)["kernels"][0]["split"]["answer"] != "safe":
        raise Skip(listed(file)["kernels"][0]["split"]["reason"])
    check_shared(file, 2)
    has_ptx = "missing" not in listed(file)["images"][0]
    (work / "other.cl").write_text("#define OTHER 1\n" + CHOICE)
    same(Called("add", file, work / "other.cl", "--target", "opencl").status, 0)
    (kernel,) = listed(file)["kernels"]
    same((kernel["split"]["answer"], "found" in kernel["arguments"][0]),
        ("unknown", False) if has_ptx else ("unknown", True))
    within("not analysed: an image is not made from the source that was" if has_ptx else "p", kernel["split"]["reason"])
    check_shared(file, 1)
    # This is the first source again, but with options that make it another one.
    (work / "first.cl").write_text("#ifndef OTHER\n#define OTHER 0\n#endif\n" + CHOICE)
    for options, answer in ((["--options", "-DSOME"], "safe"), (["--options", "-DOTHER=1"], "unknown")):
        file = build(work, ADD, "--targets", "opencl")
        same(Called("add", file, work / "first.cl", "--target", "opencl", *options).status, 0)
        same(listed(file)["kernels"][0]["split"]["answer"], answer)
        check_shared(file, 2 if answer == "safe" else 1)


def wrong_sources_are_told(work: Path) -> None:
    build(work, ADD, "--targets", "opencl")
    for source, said in (
        ("kernel void f(global int *p) { *p = not_declared; }", "not_declared"),
        ("int f(int x) { return x; }", "the source has no kernels"),
        ("kernel void f(void) {}\0", "zero bytes"),
        ("", "the source has no kernels"),
    ):
        called = Called("build", "-", "-o", work / "none.het", stdin=source.encode())
        same((called.status, (work / "none.het").exists()), (1, False))
        within(said, called.err)


def made_ptx(work: Path, source: str, *options: object) -> Path:
    """The PTX made of the source; skips where it can't be made."""
    called = Called("build", "-", "-o", work / "made.het", "--targets", "ptx", *options, stdin=source.encode())
    for reason in ("there is no OpenCL", "is not installed", "is not here"):
        if reason in called.err:
            raise Skip(called.err.strip())
    same((called.status, called.err), (0, ""))
    same(Called("extract", work / "made.het", 1, "-o", work / "made.ptx").status, 0)
    return work / "made.ptx"


# There are two groups of four: with local arguments one behind the other, local variables, a helper, and ids.
def ptx_runs_in_the_interpreter(work: Path) -> None:
    ptx = made_ptx(work, GROUPS)
    within(".visible .entry rotate(", ptx.read_text())
    within(".param .u64 .ptr .global .align 4 rotate_param_0,", ptx.read_text())
    within(".param .u64 rotate_param_1,", ptx.read_text())  # drivers refuse .ptr .shared
    (work / "from").write_bytes(struct.pack("<8f", *range(1, 9)))
    sliced = work / "sliced.ptx"
    het_ptx = partial(command_line.Called, str(Path(HET_FATBIN).parent / "het-ptx"))
    same(het_ptx("instrument", "--pass", "slice", ptx, "-o", sliced).status, 0)
    arguments = ["--arg", "out:" + str(work / "to") + ":32", "--arg", "u64:0", "--arg", f"in:{work / 'from'}"]
    arguments += ["--arg", "u64:16", "--arg", "u32:7"]
    for text, more in ((ptx, []), (sliced, ["--arg", "u64:0"])):
        called = het_ptx("run", text, "--grid", 2, "--block", 4, "--shared", 32, "--check-races", *arguments, *more)
        same((called.status, called.err), (0, ""))
        same(struct.unpack("<8f", (work / "to").read_bytes()), (4, 1006, 2008, 3002, 112, 1114, 2116, 0))


def ptx_is_what_ptxas_takes(work: Path) -> None:
    if not shutil.which("ptxas"):
        raise Skip("ptxas is not installed")
    ptx = made_ptx(work, GROUPS)
    subprocess.run(["ptxas", "-arch=sm_75", ptx, "-o", work / "made.cubin"], check=True)
    made = build(work, GROUPS, "--targets", "cubin", "--gpus", "sm_80,sm_90")
    same([(i["title"], "missing" in i) for i in listed(made)["images"]],
        [(f"cubin for sm_{n}", False) for n in (80, 90)])


# Checks that the table in Documentation/opencl-builtins.rst is true.
def builtins_are_as_documented(work: Path) -> None:
    page = (ROOT / "Documentation/opencl-builtins.rst").read_text()
    within(opencl_builtins.table(), page)
    calls = {name: call for group in opencl_builtins.GROUPS.values() for name, call in group.items()}
    made_ptx(work, opencl_builtins.source({n: c for n, c in calls.items() if opencl_builtins.state(n) != "refused"}))
    for name, reason in opencl_builtins.REFUSED.items():
        source = opencl_builtins.source({name: calls[name]})
        called = Called("build", "-", "-o", work / "none.het", "--targets", "ptx", stdin=source.encode())
        same(called.status, 0)
        within("het-fatbin: no PTX 6.3 for sm_75: ", called.err)
        within(reason, called.err)


def builtin_results_of(file: Path, **environment: str) -> dict:
    script = Path(__file__).parent / "builtin_results.py"
    done = subprocess.run([sys.executable, script, file], env=with_library() | environment, capture_output=True)
    if done.returncode:
        raise AssertionError(done.stderr.decode())
    return json.loads(done.stdout)


# The interpreter runs the PTX in place of a CUDA driver, so it needs no GPU.
def builtins_in_ptx_return_what_opencl_does(work: Path) -> None:
    fake = Path(HET_FATBIN).parent.parent / "fake"
    if not (fake / "libcuda.so.1").exists():
        raise Skip("the driver without a GPU is not built here (make tests)")
    made_ptx(work, ADD)
    called = Called("build", "-", "-o", work / "made.het", "--targets", "opencl,ptx",
        stdin=builtin_results.source().encode())
    same((called.status, called.err), (0, ""))
    wanted = builtin_results_of(work / "made.het", HET_DEVICES="opencl")
    got = builtin_results_of(work / "made.het", HET_DEVICES="cuda", LD_LIBRARY_PATH=str(fake))
    same(len(wanted) > 200, True)
    same(builtin_results.differences(got, wanted), [])


def local_memory_of_large_vectors_is_refused(work: Path) -> None:
    made_ptx(work, ADD)
    source = "kernel void k(local float8 *l) { l[get_local_id(0)] = 1; }"
    called = Called("build", "-", "-o", work / "none.het", "--targets", "ptx", stdin=source.encode())
    within("an argument of local memory that is aligned to 32 bytes", called.err)


def images_are_added_and_replaced(work: Path) -> None:
    made = work / "made.het"
    shutil.copy(CORPUS / "source.het", made)
    for text in ("first", "second"):
        (work / "ptx").write_text(text)
        called = Called("add", made, work / "ptx", "--target", "ptx", "--name", "sm_90", "--version", "7.8")
        same((called.status, called.err), (0, ""))
    (work / "cubin").write_text("x")
    same(Called("add", made, work / "cubin", "--target", "cubin", "--name", "sm_90").status, 0)
    titles = [i["title"] for i in listed(made)["images"]]
    same(titles, ["OpenCL C 1.2", "PTX 7.8 for sm_90", "cubin for sm_90"])
    same(Called("extract", made, 2, "-o", "-").out, "second")
    for wrong in (
        ("--target", "ptx"),
        ("--target", "opencl", "--name", "sm_90"),
        ("--target", "spirv"),
        ("--target", "fortran"),
        ("--target", "ptx", "--name", "sm_90", "--version", "new"),
    ):
        same(Called("add", made, work / "ptx", *wrong).status, 1)
    same([i["title"] for i in listed(made)["images"]], titles)


def sections_of_executables_are_read(work: Path) -> None:
    if not shutil.which("objcopy"):
        raise Skip("objcopy is not installed")
    program = work / "program"
    command = ["objcopy", "--add-section", f".het.mine={CORPUS / 'images.het'}", "/bin/true", str(program)]
    subprocess.run(command, check=True)
    called = Called("list", program, "--section", ".het.mine")
    same(called.out, Called("list", CORPUS / "images.het").out)
    within("no section .het.other", Called("list", program, "--section", ".het.other").err)
    within("no fat binary", Called("list", program).err)


def files_of_the_first_version_are_read(_: Path) -> None:
    for name, images in (("source.het", 1), ("images.het", 6), ("no-image.het", 1)):
        found = listed(CORPUS / name)
        same([k["name"] for k in found["kernels"]], ["add", "combine"])
        same(len(found["images"]), images)


def files_of_version_1_1_are_read(_: Path) -> None:
    """They do not tell what was analysed."""
    kernels = listed(CORPUS / "analysed-1.1.het")["kernels"]
    same([(k["name"], k["split"]["answer"]) for k in kernels],
        [(name, "unknown") for name in ("scale", "rows", "count")])
    within("not analysed: an image is not made from the source", kernels[0]["split"]["reason"])


def files_of_version_1_2_are_read(_: Path) -> None:
    kernels = listed(CORPUS / "analysed-1.2.het")["kernels"]
    same([(k["name"], k["split"]["answer"]) for k in kernels],
        [("scale", "safe"), ("rows", "safe"), ("count", "unsafe")])
    same([a.get("found") for a in kernels[0]["arguments"]], ["read", "write", None])


def launches_decide_where_kernels_do_not(_: Path) -> None:
    file = CORPUS / "analysed.het"
    turned = next(k for k in listed(file)["kernels"] if k["name"] == "turned")
    same((turned["split"]["answer"], "apart" in turned["split"]), ("unknown", True))
    launch = "turned 64 32 1 8 8 1 0 0 0 - - 64 "
    called = Called("launches", file, stdin=f"{launch}32\n{launch}31\n".encode())
    same((called.status, called.out), (0, "apart\nunknown\n"))
    within("no launch", Called("launches", file, stdin=b"nothing 1 1").err)


def damage_is_found(work: Path) -> None:
    whole = (CORPUS / "images.het").read_bytes()
    at = whole.index(b"kernel void add")
    for name, wrong, said in (
        ("flipped", whole[:at] + b"K" + whole[at + 1 :], "OpenCL C has a wrong checksum"),
        ("cut", whole[:-100], "cut off"),
        ("text", b"kernel void f() {}", "no ELF file"),
    ):
        (work / name).write_bytes(wrong)
        called = Called("verify", work / name)
        same((called.status, called.out), (1, ""))
        within(f"het-fatbin: {work / name}: ", called.err)
        within(said, called.err)
    same(Called("verify", work / "missing").status, 1)


def launch(file: str) -> None:
    """Adds 5 to an array with the kernel `add` of a fat binary, in a process of its own."""
    het = ctypes.CDLL(os.environ["LIBHET"])
    queue, program, kernel = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    n = 1 << 16
    data = (ctypes.c_int * n)(*range(n))
    value = ctypes.c_int(5)
    p = ProgramArguments(size=ctypes.sizeof(ProgramArguments), file=file.encode())
    same(het.het_queue_create(None, ctypes.byref(queue)), 0)
    same(het.het_program_create(ctypes.byref(p), ctypes.byref(program)), 0)
    same(het.het_kernel_create(program, b"add", ctypes.byref(kernel)), 0)
    args = argument_of_range(ctypes.addressof(data), ctypes.sizeof(data)), argument_of_value(value)
    call = launch_of(kernel, *args, global_size=(n,), local_size=(64,))
    same(het.het_launch(queue, ctypes.byref(call), None), 0)
    same(het.het_finish(queue), 0)
    same(list(data), [i + 5 for i in range(n)])


def with_library() -> dict[str, str]:
    """The library stands before libc, as it does in programs that are linked with it."""
    library = str(Path(HET_FATBIN).parent.parent / "libhet.so")
    return os.environ | {"LIBHET": library, "LD_PRELOAD": library}


def launched(file: Path) -> subprocess.CompletedProcess:
    env = with_library() | {"HET_DEVICES": "opencl", "GPUVM_VERBOSE": "1"}
    script = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); " \
        f"import het_fatbin; het_fatbin.launch({str(file)!r})"
    return subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)


def native_binaries_run(work: Path) -> None:
    made = build(work, ADD, "--targets", "native")
    done = launched(made)
    same((done.returncode, done.stderr if done.returncode else ""), (0, ""))


# If a driver does not take its own binary back, it gets the next best image.
def refused_binaries_are_stepped_over(work: Path) -> None:
    made = build(work, ADD, "--targets", "native,opencl")
    for image in listed(made)["images"]:
        if image["target"] != "native":
            continue
        (work / "rubbish").write_text("rubbish")
        same(Called("add", made, work / "rubbish", "--target", "native", "--name", image["name"]).status, 0)
    done = launched(made)
    same((done.returncode, done.stderr if done.returncode else ""), (0, ""))
    within("trying the OpenCL C", done.stderr)


def main() -> int:
    cases = [
        compilers_describe_arguments,
        images_are_what_went_in,
        spirv_is_made_and_valid,
        spirv_is_made_of_what_clang_makes_invalid,
        what_is_not_made_has_a_reason,
        names_are_those_of_the_source,
        splits_are_analysed,
        what_the_devices_compiler_says_counts,
        answers_are_those_of_the_images,
        what_is_not_analysed_has_a_reason,
        wrong_sources_are_told,
        ptx_runs_in_the_interpreter,
        ptx_is_what_ptxas_takes,
        builtins_are_as_documented,
        builtins_in_ptx_return_what_opencl_does,
        local_memory_of_large_vectors_is_refused,
        images_are_added_and_replaced,
        sections_of_executables_are_read,
        files_of_the_first_version_are_read,
        files_of_version_1_1_are_read,
        files_of_version_1_2_are_read,
        launches_decide_where_kernels_do_not,
        damage_is_found,
        native_binaries_run,
        refused_binaries_are_stepped_over,
    ]
    return run_cases(cases, "het-fatbin-")


if __name__ == "__main__":
    sys.exit(main())
