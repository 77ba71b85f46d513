#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""check-opencl.py tells what a suite's sub-tests do in each way, and goes on where it was interrupted."""

import contextlib
import importlib.util
import io
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

SCRIPT = Path(__file__).resolve().parent.parent / "check-opencl.py"
spec = importlib.util.spec_from_file_location("check_opencl", SCRIPT)
check_opencl = importlib.util.module_from_spec(spec)
sys.modules["check_opencl"] = check_opencl
spec.loader.exec_module(check_opencl)

# Says what it can, or does as its argument is called. Each run leaves a line.
SUITE = """#!/usr/bin/env python3
import json, os, sys
test = sys.argv[1]
if test == "-h":
    print("Options:\\n\\t-w\\tis quick\\nTest names:\\n" + "".join(f"\\t{t}\\n" for t in os.environ["NAMES"].split()))
    sys.exit()
way = os.environ.get("HET_OPENCL_DEVICES", "direct")
with open(os.environ["RUNS"], "a") as f:
    print(test, way, file=f)
while test == "works_on":
    pass
if test == "dies":
    os.abort()
result = "fail" if test == "fails" or (test == "fails_if_joint" and way == "joint") else "pass"
result = "skip" if test == "left_out_if_single" and way == "single" else result
if result == "fail":
    print("ERROR: CL_OUT_OF_RESOURCES")
with open(os.environ["HET_OPENCL_REPORT"], "w") as f:
    print("launches 3, shared 2", file=f)
with open(os.environ["CL_CONFORMANCE_RESULTS_FILENAME"], "w") as f:
    json.dump({"results": {test: result}}, f)
"""


class Suite(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        program = self.folder / "test_conformance/one/test_one"
        program.parent.mkdir(parents=True)
        program.write_text(SUITE)
        program.chmod(0o755)

    def run_script(self, names: str, *options: str) -> tuple[int, list[str]]:
        """Returns the exit status, and what was run."""
        runs = self.folder / "runs"
        runs.write_text("")
        arguments = ["check-opencl.py", str(self.folder), "--build", str(self.folder), "--as-built"]
        arguments += ["--suites", "one", "--seconds", "1", "--out", str(self.folder / "results"), *options]
        env = mock.patch.dict("os.environ", {"NAMES": names, "RUNS": str(runs)})
        self.said = io.StringIO()
        with env, mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(self.said):
            status = check_opencl.main()
        return status, runs.read_text().splitlines()

    def rows(self) -> dict[str, list[str]]:
        lines = (self.folder / "results").read_text().splitlines()
        return {l.split("\t")[1]: l.split("\t")[2:] for l in lines if l.startswith("one\t")}

    def test_what_is_told(self) -> None:
        names = "passes fails fails_if_joint left_out_if_single dies works_on"
        status, _ = self.run_script(names, "--jobs", "3")
        self.assertEqual(status, 1)
        late = "more than 1 s"
        self.assertEqual(
            self.rows(),
            {
                "passes": ["pass", "pass", "pass", "3", "2"],
                "fails": ["fail", "fail", "fail", "3", "2"],
                "fails_if_joint": ["pass", "pass", "fail", "3", "2"],
                "left_out_if_single": ["pass", "skip", "pass", "3", "2"],
                "dies": ["signal 6", "signal 6", "signal 6", "0", "0"],
                "works_on": [late, "-", "-", "0", "0"],
            },
        )
        self.assertIn("fails_if_joint, joint: fail: ERROR: CL_OUT_OF_RESOURCES", self.said.getvalue())
        self.assertIn("2 sub-tests that pass directly do not pass through the platform", self.said.getvalue())

    def test_goes_on(self) -> None:
        self.assertEqual(self.run_script("first")[0], 0)
        status, runs = self.run_script("first second fails_if_joint", "--ways", "direct,single,joint")
        self.assertEqual(status, 1)
        self.assertEqual(sorted({r.split()[0] for r in runs}), ["fails_if_joint", "second"])
        self.assertEqual(self.run_script("first second fails_if_joint"), (1, []))
        _, runs = self.run_script("first second fails_if_joint", "--again")
        self.assertEqual([r.split()[0] for r in runs], ["fails_if_joint"] * 3)
        self.assertEqual(len(self.rows()), 3)


class End(unittest.TestCase):
    def test_what_does_not_work_hangs(self) -> None:
        names = {"IDLE_SECONDS": 0, "LOOK_SECONDS": 0.1, "work_of": lambda _: 5}
        with mock.patch.multiple(check_opencl, **names):
            sleeper = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            self.assertEqual(check_opencl.end_of(sleeper, 1), "hangs")
        self.assertEqual(sleeper.returncode, -signal.SIGKILL)

    def test_work_of_a_session_is_seen(self) -> None:
        worker = subprocess.Popen(["sh", "-c", "while :; do :; done"], start_new_session=True)
        try:
            while not check_opencl.work_of(worker.pid):
                time.sleep(0.01)
        finally:
            worker.kill()
            worker.wait()
        self.assertEqual(check_opencl.work_of(worker.pid), 0)


class Names(unittest.TestCase):
    def test_conversions(self) -> None:
        usage = """	test names:
		destFormat<_sat><_round>_sourceFormat
			Possible format types are:
				uchar, float,\x20

			Possible saturation values are: (empty) and _sat
			Possible rounding values are:
				(empty), _rte, _rtz,\x20
"""
        self.assertEqual(
            check_opencl.conversions(usage),
            "uchar_uchar uchar_float uchar_rte_uchar uchar_rte_float uchar_rtz_uchar uchar_rtz_float "
            "uchar_sat_uchar uchar_sat_float uchar_sat_rte_uchar uchar_sat_rte_float uchar_sat_rtz_uchar "
            "uchar_sat_rtz_float float_uchar float_float float_rte_uchar float_rte_float float_rtz_uchar "
            "float_rtz_float".split(),
        )


if __name__ == "__main__":
    unittest.main()
