#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-analyse against random kernels whose accesses are known work-item by work-item: a kernel that is said to be safe
must have no two groups that use a byte which one of them writes, and work-items use no bytes outside of their reach.
Prints KTAP; the first argument is the program (build/bin/het-analyse), the second one how many kernels, the third a
seed."""

import json
import os
import shutil
import struct
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path

import command_line
from command_line import Skip, run_cases, same
from random_kernels import ARRAY_BYTES, CONTENTS, FormMaker, Item, Kernel, Launch, Maker, Undefined, items_of

ROOT = Path(__file__).resolve().parents[2]
HET_ANALYSE = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/het-analyse")
KERNELS = int(sys.argv[2]) if len(sys.argv) > 2 else 150
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
CLANG = "clang-14 -x cl -w -target spir64-unknown-unknown -O2 -gline-tables-only -cl-kernel-arg-info " \
    "-Xclang -finclude-default-header"
CLANG += " -mllvm -inline-threshold=1000000 -emit-llvm -c"


def analysed(work: Path, source: str) -> list[dict]:
    """What het-analyse says of each kernel."""
    if not shutil.which("clang-14"):
        raise Skip("clang-14 is not installed")
    (work / "source.cl").write_text(source)
    subprocess.run([*CLANG.split(), work / "source.cl", "-o", work / "source.bc"], check=True)
    called = command_line.Called(HET_ANALYSE, work / "source.bc", "-o", work / "answers.het")
    same((called.status, called.err), (0, ""))
    listed = command_line.Called(str(Path(HET_ANALYSE).parent / "het-fatbin"), "list", "--json", work / "answers.het")
    return json.loads(listed.out)["kernels"]


def multiplier(axis: dict, launch: Launch) -> int:
    times = axis.get("times")
    if times is None:
        return 1
    if times.startswith("get_global_size"):
        return launch.size[int(times[-2])]
    value = launch.arguments[times]
    return value - (1 << 32) if value >> 31 else value


def reach_of(argument: dict, item: Item) -> tuple[int, int] | None:
    """The first byte and the one after the last, by the definition; nothing where it does not hold, or for no bytes."""
    launch, reach = item.launch, argument["reach"]
    first, end = reach["offset"], reach["offset"] + reach["length"]
    multipliers = [multiplier(axis, launch) for axis in reach["axes"]]
    for d, axis in enumerate(reach["axes"]):
        one = item.at[d] + (0 if axis["from_zero"] else launch.offset[d])
        if axis["bounded"] and one >= multipliers[1 - d]:
            return 0, 0
        first += axis["step"] * multipliers[d] * (one + axis["first"])
        end += axis["step"] * multipliers[d] * (one + axis["last"])
    return first, end


def has_reach(argument: dict, launch: Launch) -> bool:
    return "reach" in argument and all(0 < multiplier(axis, launch) < 1 << 31 for axis in argument["reach"]["axes"])


def group(item: Item) -> tuple[int, int, int]:
    return item.query("group_id", 0), item.query("group_id", 1), item.query("group_id", 2)


def has_conflict(items: list[Item]) -> bool:
    """Two groups use a byte that one of them writes."""
    users: dict[tuple[str, int], set] = {}
    written = set()
    for item in items:
        for array, first, count, writes in item.accesses:
            for byte in range(first, first + count):
                users.setdefault((array, byte), set()).add(group(item))
                if writes:
                    written.add((array, byte))
    return any(len(users[byte]) > 1 for byte in written)


def has_pieces(argument: dict, items: list[Item]) -> bool:
    """The work-items' reaches have no byte in common, as find_pieces() wants it of what is written."""
    if not has_reach(argument, items[0].launch):
        return False
    seen: set[int] = set()
    for item in items:
        bytes_used = set(range(*reach_of(argument, item)))
        if seen & bytes_used:
            return False
        seen |= bytes_used
    return True


def is_allowed(kernel: dict, items: list[Item]) -> bool:
    """The launch is of the kind for which the answer holds."""
    launch = items[0].launch
    if kernel["split"]["answer"] != "safe" or any(size > 1 for size in launch.size[kernel["dimensions"] :]):
        return False
    return all(
        "reach" not in a or has_pieces(a, items) for a in kernel["arguments"] if "write" in a.get("found", "")
    )


