#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Boots a kernel in QEMU, runs kselftests in it, and judges what they and the kernel said.

Prints one KTAP list of all their cases, and at last a line of counts. A time-out, a splat in the kernel's log or a
program that ended otherwise than it says is a failure. With --show the programs' output is printed as it comes, and
only their exit statuses and the kernel's log count.
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from allowance import Allowance, processor_seconds, wants_a_processor
from initramfs import Initramfs, Modules
from judges import Result, judge_ktap, judge_plain
from steps import summarise

HERE = Path(__file__).resolve().parent
# The share with the host needs these, and a block device in memory is a target for O_DIRECT.
GUEST_MODULES = ["virtio_pci", "9pnet_virtio", "9p", "brd"]
# A processor that has nothing to do leaves the host's to others. ACPI's interrupt routing takes long enough for the kernel
# to give it up where the host is busy; virtio needs none. There the first timer interrupts come late, too, and the kernel
# gives up at boot unless it is told not to look. Its watchdogs go by the clock, and a busy host may leave a processor of
# the guest alone for half a minute: they wait for two minutes, less than check.sh gives any job.
KERNEL_ARGUMENTS = (
    "console=ttyS0 loglevel=5 log_buf_len=4M oops=panic panic=-1 idle=halt mitigations=off pci=noacpi no_timer_check "
    "watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120"
)
SPLAT = re.compile(
    r"""\bWARNING:|\bBUG\b|KASAN|KCSAN|KFENCE|UBSAN|ODEBUG|Oops|general\ protection|unable\ to\ handle|Kernel\ panic|
    INFO:\ (?:task|rcu|possible|trying)|possible\ (?:circular|recursive|irq)|inconsistent\ lock|suspicious\ RCU|
    lock\ held\ when|held\ lock\ freed|bad\ unlock|scheduling\ while\ atomic|sleeping\ function|
    (?:soft|hard)\ ?(?:lockup|LOCKUP)|detected\ stall|blocked\ for\ more\ than|Bad\ (?:page|rss)|
    refcount_t|list_(?:add|del)\ corruption|page\ allocation\ failure|Objects\ remaining|unreferenced\ object|
    circular\ locking|nobody\ cared|double\ free|use-after-free|stack\ (?:guard|is\ corrupted)""",
    re.VERBOSE,
)
MARK = re.compile(r"vm: (begin|end) (\S+)")


@dataclass
class Job:
    """A program to run, or a module to load in place of the one before."""

    command: list[str]
    seconds: int
    name: str

    @property
    def is_module(self) -> bool:
        return self.command[0].endswith(".ko")


def jobs_of(options: argparse.Namespace) -> list[Job]:
    jobs: list[Job] = []
    for words in map(shlex.split, options.command):
        stem = Path(words[0]).stem
        again = sum(j.name.split(".")[0] == stem for j in jobs)
        name = f"{stem}.{again + 1}" if again else stem
        jobs.append(Job([str(Path(words[0]).absolute()), *words[1:]], options.job_seconds, name))
    return jobs


def pack(options: argparse.Namespace, jobs: list[Job]) -> bytes:
    image = Initramfs()
    image.add_program(options.busybox, "/bin/busybox")
    image.add_file(HERE / "init", "/init")
    modules = Modules(options.kernel).needed_for(GUEST_MODULES)
    for name, content in modules.items():
        image.add(f"/lib/modules/{name}.ko", content)
    image.add("/modules", "".join(f"/lib/modules/{name}.ko\n" for name in modules).encode())
    for path in [*options.file, *(Path(j.command[0]) for j in jobs)]:
        image.add_program(path.absolute())
    image.add("/jobs", script(options, jobs).encode())
    return image.finished()


def script(options: argparse.Namespace, jobs: list[Job]) -> str:
    lines = [f"export {name}={shlex.quote(value)}" for name, _, value in (e.partition("=") for e in options.env)]
    lines.append(f"end_at {options.seconds} &")
    for job in jobs:
        lines.append(f"{'module' if job.is_module else f'job {job.name} {job.seconds}'} {shlex.join(job.command)}")
    return "\n".join(lines) + "\n"


class Clock:
    """The guest's limits are counted by the seconds that its processors have run on ours, or in which none of them wanted
    to: a host that is busy with something else makes no limit shorter."""

    def __init__(self, path: Path, cpus: int) -> None:
        self.path, self.cpus = path, min(cpus, os.cpu_count() or 1)
        self.seconds = self.used = 0.0
        self.now = time.monotonic()
        self.write()

    def tick(self, used: float, waits: bool) -> None:
        """@used processor time in all; @waits says that no thread wants a processor."""
        now = time.monotonic()
        ran, passed = (used - self.used) / self.cpus, now - self.now
        self.seconds += max(ran, passed) if waits else max(ran, 0)
        self.used, self.now = used, now
        self.write()

    def write(self) -> None:
        new = self.path.with_suffix(".new")
        new.write_text(f"{int(self.seconds)}\n")
        new.replace(self.path)  # the guest never sees half a number


