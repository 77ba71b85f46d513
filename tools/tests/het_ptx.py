#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-ptx as its users call it. Prints KTAP; the program is build/bin/het-ptx, or that of the first argument."""

import json
import os
import resource
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import command_line
from command_line import Skip, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "runtime/ptx/tests/corpus"
BASIC = CORPUS / "basic.ptx"
HET_PTX = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/het-ptx")
TEXT = ".version 7.8\n.target sm_75\n.address_size 64\n"
KERNEL = TEXT + """.entry k(.param .u64 out)
{
\t.reg .b64 %d;
\tld.param.u64 %d, [out];
\tst.global.u32 [%d+8], 7;
\tret;
}
"""
TEXT_OF_WAIT = """.entry named()
{
	bar.sync 1;
	ret;
}
"""
PASSES = ("checkpoint", "coalesce", "dirty", "inspect", "resident", "slice", "touch")
Called = partial(command_line.Called, HET_PTX)


def info_lists_kernels(_: Path) -> None:
    called = Called("info", "--json", BASIC)
    same(called.status, 0)
    (module,) = json.loads(called.out)
    functions = {f["name"]: f for f in module["functions"]}
    same([p["type"] for p in functions["vector_add"]["parameters"]], ["u64", "u64", "u64", "u32"])
    same(functions["scan"]["barriers"] > 1, True)
    same(functions["vector_add"]["memory"], {"global": 3})
    same("registers" in functions["scan"], shutil.which("ptxas") is not None)
    within("kernel vector_add(u64, u64, u64, u32)", Called("info", BASIC).out)


def info_tells_where_kernels_stop(_: Path) -> None:
    (module,) = json.loads(Called("info", "--json", BASIC).out)
    stops = {f["name"]: f["stops"] for f in module["functions"]}
    same([p["kind"] for p in stops["scan"]["points"]], ["barrier"] * 3)
    same(stops["newton_sqrt"]["loops"], 2)
    same(all(p["saved_bytes"] <= stops["scan"]["thread_bytes"] for p in stops["scan"]["points"]), True)
    same(stops["vector_add"]["points"], [])
    within("lanes of a warp", stops["matvec"]["unstopped"][0])
    out = Called("info", "-", stdin=(KERNEL + TEXT_OF_WAIT).encode()).out
    within("not in them: 13:2: is a barrier of some threads, or one with a name, at 'bar.sync 1;'", out)


def info_reads_the_standard_input(_: Path) -> None:
    within("kernel k(u64)", Called("info", "-", stdin=KERNEL.encode()).out)


def faults_name_line_column_and_text(_: Path) -> None:
    for text, said in (
        (TEXT + ".entry k()\n{\n\tadd.u32 %r1 %r2;\n}\n", "-:6:14: expected ',' or ';', at '%r2'"),
        (TEXT + "hello", "-:4:1: expected a directive, at 'hello'"),
        (TEXT + ".entry k()\n{\n\tret;\n", "-:5:1: this body has no '}', at '{'"),
    ):
        called = Called("info", "-", stdin=text.encode())
        same((called.status, called.err.strip()), (2, said))


def missing_files_are_named(work: Path) -> None:
    called = Called("info", work / "nothing.ptx")
    same(called.status, 2)
    within("nothing.ptx", called.err)
    (work / "zeroes").write_bytes(bytes(100))
    within("there is no PTX text in it", Called("info", work / "zeroes").err)


def wrong_command_lines_fail(_: Path) -> None:
    for arguments in ((), ("frobnicate",), ("instrument", BASIC), ("run",)):
        same(Called(*arguments).status > 2, True)
    called = Called("instrument", "--pass", "dirty,frobnicate", BASIC)
    same((called.status, called.err), (2, "het-ptx: there is no pass frobnicate\n"))
    for name in PASSES:
        within(name, Called("instrument", "--help").out)