def check_reaches(kernel: dict, items: list[Item], also_reads: bool) -> None:
    for argument in kernel["arguments"]:
        found = argument.get("found")
        if found is None or not has_reach(argument, items[0].launch):
            continue
        for item in items:
            first, end = reach_of(argument, item)
            for array, at, count, writes in item.accesses:
                count = count if writes else 1  # the compiler may leave out the high bytes of what is read
                if array == argument["name"] and (writes or also_reads) and not first <= at <= at + count <= end:
                    raise AssertionError(f"bytes {at} to {at + count} of {array}, reach {first} to {end}")


def words_of(kernel: str, launch: Launch) -> str:
    """As het-fatbin launches reads them."""
    numbers = [launch.arguments[name] for name in ("n", "w", "m", "h")]
    arguments = ["-"] * 3 + [n - (1 << 32) if n >> 31 else n for n in numbers]
    return " ".join(map(str, [kernel, *launch.size, *launch.local, *launch.offset, *arguments]))


def are_apart(answers: Path, asked: list[tuple[str, Launch]]) -> list[bool]:
    """What the runtime finds out for each launch."""
    lines = "\n".join(words_of(*one) for one in asked) + "\n"
    program = str(Path(HET_ANALYSE).parent / "het-fatbin")
    called = command_line.Called(program, "launches", answers, stdin=lines.encode())
    same((called.status, called.err), (0, ""))
    return [line == "apart" for line in called.out.splitlines()]


@dataclass
class Counted:
    launches: int = 0
    independent: int = 0
    by_rule: int = 0  # counts independent ones that are safe by what is known of all launches
    safe: int = 0  # counts those that are safe by their numbers, too

    def add(self, other: "Counted") -> None:
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(other, f.name))

    def __str__(self) -> str:
        return f"{self.launches} launches, {self.independent} independent, {self.by_rule} safe by their kernels, " \
            f"{self.safe} with their numbers"


def check(made: Kernel, answer: dict, launches: list[tuple[Launch, bool]]) -> Counted:
    counted = Counted()
    for launch, is_apart in launches:
        try:
            items = items_of(made, launch)
        except Undefined:
            continue
        try:
            check_reaches(answer, items, made.is_sum)
            by_rule, is_independent = is_allowed(answer, items), not has_conflict(items)
            if (by_rule or is_apart) and not is_independent:
                raise AssertionError(
                    "two groups share a byte" + ("" if by_rule else ", though its numbers keep them apart"))
        except AssertionError as wrong:
            raise AssertionError(f"{wrong}\n# {answer['split']}\n# {launch}\n{made.text}") from wrong
        counted.add(Counted(1, is_independent, by_rule and is_independent, (by_rule or is_apart) and is_independent))
    return counted


def check_all(work: Path, maker: Maker) -> Counted:
    """Prints what was found, form by form."""
    kernels = [maker.kernel(f"k{n}") for n in range(KERNELS)]
    answers = analysed(work, "\n".join(k.text for k in kernels))
    same([a["name"] for a in answers], [f"k{n}" for n in range(KERNELS)])
    launches = [(n, launch) for n in range(KERNELS) for launch in maker.launches()]
    apart = are_apart(work / "answers.het", [(f"k{n}", launch) for n, launch in launches])
    of_kernel: list[list[tuple[Launch, bool]]] = [[] for _ in kernels]
    for (n, launch), is_apart in zip(launches, apart, strict=True):
        of_kernel[n].append((launch, is_apart))
    forms: dict[str, Counted] = {}
    for kernel, answer, asked in zip(kernels, answers, of_kernel, strict=True):
        forms.setdefault(kernel.form, Counted()).add(check(kernel, answer, asked))
    total = Counted()
    for form, counted in sorted(forms.items()):
        print(f"# {form}: {counted}")
        total.add(counted)
    return total


def answers_are_sound(work: Path) -> None:
    total = check_all(work, Maker(SEED))
    if total.safe * 10 < total.launches:
        raise AssertionError("hardly any launch is safe: nothing was tried")


def answers_about_forms_are_sound(work: Path) -> None:
    total = check_all(work, FormMaker(SEED))
    if total.safe * 2 < total.independent:
        raise AssertionError("most of what is independent is not known to be")


