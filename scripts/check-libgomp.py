#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs libgomp's own tests of target regions, in C and C++, through het-openmp.

    check-libgomp.py compile SUITE PROGRAMS [--jobs N]
    check-libgomp.py run PROGRAMS [--build build] [--peer FOLDER] [--jobs N] [--limit SECONDS] [--only REGEX]

SUITE is the folder libgomp/testsuite of GCC's sources, which Debian's package gcc-12-source has. PROGRAMS gets a
program for each test that is to be run, with how it is to be judged (tests.json), so it can be taken to a machine with a
GPU. What a test must do is what its own dg-… lines say, as far as they matter here; those that are only compiled are left
out.

Each program runs through libhet, and beside it in another way: with GCC's own plug-in (--peer: the folder that has it
and its libgomp.so.1), or with no device at all. What passes there must pass here; the exit status tells.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = {"libgomp.c": "c", "libgomp.c-c++-common": "c", "libgomp.c++": "c++"}
COMPILERS = {"c": "gcc-12", "c++": "g++-12"}
DEVICE_OPTIONS = "-misa=sm_75 -Wa,--no-verify -latomic"
OFFLOAD = ["-fopenmp", "-no-pie", "-foffload=nvptx-none", f"-foffload-options=nvptx-none={DEVICE_OPTIONS}"]
HAS_TARGET = re.compile(r"pragma omp.*\btarget\b|\bomp_target_")
DIRECTIVE = re.compile(r"\{\s*dg-([a-z-]+)(.*?)\s\}(?=\s*(?:\*/|$))", re.M)
SELECTOR = re.compile(r"\{\s*target\s+(.*?)\s*\}\s*$")
HOLDS = {"c": {"c"}, "c++": {"c++"}}
HOLDS_IN_BOTH = {"offload_target_nvptx", "offload_device_nonshared_as", "lto", "__float128"}
PASSES, TOO_LONG = "pass", "too long"


@dataclass
class Test:
    name: str
    language: str
    options: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    output: list[str] = field(default_factory=list)
    should_fail: bool = False
    left_out: str = ""

    @property
    def file(self) -> str:
        return self.name.replace("/", "--")


def words_of(text: str) -> list[str]:
    """Tcl's words: quoted, braced, or plain."""
    found = re.findall(r'"((?:\\.|[^"\\])*)"|\{([^{}]*)\}|(\S+)', text)
    return [quoted or braced or plain for quoted, braced, plain in found]


def unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r"}.get(m[1], m[1]), text)


def holds(selector: str, language: str) -> bool:
    names = re.findall(r"[^\s{}|&]+", selector)
    known = HOLDS[language] | HOLDS_IN_BOTH
    return any(n in known or n.startswith(("x86_64", "*-*-*")) for n in names)


def read_directive(test: Test, name: str, rest: str) -> None:
    chosen = SELECTOR.search(rest)
    words = words_of(rest[: chosen.start()] if chosen else rest)
    if chosen and not holds(chosen[1], test.language):
        if name == "do":
            test.left_out = f"is for {chosen[1]}"
        return
    if name == "do" and words[0] != "run":
        test.left_out = f"is not run ({words[0]})"
    elif name in ("error", "excess-errors", "skip-if", "xfail-if"):
        # The host's compiler is what the directive names no target for.
        if not chosen or name != "skip-if":
            test.left_out = f"is not run (dg-{name})"
    elif name in ("options", "additional-options"):
        test.options += words[0].split() if words else []
    elif name == "additional-sources":
        test.sources += words
    elif name == "set-target-env-var":
        test.environment[words[0]] = words[1]
    elif name == "output":
        test.output.append(unquoted(words[0]))
    elif name == "shouldfail":
        test.should_fail = True


def read_test(source: Path, language: str) -> Test | None:
    text = source.read_text(errors="replace")
    included = re.findall(r'^#include "([^"]+)"', text, re.M)
    near = "".join(p.read_text(errors="replace") for i in included if (p := source.parent / i).exists())
    if not HAS_TARGET.search(text + near) or source.name.endswith("-aux.c"):
        return None
    test = Test(f"{source.parent.name}/{source.name}", language)
    for name, rest in DIRECTIVE.findall(text):
        read_directive(test, name, rest)
    return test


def read_suite(suite: Path) -> list[Test]:
    tests = []
    for folder, language in FOLDERS.items():
        for source in sorted((suite / folder).iterdir()):
            if source.suffix in (".c", ".C") and (test := read_test(source, language)):
                tests.append(test)
    return tests


