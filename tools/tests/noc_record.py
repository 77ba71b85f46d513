#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""noc-record and noc-sim --play as they are: what the programs compute is right, what is recorded is always the same and
is what they do, and Netrace files are played like what they were made of. Prints KTAP."""

import json
import struct
import sys
from pathlib import Path

from command_line import Called, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
RECORD, SIM = ROOT / "build/bin/noc-record", ROOT / "build/bin/noc-sim"
# Sizes for 64 threads that take no time.
SMALL = {
    "black-scholes": 1024,
    "lu": 40,
    "fft": 1024,
    "radix-sort": 2048,
    "stencil": 66,
    "n-body": 96,
    "spmv": 512,
    "k-median": 256,
}


def recorded(program: str, path: Path, *more: object) -> str:
    called = Called(RECORD, "--program", program, path, "--size", SMALL[program], *more)
    same((called.status, called.err), (0, ""))
    return called.out


def events(path: Path) -> list[list[tuple[int, int, int]]]:
    """Of each thread: kind, gap and line."""
    data = path.read_bytes()
    same(data[:8], b"het-acc1")
    numbers = struct.unpack(f"<{len(data) // 8 - 1}Q", data[8:])
    threads, at = [], 1
    for _ in range(numbers[0]):
        count = numbers[at]
        threads.append([(n >> 62, n >> 48 & 0x3fff, n & (1 << 48) - 1) for n in numbers[at + 1:at + 1 + count]])
        at += 1 + count
    same(at, len(numbers))
    return threads


def every_program_is_right_and_recorded_alike_twice(work: Path) -> None:
    for program in SMALL:
        for name in ("a", "b"):
            within(", right", recorded(program, work / name))
        same((work / "a").read_bytes() == (work / "b").read_bytes(), True)


# A plate of 66 rows, 4 threads, 6 steps: each inner row is written, and read with the rows beside it.
def what_the_stencil_does_is_recorded(work: Path) -> None:
    recorded("stencil", work / "a", "--threads", 4)
    side, line = 66, 64 // 8
    for thread, did in enumerate(events(work / "a")):
        same(len([e for e in did if e[0] == 2]), 6 + 1)
        first = did[:[e[0] for e in did].index(2)]
        rows = [y for y in range(side * thread // 4, side * (thread + 1) // 4) if 0 < y < side - 1]
        inner = [y * side + x for y in rows for x in range(1, side - 1)]
        second = -(-side * side // line)  # the line where the array that is written begins
        same({e[2] - second for e in first if e[0] == 1}, {i // line for i in inner})
        read = {n for i in inner for n in (i - side, i - 1, i + 1, i + side)}
        same({e[2] for e in first if e[0] == 0}, {n // line for n in read})
        # Nothing is lost: the rest is the time of a line that was used just before.
        accesses = 5 * len(inner)
        same(accesses <= sum(1 + e[1] for e in first) <= accesses + 16 * len(rows) + 64, True)


# A line that was read just before is written all the same: rows of LU are changed in place.
def a_write_after_a_read_of_its_line_is_recorded(work: Path) -> None:
    recorded("lu", work / "a", "--threads", 4)
    rows, line = SMALL["lu"], 64 // 8
    for thread, did in enumerate(events(work / "a")):
        first = did[:[e[0] for e in did].index(2)]
        inner = [i * rows + j for i in range(1, rows) if i % 4 == thread for j in range(rows)]
        same({e[2] for e in first if e[0] == 1}, {n // line for n in inner})


# 96 blocks of 32 threads that copy 16 bytes each in reversed order, on 64 cores: a block reads 8 lines, then writes 8.
def what_the_blocks_of_a_kernel_do_is_recorded(work: Path) -> None:
    arguments = ["--kernel", "copy_16", "--grid", 96, "--block", 32]
    arguments += [a for value in ("zero:49152", "zero:49152", "u32:3072") for a in ("--arg", value)]
    text = ROOT / "runtime/ptx/tests/corpus/vectors.ptx"
    same(Called(ROOT / "build/bin/noc-record-ptx", "--ptx", text, *arguments, work / "a").status, 0)
    threads = events(work / "a")
    reads, writes = (min(e[2] for did in threads for e in did if e[0] == kind) for kind in (0, 1))
    for core, did in enumerate(threads):
        blocks = [b for b in (core, core + 64) if b < 96]
        same(sorted(e[::2] for e in did), sorted(a for b in blocks for i in range(8)
                                                 for a in ((0, reads + 8 * b + i), (1, writes + 8 * (95 - b) + i))))
        if len(blocks) == 1:
            same([e[0] for e in did], [0] * 8 + [1] * 8)
        same([e[1] > 0 for e in did[:8]], [True] + [False] * 7)  # other instructions come first
    network = ["--network", "two-layers", "--routing", "yx", "--policy", "dor", "adaptive"]
    same(Called(SIM, *network, "--play", work / "a").status, 0)


def a_saved_trace_is_played_like_what_it_was_made_of(work: Path) -> None:
    recorded("fft", work / "a")
    network = ["--network", "two-layers", "--routing", "yx", "--policy", "dor", "dll", "--l1-bytes", 1024]
    made = Called(SIM, *network, "--play", work / "a", "--save", work / "b", "--json", work / "made.json")
    played = Called(SIM, *network, "--play", work / "b", "--json", work / "played.json")
    same((made.status, played.status), (0, 0))
    same((work / "b").read_bytes()[:4], b"UTJH")
    results = [{row["name"]: row["median"] for row in json.loads((work / f"{name}.json").read_text())["results"]}
               for name in ("made", "played")]
    same({n: v for n, v in results[0].items() if "/" in n}, results[1])
    same(results[0]["misses"] < results[0]["accesses"], True)
    same(results[1]["dll/cycles"] > 0, True)


def what_is_no_trace_is_refused(work: Path) -> None:
    (work / "a").write_bytes(b"BZh91AY&SY")
    called = Called(SIM, "--network", "two-layers", "--routing", "yx", "--play", work / "a")
    same(called.status, 2)
    within("bzip2 -d", called.err)
    called = Called(SIM, "--network", "two-layers", "--play", work / "none")
    same(called.status, 2)
    within("cannot read", called.err)


if __name__ == "__main__":
    sys.exit(run_cases([
        every_program_is_right_and_recorded_alike_twice,
        what_the_stencil_does_is_recorded,
        a_write_after_a_read_of_its_line_is_recorded,
        what_the_blocks_of_a_kernel_do_is_recorded,
        a_saved_trace_is_played_like_what_it_was_made_of,
        what_is_no_trace_is_refused,
    ], "noc-record-"))
