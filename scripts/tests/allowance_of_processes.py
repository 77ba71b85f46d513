#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""A process that stands still is ended; one that others keep from running is not."""

import contextlib
import os
import signal
import subprocess
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import allowance  # noqa: E402

# Each program says when it is there. Only its second thread runs, or does not, so a look at the main thread isn't
# enough.
SLEEPS = "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start(); print(flush=True)"
SPINS = """import threading
def spin():
    while True:
        pass
threading.Thread(target=spin).start()
print(flush=True)
"""


@contextlib.contextmanager
def parent_of(program: str) -> Iterator[int]:
    """A shell that waits for the program."""
    command = ["sh", "-c", '"$@"; true', "sh", sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            process.stdout.readline()
            yield process.pid
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def verdict(program: str) -> str | None:
    """What a second look says if the program got no processor since the first."""
    with parent_of(program) as process, mock.patch.multiple(allowance, LOOK_SECONDS=0, processor_seconds=lambda _: 0.0):
        limit = allowance.Allowance(process, 0)
        assert limit.over() is None
        return limit.over()


class Allowance(unittest.TestCase):
    def test_what_sleeps_stands_still(self):
        # The first ones may be seen on their way to sleep, so this looks again.
        said = next(filter(None, (verdict(SLEEPS) for _ in range(100))), "nothing")
        self.assertIn("stands still", said)

    def test_what_could_run_does_not(self):
        self.assertIsNone(verdict(SPINS))

    def test_descendants_count(self):
        with parent_of(SPINS) as process:
            self.assertEqual(len(allowance.with_descendants(process)), 2)


if __name__ == "__main__":
    unittest.main()
