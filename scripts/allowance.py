# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""How long a process may take, in processor time: a machine that is busy with something else makes no limit shorter."""

import os
import time
from pathlib import Path

# Two looks lie so far apart. A process that works gets a hundredth of a processor even beside a hundred others, if the
# scheduler takes them for equals.
LOOK_SECONDS = 30
LEAST_SHARE = 0.01
TICKS = os.sysconf("SC_CLK_TCK")


def fields_of(folder: Path) -> list[str]:
    """Of a process or a thread, from its state on; empty if it has ended meanwhile."""
    try:
        # The program's name, which is the only field with blanks, stands in parentheses.
        return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def with_descendants(root: int) -> dict[int, list[str]]:
    """The processes that are alive, by number."""
    everything = {int(p.name): fields for p in Path("/proc").iterdir() if p.name.isdigit() and (fields := fields_of(p))}

    def descends(pid: int) -> bool:
        while pid != root and pid in everything:
            pid = int(everything[pid][1])
        return pid == root

    return {pid: fields for pid, fields in everything.items() if descends(pid)}


def processor_seconds(root: int) -> float:
    """What a process and its descendants that are alive or were waited for have used."""
    return sum(sum(map(int, fields[11:15])) for fields in with_descendants(root).values()) / TICKS


def wants_a_processor(root: int) -> bool:
    """A thread that only waits for a processor does not stand still, however long others have them all."""
    threads = (thread for pid in with_descendants(root) for thread in Path("/proc").glob(f"{pid}/task/*"))
    return any(fields_of(thread)[:1] == ["R"] for thread in threads)


class Allowance:
    """A process takes at most so many seconds on an idle machine, all of whose processors it may use. One that hangs
    is known by standing still."""

    def __init__(self, root: int, seconds: float) -> None:
        self.root, self.seconds = root, seconds
        self.start = time.monotonic()
        self.next_look = self.start + seconds
        self.last_look: tuple[float, float] | None = None  # when, and what had been used by then

    def over(self) -> str | None:
        """Why the process is to be ended; None while it is not. To be asked now and then."""
        now = time.monotonic()
        if now < self.next_look:
            return None
        used, before = processor_seconds(self.root), self.last_look
        self.last_look, self.next_look = (now, used), now + LOOK_SECONDS
        if used > self.seconds * (os.cpu_count() or 1):
            return f"it has used {used:.0f} s of processor time; its limit is {self.seconds} s on all processors"
        # The progress is less where a descendant was left to init.
        little = before and 0 <= used - before[1] < LEAST_SHARE * (now - before[0])
        if little and not wants_a_processor(self.root):
            return f"it stands still, after {now - self.start:.0f} s"
        return None