class Follower:
    """Prints what is appended to logs."""

    def __init__(self, logs: list[Path]) -> None:
        self.printed = dict.fromkeys(logs, 0)

    def step(self) -> None:
        for path, printed in self.printed.items():
            new = path.read_bytes()[printed:] if path.exists() else b""
            sys.stdout.buffer.write(new)
            self.printed[path] += len(new)
        sys.stdout.flush()


class OutOfTime(Exception):
    pass


def run_to_end(command: list[str], seconds: float, clock: Clock, meanwhile: Callable[[], None]) -> tuple[int, str]:
    """Exit status and output. Whatever happens, the process does not outlive this call."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    allowance = Allowance(process.pid, seconds)
    try:
        while True:
            meanwhile()
            clock.tick(processor_seconds(process.pid), not wants_a_processor(process.pid))
            try:
                said, _ = process.communicate(timeout=0.5)
                return process.returncode, said
            except subprocess.TimeoutExpired:
                if why := allowance.over():
                    raise OutOfTime(why) from None
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()
        meanwhile()


def processors(options: argparse.Namespace) -> str:
    """QEMU's options for processors and memory."""
    cpus, size = options.cpus // options.nodes, int(options.memory) // options.nodes
    nodes = (
        f"-object memory-backend-ram,id=node{n},size={size}M "
        f"-numa node,memdev=node{n},cpus={n * cpus}-{(n + 1) * cpus - 1}"
        for n in range(options.nodes)
    )
    return f"-smp {options.cpus},sockets={options.nodes} -m {options.memory} {' '.join(nodes)}"


def boot(
    options: argparse.Namespace, initramfs: Path, share: Path, console: Path, meanwhile: Callable[[], None]
) -> str | None:
    """Runs the guest to its end. Says what went wrong, if anything."""
    # Time is the number of instructions, or the host's.
    accel = "tcg,thread=single -icount shift=0,sleep=off" if options.icount else "tcg,thread=multi"
    command = f"""qemu-system-x86_64 -accel {accel} -cpu max,-monitor {processors(options)} -no-reboot
        -nodefaults -no-user-config -display none -serial file:{console} -kernel {options.kernel}/vmlinuz
        -initrd {initramfs} -virtfs local,path={share},mount_tag=share,security_model=none"""
    try:
        # Its own watchdog comes first, and can say more than we can.
        status, said = run_to_end(
            [*command.split(), "-append", f"{KERNEL_ARGUMENTS} {options.append}"],
            options.seconds + 60,
            Clock(share / "clock", options.cpus),
            meanwhile,
        )
    except OutOfTime as why:
        return f"killed: {why}"
    if status != 0:
        return f"QEMU: {said.strip()}"
    end = share / "done"
    verdict = end.read_text().strip() if end.exists() else "the guest died"
    return None if verdict == "complete" else verdict