def run_passes_structures_and_sets_variables(work: Path) -> None:
    text = TEXT + """.visible .global .align 4 .b8 factor[8] = {1, 0, 0, 0, 2};
.visible .const .u64 to;
.entry k(.param .align 8 .b8 s[24])
{
\t.reg .b64 %d, %p;
\t.reg .b32 %a, %b, %c;
\tld.param.u8 %a, [s];
\tld.param.u64 %p, [s+8];
\tld.param.u32 %b, [s+16];
\tmad.lo.u32 %a, %a, 1000, %b;
\tld.global.u32 %b, [%p];
\tld.global.u32 %c, [factor];
\tmad.lo.u32 %a, %b, %c, %a;
\tld.global.u32 %c, [factor+4];
\tadd.u32 %a, %a, %c;
\tld.const.u64 %d, [to];
\tst.global.u32 [%d], %a;
\tret;
}
"""
    (work / "in").write_bytes(struct.pack("<I", 7))
    (work / "factor").write_bytes(struct.pack("<I", 100))
    called = Called("run", "-", "--arg", f"struct:u8:5,in:{work}/in,u32:30", "--set", f"factor=bytes:{work}/factor",
                    "--set", f"to=out:{work}/out:4", stdin=text.encode())
    same((called.status, called.err), (0, ""))
    same(struct.unpack("<I", (work / "out").read_bytes()), (5732,))
    called = Called("run", "-", "--arg", "struct:u32:1", "--set", "to=u64:0", stdin=text.encode())
    same((called.status, called.err), (2, "het-ptx: parameter 1 has 24 bytes, not 4\n"))
    called = Called("run", "-", "--arg", "struct:pad:24", "--set", "from=u64:0", stdin=text.encode())
    same((called.status, called.err), (2, "het-ptx: there is no variable from\n"))
    called = Called("run", "-", "--arg", "struct:pad:24", "--set", "to=struct:u64:0,u8:0", stdin=text.encode())
    same((called.status, called.err), (2, "het-ptx: variable to has 8 bytes, not 16\n"))


def every_pass_makes_a_good_text(work: Path) -> None:
    for passes in (*PASSES, "checkpoint,coalesce,dirty,touch,slice,resident"):
        new = work / "new.ptx"
        same(Called("instrument", "--pass", passes, BASIC, "-o", new).status, 0)
        same(new.read_text(), Called("instrument", "--pass", passes, BASIC).out)
        same(Called("info", new).status, 0)
        for name in passes.split(","):
            within(f" het_{name}_", new.read_text())


def sites_are_listed(work: Path) -> None:
    (work / "k.ptx").write_text(KERNEL)
    arguments = (work / "k.ptx", "--sites", work / "sites", "-o", work / "o")
    same(Called("instrument", "--pass", "dirty,coalesce", *arguments).status, 0)
    (site,) = json.loads((work / "sites").read_text())
    same((site["pass"], site["function"], site["instruction"]), ("coalesce", "k", "st.global.u32 [%d+8], 7;"))


def refusals_and_blind_spots_are_told(work: Path) -> None:
    text = TEXT + ".extern .func f;\n.entry k()\n{\n\tmov.u32 %r1, %envreg2;\n\tcall f;\n\tret;\n}\n"
    called = Called("instrument", "--pass", "slice", "-", stdin=text.encode())
    same((called.status, called.out), (1, ""))
    within("-:7:2: reads an %envreg", called.err)
    called = Called("instrument", "--pass", "dirty", "-", stdin=text.encode())
    same(called.status, 0)
    within("-:8:2: calls a function that is not in this text, at 'call f;' (pass dirty)", called.err)