def compile_test(suite: Path, programs: Path, test: Test) -> None:
    source = suite / test.name
    options = ["-O2", *test.options] if not any(o.startswith("-O") for o in test.options) else test.options
    command = [COMPILERS[test.language], *OFFLOAD, *options, source, *(source.parent / s for s in test.sources)]
    done = subprocess.run([*command, "-o", programs / test.file, "-lm"], capture_output=True, text=True, cwd=programs)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        test.left_out = "does not compile: " + (lines[0].strip() if lines else done.stderr.strip())[-200:]


def compile_all(a: argparse.Namespace) -> int:
    a.programs.mkdir(parents=True, exist_ok=True)
    tests = read_suite(a.suite)
    if not tests:
        print(f"{a.suite} has no tests of target regions")
        return 2
    with ThreadPoolExecutor(a.jobs) as pool:
        list(pool.map(lambda t: compile_test(a.suite.resolve(), a.programs.resolve(), t),
                      [t for t in tests if not t.left_out]))
    (a.programs / "tests.json").write_text(json.dumps([asdict(t) for t in tests], indent=1))
    for t in tests:
        if t.left_out:
            print(f"left out: {t.name} {t.left_out}")
    print(f"{sum(not t.left_out for t in tests)} programs of {len(tests)} tests")
    return 0


def judge(test: Test, done: subprocess.CompletedProcess[str]) -> str:
    if (done.returncode != 0) != test.should_fail:
        said = (done.stdout + done.stderr).strip().splitlines()
        return f"status {done.returncode}" + (f": {said[-1][:160]}" if said else "")
    text = done.stdout + done.stderr
    missing = [o for o in test.output if not re.search(o, text)]
    return f"says nothing like {missing[0]!r}" if missing else PASSES


def run_program(programs: Path, test: Test, command: list[object], env: dict[str, str], limit: float) -> str:
    try:
        done = subprocess.run(
            [*map(str, command), str(programs / test.file)],
            env=env | test.environment,
            timeout=limit,
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return TOO_LONG
    return judge(test, done)


def ways(a: argparse.Namespace) -> tuple[str, dict[str, tuple[list[object], dict[str, str]]]]:
    plain = {n: v for n, v in os.environ.items() if not n.startswith(("HET_", "GPUVM_", "OMP_", "GOMP_"))}
    path = [str(a.peer)] if a.peer else [str(a.build / "fake")]
    ours = plain | {"LD_LIBRARY_PATH": ":".join(path), "GPUVM_QUIET": "1"}
    ours |= {n: v for n, v in os.environ.items() if n.startswith(("HET_", "GPUVM_"))}
    if a.peer:
        other, env = "GCC's plug-in", plain | {"LD_LIBRARY_PATH": str(a.peer)}
    else:
        other, env = "no device", plain | {"OMP_TARGET_OFFLOAD": "disabled"}
    return other, {"libhet": ([a.build / "bin/het-openmp"], ours), other: ([], env)}


def report(test: Test, result: dict[str, str], other: str) -> bool:
    """Names a test that does not pass in both ways; returns whether it passes in the other way alone."""
    is_worse = result[other] == PASSES != result["libhet"]
    if any(r != PASSES for r in result.values()):
        how = "; ".join(f"{way}: {r}" for way, r in result.items())
        print(f"{'WORSE' if is_worse else 'other'}: {test.name}: {how}", flush=True)
    return is_worse


def run_all(a: argparse.Namespace) -> int:
    only = re.compile(a.only)
    tests = [Test(**t) for t in json.loads((a.programs / "tests.json").read_text())]
    tests = [t for t in tests if not t.left_out and only.search(t.name)]
    other, all_ways = ways(a)

    def run_both(test: Test) -> dict[str, str]:
        return {way: run_program(a.programs.resolve(), test, *how, a.limit) for way, how in all_ways.items()}

    worse, results = 0, []
    with ThreadPoolExecutor(a.jobs) as pool:
        for test, result in zip(tests, pool.map(run_both, tests)):
            results.append(result)
            worse += report(test, result, other)
    for way in all_ways:
        counts = Counter("pass" if r[way] == PASSES else "fail" for r in results)
        print(f"{way}: {counts['pass']} of {len(tests)} pass")
    return 1 if worse or not tests else 0


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    kinds = p.add_subparsers(required=True)
    c = kinds.add_parser("compile")
    c.add_argument("suite", type=Path)
    c.add_argument("programs", type=Path)
    c.set_defaults(act=compile_all)
    r = kinds.add_parser("run")
    r.add_argument("programs", type=Path)
    r.add_argument("--build", type=Path, default=ROOT / "build")
    r.add_argument("--peer", type=Path)
    r.add_argument("--limit", type=float, default=60)
    r.add_argument("--only", default="")
    r.set_defaults(act=run_all)
    a = p.parse_args()
    return a.act(a)


if __name__ == "__main__":
    sys.exit(main())