def read(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def log_of(job: Job, share: Path) -> str:
    """What it printed. Linux 6.1's harness does not name what it skips; the line before does."""
    log = read(share / f"{job.name}.log")
    return re.sub(r"^(#\s+RUN\s+(\S+) \.\.\.\n(?:#.*\n)*ok \d+) # SKIP", r"\1 \2 # SKIP", log, flags=re.M)


def judge_job(job: Job, share: Path, show: bool) -> Result:
    log, status = log_of(job, share), read(share / f"{job.name}.status").strip()
    if not status:
        why = "did not end" if (share / f"{job.name}.begin").exists() else "did not begin"
        return Result(failed=[f"{job.name}: {why}"], shown=log.splitlines()[-30:])
    if int(status) == 137:
        log += f"\nkilled, perhaps because it was not done after {job.seconds} s"
    return (judge_plain if show else judge_ktap)(job.name, int(status), log)


def splats(share: Path, console: Path) -> list[str]:
    """What the kernel complained of: who ran meanwhile, and the lines that follow."""
    # Only the console has a dead kernel's last words.
    text = read(share / "dmesg") if (share / "dmesg").exists() else read(console)
    found, during, following = [], "boot", 0
    for line in text.splitlines():
        if mark := MARK.search(line):
            during = mark[2] if mark[1] == "begin" else f"after {mark[2]}"
        elif SPLAT.search(line) and not following:
            found.append(f"{during}: {line.strip()}")
            following = 30
        elif following:
            found.append(f"    {line}")
            following -= 1
    return found + [f"kmemleak: {line}" for line in read(share / "kmemleak").splitlines()]


def not_found(options: argparse.Namespace, share: Path) -> list[str]:
    """What the kernel lacks of the machine: where nothing runs at once, tests of what may collide pass."""
    wanted = f"{options.cpus} {options.nodes}"
    found = read(share / "found").strip() or wanted
    return [] if found == wanted else [f"processors and NUMA nodes: there are {wanted}, the kernel found {found}"]


def seconds_of(job: Job, share: Path) -> str:
    begin, end = (read(share / f"{job.name}.{what}").strip() for what in ("begin", "end"))
    return f"{float(end) - float(begin):.1f} s" if begin and end else "no end"


def report(jobs: list[Job], share: Path, show: bool) -> tuple[Result, int]:
    """Prints what became of the programs; the sum, and the number of lines of KTAP."""
    total, number = Result(), 0
    for job in jobs:
        result = judge_job(job, share, show)
        total.passed += result.passed
        total.failed += result.failed
        total.skipped += result.skipped
        print(f"# {job.name} ({seconds_of(job, share)})")
        for line in result.shown:
            print(line if line.startswith("#") else f"#   {line}")
        for line in re.findall(r"^(?:not )?ok .*$", log_of(job, share), re.M) if not show else []:
            number += 1
            print(re.sub(r"ok \d+ ?-? ?", lambda _: f"ok {number} {job.name}: ", line, count=1))
    return total, number


def judge_kernel(faults: list[str], number: int) -> Result:
    for line in faults[:100]:
        print(f"# {line}")
    print(f"{'not ok' if faults else 'ok'} {number} kernel log\n1..{number}")
    return Result(failed=[f"kernel log: {faults[0]}"]) if faults else Result(passed=1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kernel", type=Path, help="folder with vmlinuz, release and, if there are modules, root/")
    what = "programs to run, and modules to load instead of the one before; each is one word, its arguments in quotes"
    parser.add_argument("command", nargs="+", help=what)
    parser.add_argument("--file", type=Path, action="append", default=[], help="file or folder to take along")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="environment of the programs")
    parser.add_argument(
        "--seconds", type=int, default=110, help="for everything, of a processor each; the guest is ended then"
    )
    parser.add_argument("--job-seconds", type=int, default=60, help="for each program")
    parser.add_argument("--memory", default="1024", help="of the guest, in MiB")
    parser.add_argument("--cpus", type=int, default=2, help="processors of the guest")
    parser.add_argument("--nodes", type=int, default=2, help="NUMA nodes that have equal parts of both")
    parser.add_argument("--icount", action="store_true", help="an instruction takes 1 ns, and processors take turns")
    parser.add_argument("--append", default="", help="more of the kernel's command line, in one word")
    busybox = Path(shutil.which("busybox") or "/bin/busybox")
    parser.add_argument("--busybox", type=Path, default=busybox, help="what the guest's first process runs on")
    parser.add_argument("--out", type=Path, help="where logs go; default: KERNEL/run")
    parser.add_argument("--show", action="store_true", help="print what the programs print, don't judge it")
    options = parser.parse_args()

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the guest is ended, too
    options.kernel = options.kernel.absolute()
    out = (options.out or options.kernel / "run").absolute()
    shutil.rmtree(out, ignore_errors=True)
    share, console, initramfs = out / "share", out / "console", out / "initramfs"
    share.mkdir(parents=True)

    jobs = jobs_of(options)
    for path in [options.kernel / "vmlinuz", options.busybox, *options.file, *(Path(j.command[0]) for j in jobs)]:
        if not path.exists():
            parser.error(f"there is no {path}")
    programs = [j for j in jobs if not j.is_module]
    initramfs.write_bytes(pack(options, jobs))
    release = read(options.kernel / "release").strip()
    print(f"TAP version 13\n# Linux {release} under emulation; logs in {out}", flush=True)
    follower = Follower([share / f"{j.name}.log" for j in programs] if options.show else [])
    broken = boot(options, initramfs, share, console, follower.step)
    total, number = report(programs, share, options.show)
    faults = splats(share, console) + not_found(options, share) + read(share / "faults").splitlines()
    faults += [broken] if broken else []
    kernel = judge_kernel(faults, number + 1)
    total.passed += kernel.passed
    total.failed += kernel.failed
    summarise(total)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