def runs_with_files(work: Path) -> None:
    a = [float(i) for i in range(100)]
    (work / "a").write_bytes(struct.pack("100f", *a))
    arguments = ("--kernel", "vector_add", "--grid", 2, "--block", 64, "--arg", f"in:{work}/a", "--arg", f"in:{work}/a",
                 "--arg", f"out:{work}/c:400", "--arg", "u32:100")
    for mode in ((), ("--independent", "--seed", "3", "--check-defined", "--check-races")):
        called = Called("run", BASIC, *arguments, *mode)
        same((called.status, called.err), (0, ""))
        same(struct.unpack("100f", (work / "c").read_bytes()), tuple(2 * v for v in a))
        (work / "c").unlink()
    report = json.loads(Called("run", BASIC, *arguments, "--json", "--statistics").out)
    same(report["findings"], [])
    same(sum(s.get("lines", 0) for s in report["instructions"]), 3 * 4)


def instrumented_kernels_run(work: Path) -> None:
    plain = Called("run", BASIC, "--kernel", "newton_sqrt", "--block", 32, "--arg", "zero:256", "--arg", "show:f64:32",
                   "--arg", "u32:32", "--arg", "s32:3")
    same(plain.status, 0)
    Called("instrument", "--pass", "coalesce,touch,slice", BASIC, "-o", work / "new.ptx")
    new = Called("run", work / "new.ptx", "--kernel", "newton_sqrt", "--block", 32, "--arg", "zero:256", "--arg",
                 "show:f64:32", "--arg", "u32:32", "--arg", "s32:3", "--arg", "u64:0")
    same(new.status, 0)
    same(new.out.splitlines()[0], plain.out.splitlines()[0])


def threads_become_warps(work: Path) -> None:
    called = Called("instrument", "--pass", "soft-stack,uniform-simt", CORPUS / "simd.ptx", "-o", work / "warps.ptx")
    same((called.status, called.err), (0, ""))
    new = Called("run", work / "warps.ptx", "--kernel", "count", "--block", 96, "--independent", "--arg", "show:u32:4",
                 "--arg", "zero:12288", "--arg", "u64:4096")
    same((new.status, new.out.splitlines()[0]), (0, "argument 1: 3 96 33 3"))
    called = Called("instrument", "--pass", "uniform-simt", CORPUS / "warp.ptx")
    same((called.status, called.out), (1, ""))
    within("warp functions have a meaning inside SIMD regions only", called.err)
    text = TEXT + ".extern .func f;\n.entry k()\n{\n\tcall f;\n\tret;\n}\n"
    called = Called("instrument", "--pass", "uniform-simt", "-", stdin=text.encode())
    within("-:7:2: calls a function that is not in this text, for each lane", called.err)
    called = Called("instrument", "--pass", "uniform-simt", "--master-call", "f", "-", stdin=text.encode())
    same((called.status, called.err), (0, ""))
    text = KERNEL.replace("\tst.", "\t.reg .b32 %r;\n\tld.global.u32 %r, [%d];\n\tst.")
    for flags, shuffles in (((), 0), (("--racy-loads",), 1)):
        called = Called("instrument", "--pass", "uniform-simt", *flags, "-", stdin=text.encode())
        same((called.status, called.out.count("shfl.sync")), (0, shuffles))


def failing_kernels_are_told(work: Path) -> None:
    (work / "k.ptx").write_text(KERNEL)
    called = Called("run", work / "k.ptx", "--arg", "zero:8")
    same(called.status, 1)
    within("error: 8:2: writes 4 bytes at 0x", called.out)
    within("at 'st.global.u32 [%d+8], 7;'", called.out)
    called = Called("run", work / "k.ptx", "--arg", "u32:1")
    same((called.status, called.err), (2, "het-ptx: parameter 1 has 8 bytes, not 4\n"))


