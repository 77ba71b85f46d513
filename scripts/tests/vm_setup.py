#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Where a guest can not be had, what is said names what is missing and what to do."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
NOBODY_LISTENS = "http://127.0.0.1:9/debian"
# The scripts themselves use these; whatever else a machine has, these tests take away.
FEW = ["bash", "cat", "dirname", "g++", "gcc", "make", "mkdir", "mktemp", "python3", "rm", "sed"]


class VmSetup(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)
        # Kernels lie below the folder that the scripts lie in.
        shutil.copytree(SCRIPTS, self.folder / "scripts")
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in FEW:
            if program := shutil.which(name):
                (self.bin / name).symlink_to(program)

    def run_script(self, *command: str, **environment: str) -> str:
        """What it says before it fails."""
        done = subprocess.run(
            [self.folder / "scripts" / command[0], *command[1:]],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | environment,
        )
        self.assertNotEqual(done.returncode, 0)
        return done.stdout + done.stderr

    @unittest.skipUnless(shutil.which("apt-get"), "no apt-get here")
    def test_mirror_that_does_not_answer(self):
        mirrors = {name: NOBODY_LISTENS for name in ("DEBIAN_MIRROR", "DEBIAN_SECURITY_MIRROR")}
        said = self.run_script("vm/fetch.sh", "kernel", "6.1", **mirrors)
        self.assertIn("127.0.0.1", said)
        self.assertIn("DEBIAN_MIRROR= and DEBIAN_SECURITY_MIRROR= name others", said)
        self.assertNotIn("has Linux", said)

    def test_kernels_without_apt(self):
        said = self.run_script("vm/fetch.sh", "kernel", "6.1", PATH=str(self.bin))
        self.assertIn("apt-get and dpkg-deb, and they are not here", said)
        self.assertIn("make modules KDIR=", said)

    def test_programs_without_apt(self):
        said = self.run_script("setup.sh", "packages", "vm", PATH=str(self.bin))
        self.assertIn("qemu-system-x86_64 busybox xz", said)
        self.assertNotIn("flex", said)
        self.assertIn("flex bison bc", self.run_script("setup.sh", "packages", "vm-debug", PATH=str(self.bin)))


if __name__ == "__main__":
    unittest.main()
