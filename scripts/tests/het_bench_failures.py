#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-bench says why a device's call failed and what helps, keeps what it has measured, and ends with 1."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TESTS = ["strides", "arithmetic", "banks"]  # the second has a source that no other uses


def run(device: str, **environment: str) -> tuple[int, str, dict]:
    """Returns the exit status, what was printed, and the results."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        done = subprocess.run(
            [ROOT / "build/bin/het-bench", "--smallest", "--device", device, "--json", results, "--only", *TESTS],
            env=os.environ | environment,
            capture_output=True,
            text=True,
        )
        return done.returncode, done.stdout + done.stderr, json.loads(results.read_text())


class Failures(unittest.TestCase):
    def expect(self, told: tuple[int, str, dict], reason: str, cure: str, finished: list[str]) -> None:
        status, text, results = told
        self.assertEqual(status, 1, text)
        self.assertTrue([r for r in results["refused"] if reason in r["reason"] and cure in r["cure"]], text)
        self.assertIn(cure, text)
        self.assertEqual([t["name"] for t in results.get("finished", [])], finished, text)

    def test_no_memory(self) -> None:
        for after in (0, 1):  # the reference kernel's, and the first test's
            told = run("cuda0", FAKE_CUDA_FAIL=f"cuMemAlloc_v2:{after}:2")
            self.expect(told, "cuMemAlloc: CUDA error 2", "let the device have memory", TESTS)

    def test_kernel_that_is_not_built(self) -> None:
        told = run("cuda0", FAKE_CUDA_FAIL="cuModuleLoadData:0:218")
        self.expect(told, "cuModuleLoadData: CUDA error 218", "a newer driver", TESTS)
        told = run("opencl0", POCL_EXTRA_BUILD_FLAGS="-Dkernel=@", POCL_KERNEL_CACHE="0")
        self.expect(told, "clBuildProgram: OpenCL error -11", "a newer driver", TESTS)

    def test_lost_device(self) -> None:
        told = run("cuda0", FAKE_CUDA_FAIL="work of cuLaunchKernel:0:719")
        self.expect(told, "CUDA error 719", "reset the device", [])
        told = run("cuda0", FAKE_CUDA_FAIL="cuModuleLoadData:3:719")
        self.expect(told, "CUDA error 719", "reset the device", TESTS[:1])
        left = [r["name"] for r in told[2]["refused"] if r["reason"] == "the device was lost before"]
        self.assertEqual(left, TESTS[2:], told[1])
        self.assertTrue(told[2]["results"])

    def test_nothing_fails(self) -> None:
        self.assertEqual(run("cuda0")[0], 0)


if __name__ == "__main__":
    if not (ROOT / "build/bin/het-bench").exists():
        sys.exit("build/bin/het-bench is not there: make build/bin/het-bench")
    unittest.main()