def differences_are_shown(work: Path) -> None:
    (work / "a.ptx").write_text(KERNEL)
    (work / "b.ptx").write_text(KERNEL.replace("\t", "  ") + "// blanks and comments do not count\n")
    called = Called("diff", work / "a.ptx", work / "b.ptx")
    same((called.status, called.out), (0, ""))
    (work / "b.ptx").write_text(KERNEL.replace("7;", "8;"))
    called = Called("diff", work / "a.ptx", work / "b.ptx")
    same(called.status, 1)
    same(called.out.splitlines(), ["k: 1 statements taken away, 1 added", "-     8  st.global.u32 [%d+8], 7;",
                                   "+     8  st.global.u32 [%d+8], 8;"])


def lz4(text: bytes) -> bytes:
    """Literals, then a copy of the last 20 bytes of them, then the literals that end a block."""
    head, tail = text[:-40], text[-20:]
    if text[-40:-20] != head[-20:] or len(head) < 270:
        raise AssertionError("not the text that this was made for")
    literals = bytes([0xFF] + [0xFF] * ((len(head) - 15) // 255) + [(len(head) - 15) % 255])
    return literals + head + struct.pack("<H", 20) + bytes([20 - 4 - 15]) + bytes([0xF0, len(tail) - 15]) + tail


def zstd(text: bytes) -> bytes:
    """A frame with one block that is not compressed."""
    return struct.pack("<IBH", 0xFD2FB528, 0x60, len(text) - 256) + struct.pack("<I", 1 | len(text) << 3)[:3] + text


def fatbin(*entries: tuple[bytes, int, int]) -> bytes:
    """Of (data, flags, size of the text) each."""
    body = b""
    for data, flags, size in entries:
        padded = data + bytes(-len(data) % 8)
        packed = len(data) if flags else 0
        # An entry has its kind, version and sizes; options; version and target; name and flags; the text's size, and
        # another name.
        body += struct.pack("<HHIQII", 1, 0x101, 0x50, len(padded), packed, 0x40)
        body += struct.pack("<HHIQQ", 0, 9, 75, 0, 0x11 | flags) + struct.pack("<QQQQ", 0, size, 0x48, 0)
        body += padded
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


LONG_TEXT = (KERNEL + "//" + "x" * 300).encode()
COMPRESSED = {"lz4": (lz4(LONG_TEXT), 0x2000), "zstd": (zstd(LONG_TEXT), 0x8000)}


def fat_binaries_are_read(work: Path) -> None:
    for name, (data, flags) in {"plain": (LONG_TEXT, 0), **COMPRESSED}.items():
        (work / name).write_bytes(b"\x7fELF rubbish\0\0\0" + fatbin((data, flags, len(LONG_TEXT))) + bytes(9))
        called = Called("info", work / name)
        if "and there is no lib" in called.err:
            raise Skip(called.err.strip())
        same((name, called.status, called.err), (name, 0, ""))
        within("kernel k(u64)", called.out)


def damaged_fat_binaries_are_refused(work: Path) -> None:
    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))

    size = len(LONG_TEXT)
    for name, (data, flags) in COMPRESSED.items():
        sizes = (size - 1, size + 1, (1 << 30) - 1, 1 << 60)
        for case in ((data[:-9], size), (data[::-1], size), (b"", size), *((data, s) for s in sizes)):
            (work / name).write_bytes(fatbin((case[0], flags, case[1])))
            called = Called("info", work / name, limit=little_memory)
            if "and there is no lib" in called.err:
                raise Skip(called.err.strip())
            same((name, *case, called.status), (name, *case, 2))
            within("the text for sm_75: it is damaged", called.err)


def texts_are_chosen(work: Path) -> None:
    texts = [(KERNEL.replace(" k(", f" k{n}(")).encode() for n in (1, 2)]
    (work / "two").write_bytes(fatbin(*((t, 0, len(t)) for t in texts)))
    called = Called("instrument", "--pass", "dirty", work / "two")
    same(called.status, 2)
    within("2 texts; choose one with --text", called.err)
    within(".entry k2(", Called("instrument", "--pass", "dirty", "--text", 2, work / "two").out)
    same(Called("instrument", "--pass", "dirty", "--text", 3, work / "two").status, 2)