def ran_split(file: Path, kernel: str, launch: Launch, arguments: list[str]) -> int:
    """Runs a kernel on PoCL twice at once, and compares with a run on one device. Returns how many took part."""
    environment = os.environ | {"POCL_DEVICES": "pthread pthread", "HET_DEVICES": "opencl"}
    program = str(Path(HET_ANALYSE).parent / "het-run")
    command = [program, str(file), kernel, "--device", "all", "--policy", "dynamic", "--check", "--json"]
    for option, sizes in (("--global", launch.size), ("--local", launch.local), ("--offset", launch.offset)):
        command += [option, ",".join(map(str, sizes))]
    for argument in arguments:
        command += ["--arg", argument]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{kernel} with {launch}: {done.stderr}")
    report = json.loads(done.stdout)
    same(report["same_as_on_one_device"], True)
    return sum(d["parts"] > 0 for d in report["devices"])


def fat_binary(work: Path, source: str) -> Path:
    made = work / "made.het"
    built = command_line.Called(
        str(Path(HET_ANALYSE).parent / "het-fatbin"), "build", "-", "-o", made, "--targets", "opencl",
        stdin=source.encode()
    )
    if "there is no OpenCL" in built.err:
        raise Skip("no OpenCL driver with a compiler is installed")
    if built.status:
        raise AssertionError(built.err)
    return made


# The kernels are a stencil, rows with a guard that ends beyond them, and work-items that use local memory, on arrays of
# many chunks.
SAFE = """kernel void line(global float *c, global const float *a, int n)
{
	int i = get_global_id(0);
	if (i > 0 && i < n - 1)
		c[i] = a[i - 1] + a[i + 1] + get_group_id(0);
}
kernel void plane(global int *c, global const int *a, int w)
{
	int x = get_global_id(0), y = get_global_id(1);
	if (x < w)
		c[y * w + x] += a[y * w + x] * 3 + get_global_size(1);
}
kernel void pairs(global uchar *c, local int *l)
{
	size_t i = get_global_id(0);
	l[get_local_id(0)] = i;
	barrier(CLK_LOCAL_MEM_FENCE);
	c[2 * i + 1] = c[2 * i] + l[get_local_size(0) - 1 - get_local_id(0)];
}
"""


def safe_kernels_give_the_same_when_split(work: Path) -> None:
    analysed_as_safe = [k["split"]["answer"] for k in analysed(work, SAFE)]
    same(analysed_as_safe, ["safe"] * 3)
    file = fat_binary(work, SAFE)
    n = 1 << 18
    line, plane = Launch((n, 1, 1), (64, 1, 1), (0, 0, 0), {}), Launch((520, 512, 1), (8, 1, 1), (0, 0, 0), {})
    same(ran_split(file, "line", line, ["zeros", "random", str(n)]), 2)
    same(ran_split(file, "plane", plane, [f"index,size={n}", f"random:5,size={n}", "512"]), 2)
    same(ran_split(file, "pairs", line, [f"random,size={2 * n}", "256"]), 2)


def random_safe_kernels_give_the_same_when_split(work: Path) -> None:
    maker = Maker(SEED)
    kernels = [maker.kernel(f"k{n}") for n in range(60)]
    source = "\n".join(k.text for k in kernels)
    answers = analysed(work, source)
    file = fat_binary(work, source)
    (work / "a").write_bytes(struct.pack(f"<{ARRAY_BYTES // 4}i", *CONTENTS[: ARRAY_BYTES // 4]))
    array = f"zeros,size={ARRAY_BYTES // 4}"
    ran = 0
    for kernel, answer in zip(kernels, answers, strict=True):
        for launch in maker.launches():
            try:
                is_wanted = is_allowed(answer, items_of(kernel, launch))
            except Undefined:
                continue
            if is_wanted and ran < 4:
                ran += 1
                numbers = [str(launch.arguments[name]) for name in ("n", "w", "m", "h")]
                ran_split(file, answer["name"], launch, [array, array, f"@{work / 'a'}", *numbers])
    same(ran, 4)


CASES = [answers_are_sound, answers_about_forms_are_sound, safe_kernels_give_the_same_when_split,
    random_safe_kernels_give_the_same_when_split]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, "het-analyse-"))
