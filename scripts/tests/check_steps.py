#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""steps.py runs what may run beside other steps beside them, and everything else alone."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import check  # noqa: E402
from judges import judge_ktap  # noqa: E402
from steps import Step, run_all  # noqa: E402

# The step waits until the other one has begun, too.
MEETS = """import os, sys, time
folder, name = sys.argv[1:]
open(f"{folder}/{name}", "w").close()
while len(os.listdir(folder)) < 2:
    time.sleep(0.1)
"""
# The step fails if another one is at work. How long it looks decides how likely it is to meet one that should not be
# there.
IS_ALONE = """import os, sys, time
folder, name = sys.argv[1:]
open(f"{folder}/{name}", "w").close()
met = 0
for _ in range(20):
    met = max(met, len(os.listdir(folder)))
    time.sleep(0.02)
os.remove(f"{folder}/{name}")
sys.exit(met != 1)
"""


class Steps(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.work, self.logs = Path(kept.name) / "work", Path(kept.name) / "logs"
        self.work.mkdir()

    def step(self, name: str, program: str, **more) -> Step:
        return Step(name, [sys.executable, "-c", program, str(self.work), name], seconds=10, **more)

    def run_steps(self, steps: list[Step]) -> tuple[bool, list[str]]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            good = run_all(steps, self.logs)
        return good, out.getvalue().splitlines()

    def test_failures_without_words_say_how_they_ended(self):
        _, said = self.run_steps([self.step("kills", "import os; os.abort()"), self.step("leaves", "import sys; sys.exit(3)")])
        self.assertIn("    killed by SIGABRT", said)
        self.assertIn("    exit status 3", said)

    @unittest.skipIf(os.cpu_count() == 1, "there is one processor")
    def test_two_beside_each_other(self):
        good, said = self.run_steps([self.step(name, MEETS, beside=True) for name in ("first", "second")])
        self.assertTrue(good, said)

    def test_alone_among_those_that_run_beside_others(self):
        names = ("before", "alone", "after")
        good, said = self.run_steps([self.step(name, IS_ALONE, beside=name != "alone") for name in names])
        self.assertTrue(good, said)

    @unittest.skipIf(os.cpu_count() == 1, "there is one processor")
    def test_a_build_beside_what_does_not_need_it(self):
        # The build ends when another step has run. What stands between them in the list needs the build.
        built = self.work / "built"
        steps = [
            self.step("build", f"{MEETS}open({str(built)!r}, 'w').close()", beside=True, makes="tree"),
            Step("needs it", ["test", "-e", str(built)], beside=True, needs="tree"),
            self.step("other", MEETS, beside=True, needs="made before"),
        ]
        good, said = self.run_steps(steps)
        self.assertTrue(good, said)
        self.assertEqual([line.split(" ... ")[0] for line in said[:3]], ["[1/3] build", "[2/3] needs it", "[3/3] other"])

    def test_results_stand_in_the_order_of_the_list(self):
        steps = [
            Step("slow", ["sleep", "0.3"], beside=True),
            Step("fails", ["false"], beside=True),
            Step("quick", ["true"]),
        ]
        good, said = self.run_steps(steps)
        self.assertFalse(good)
        self.assertEqual([line.split(" ... ")[0] for line in said[:2]], ["[1/3] slow", "[2/3] fails"])
        self.assertEqual(said[-1], "2 passed, 1 failed, 0 skipped")

    def test_each_build_says_what_it_left_out(self):
        builds = {s.makes: s.name for s in check.builds() if s.makes and s.makes != "build-clang"}
        with mock.patch.object(check, "LOGS", self.logs):
            for tree, name in builds.items():
                left = f"libhet: runtime/tests/{tree}_test.cc is left out: no header"
                self.run_steps([Step(name, ["echo", left])])
            for tree in builds:
                said = {other: check.left_out("/tests/", f"{other}_test", tree) for other in builds}
                self.assertEqual(said, {other: "no header" if other == tree else None for other in builds})

    def test_races_of_the_selftests_run_alone(self):
        copy = check.NobodysCopy()
        self.addCleanup(copy.remove)
        selftests = [s for suite in check.SUITES for s in check.selftests(suite, copy)]
        alone = {s.name.split(", ")[-1] for s in selftests if not s.beside}
        self.assertEqual(alone, set(check.ALONE))
        self.assertLess(alone, set(check.SELFTESTS))

    def test_a_nested_failure_is_shown_behind_many_that_passed(self):
        nested = ["# not ok 1 the_cause", *(f"# ok {n} fine" for n in range(2, 60))]
        output = "\n".join(["1..1", *nested, "not ok 1 runs_another"])
        self.assertEqual(judge_ktap("x", 1, output).shown, ["1..1", nested[0], "not ok 1 runs_another"])


if __name__ == "__main__":
    unittest.main()