def nvcc_programs_are_read(work: Path) -> None:
    if not shutil.which("nvcc"):
        raise Skip("nvcc is not installed")
    for mode in ("--no-compress", "--compress-mode=speed", "--compress-mode=size"):
        command = ["nvcc", "-c", "-gencode", "arch=compute_75,code=[compute_75,sm_75]", mode, str(CORPUS / "basic.cu")]
        subprocess.run([*command, "-o", str(work / "basic.o")], check=True, capture_output=True)
        called = Called("info", work / "basic.o")
        same((mode, called.status, called.err), (mode, 0, ""))
        within("kernel matvec(", called.out)


def gcc_programs_are_read(work: Path) -> None:
    options = [f"-foffload-options=nvptx-none={o}" for o in ("-misa=sm_75", "-Wa,--no-verify")]
    command = ["gcc-12", "-O2", "-fopenmp", "-foffload=nvptx-none", *options, str(CORPUS / "regions.c")]
    command += ["-o", str(work / "regions")]
    if not shutil.which("gcc-12") or subprocess.run(command, capture_output=True).returncode:
        raise Skip("gcc-12 has no nvptx back end here")
    modules = json.loads(Called("info", "--json", work / "regions").out)
    names = [f["name"] for m in modules for f in m["functions"]]
    same(len(modules) > 10, True)
    same("vector_add$_omp_fn$0" in names and "gomp_nvptx_main" in names, True)


def ptxas_refuses(passes: str, file: Path, work: Path) -> str:
    text = work / f"{passes}-{file.name}"
    called = Called("instrument", "--pass", passes, file, "-o", text)
    if called.status:
        return called.err
    newest_only = ".target sm_90" in text.read_text()
    for target in ("sm_90",) if newest_only else ("sm_75", "sm_90"):
        # Optimising would take half of ptxas' time, and refuses nothing.
        command = ["ptxas", "-c", "-O0", f"-arch={target}", str(text), "-o", str(text) + "." + target]
        done = subprocess.run(command, capture_output=True)
        if done.returncode:
            return f"{file.name}, {passes}, {target}: {done.stderr.decode()}"
    return ""


def ptxas_takes_what_passes_make(work: Path) -> None:
    if not shutil.which("ptxas"):
        raise Skip("ptxas is not installed")
    lists = (*PASSES, "inspect,resident", "checkpoint,coalesce,dirty,touch,slice,resident")
    # GCC's texts need other texts, which slice and checkpoint do not see, and SIMD regions need uniform-simt.
    jobs = [(p, f) for f in sorted(CORPUS.glob("*.ptx")) for p in lists if f.stem not in ("regions", "simd")]
    jobs += [(p, CORPUS / "regions.ptx") for p in ("coalesce", "dirty", "touch")]
    jobs += [(f"soft-stack,uniform-simt,{p}", CORPUS / "simd.ptx") for p in lists]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [w for w in pool.map(lambda job: ptxas_refuses(*job, work), jobs) if w]
    same(wrong, [])


def main() -> int:
    cases: list[Callable[[Path], None]] = [
        info_lists_kernels,
        info_reads_the_standard_input,
        info_tells_where_kernels_stop,
        faults_name_line_column_and_text,
        missing_files_are_named,
        wrong_command_lines_fail,
        every_pass_makes_a_good_text,
        sites_are_listed,
        refusals_and_blind_spots_are_told,
        runs_with_files,
        run_passes_structures_and_sets_variables,
        instrumented_kernels_run,
        threads_become_warps,
        failing_kernels_are_told,
        differences_are_shown,
        fat_binaries_are_read,
        damaged_fat_binaries_are_refused,
        texts_are_chosen,
        nvcc_programs_are_read,
        gcc_programs_are_read,
        ptxas_takes_what_passes_make,
    ]
    return run_cases(cases, "het-ptx-")


if __name__ == "__main__":
    sys.exit(main())
