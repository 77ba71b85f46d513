#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Ranks of MPI measure their devices at the same time, and het-bench names the one that is slower."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent.parent / "build/bin/het-bench"
MPIRUN = ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"]
MEASURE = f"{PROGRAM} --smallest --only homogeneity --device cuda0 --json node-$OMPI_COMM_WORLD_RANK.json"


def compared(*paces: int) -> dict[str, str]:
    """Returns what is said of memory and arithmetic of ranks whose devices take so many ps an instruction."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    choose = "set -- " + " ".join(map(str, paces)) + '; shift $OMPI_COMM_WORLD_RANK; export FAKE_CUDA_PACE=$1; '
    with tempfile.TemporaryDirectory() as folder:
        for command in (
            [*MPIRUN, "sh", "-c", choose + MEASURE],
            [PROGRAM, "homogeneity", "node-0.json", "node-1.json", "--json", "cluster.json"],
        ):
            subprocess.run(command, env=os.environ | allowed, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        facts = json.loads((Path(folder) / "cluster.json").read_text())["facts"]
    return {f["name"]: f["why"] for f in facts if f["name"].startswith("homogeneity.")}


class Ranks(unittest.TestCase):
    def test_a_slowed_rank_is_named(self) -> None:
        for slow in (0, 1):
            paces = [1000, 1000]
            paces[slow] = 1250
            for why in compared(*paces).values():
                self.assertIn(f"slower than the other: {slow} (fake GPU 0, -20.0 %)", why)

    def test_ranks_that_are_alike_are_not(self) -> None:
        for why in compared(1000, 1000).values():
            self.assertIn("both are alike", why)


if __name__ == "__main__":
    if not PROGRAM.exists():
        sys.exit("build/bin/het-bench is not there: make build/bin/het-bench")
    unittest.main()
