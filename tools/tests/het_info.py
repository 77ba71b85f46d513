#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-info as its users call it. Prints KTAP; the program is build/bin/het-info, or that of the first argument."""

import json
import sys
from pathlib import Path

from command_line import Called, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "runtime/fatbin/tests/corpus"
HET_INFO = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/het-info")
FAKE_CUDA = {"LD_LIBRARY_PATH": str(ROOT / "build/fake")}


def report(*arguments: object, **env: str) -> dict:
    called = Called(HET_INFO, *arguments, "--json", env=env)
    same(called.err, "")
    return json.loads(called.out)


def devices_are_those_of_the_runtime(_: Path) -> None:
    devices = report(HET_DEVICES="host,apart,cuda", **FAKE_CUDA)["runtime"]["devices"]
    same([d["kind"] for d in devices], ["host", "apart", "cuda", "cuda"])
    same([d["launches"] for d in devices], [True] * 4)
    same([d["offsets"] for d in devices], [True, True, False, False])
    same([d["slices_of"] for d in devices], ["functions", "functions", "PTX", "PTX"])
    same([d["addresses"] for d in devices], [True] * 4)


def each_rank_has_a_device(_: Path) -> None:
    def kinds(devices: str, **launcher: str) -> list[str]:
        return [d["kind"] for d in report(HET_DEVICES=devices, **FAKE_CUDA, **launcher)["runtime"]["devices"]]

    for rank, wanted in (("0", "host"), ("1", "apart"), ("2", "cuda"), ("5", "apart")):
        same(kinds("host,apart,cuda,local-rank", OMPI_COMM_WORLD_LOCAL_RANK=rank), [wanted])
    same(kinds("host,apart,local-rank,host", SLURM_LOCALID="1"), ["apart", "host"])
    # mpirun may itself run under srun.
    same(kinds("host,apart,local-rank", SLURM_LOCALID="0", OMPI_COMM_WORLD_LOCAL_RANK="1"), ["apart"])
    same(kinds("local-rank", OCL_ICD_VENDORS="/nonexistent/", MPI_LOCALRANKID="3"), ["host"])
    within("no launcher has told", report(HET_DEVICES="host,local-rank", SLURM_LOCALID="")["runtime"]["error"])


def devices_that_do_not_work_have_a_reason(_: Path) -> None:
    runtime = report(HET_DEVICES="nonsense")["runtime"]
    same(runtime["devices"], [])
    within("HET_DEVICES: nonsense: want a list", runtime["error"])
    called = Called(HET_INFO, env={"HET_DEVICES": "nonsense"})
    within("want a list of opencl", called.out)


def links_and_relays_of_cuda_devices_are_shown(_: Path) -> None:
    devices = report(HET_DEVICES="host", FAKE_CUDA_DEVICES="3", **FAKE_CUDA)["devices"]["cuda"]["devices"]
    same([d["relays"] for d in devices], [[1, 2], [0, 2], [0, 1]])
    same(devices[0]["pcie_link"]["address"], "0000:00:00.0")
    called = Called(HET_INFO, env={"HET_DEVICES": "host", "FAKE_CUDA_DEVICES": "2", **FAKE_CUDA})
    within("bulk copies also by those of CUDA devices 1\n", called.out)


def what_is_asked_of_bulk_copies_is_shown(_: Path) -> None:
    def asked(paths: str) -> dict:
        return report(HET_DEVICES="host", HET_PATHS=paths, FAKE_CUDA_DEVICES="3", **FAKE_CUDA)["devices"]["cuda"]["paths"]

    for paths, policy, helpers, understood in (
        ("", "latency", [], True),
        ("queue", "queue", [], True),
        ("static,all", "static", [0, 1, 2], True),
        ("2,7", "latency", [2], True),
        ("direct,all", "direct", [], True),
        ("static,some", "latency", [], False),
    ):
        same(asked(paths), {"policy": policy, "helpers": helpers, "understood": understood})
    env = {"HET_DEVICES": "host", "FAKE_CUDA_DEVICES": "2", "HET_PATHS": "1", **FAKE_CUDA}
    within("bulk copies: latency; unused, these help as well: CUDA devices 1\n", Called(HET_INFO, env=env).out)


def settings_policies_and_the_cache_are_shown(work: Path) -> None:
    found = report(HET_DEVICES="host", HET_POLICY="static", XDG_CACHE_HOME=str(work), HET_CACHE_SIZE="3M")
    same((found["settings"]["HET_DEVICES"], found["settings"]["HET_POLICY"]), ("host", "static"))
    same(sorted(found["runtime"]["policies"]), ["dynamic", "hguided", "single", "static", "steal"])
    same(found["runtime"]["cache"], {"folder": f"{work}/libhet", "entries": 0, "bytes": 0, "most": 3 << 20})
    within("\n  cache                          off\n",
        Called(HET_INFO, env={"HET_DEVICES": "host", "HET_CACHE_SIZE": "0"}).out)


def fat_binaries_are_tried_on_all_devices(_: Path) -> None:
    found = report(CORPUS / "images.het", HET_DEVICES="host,cuda", **FAKE_CUDA)
    same([k["name"] for k in found["kernels"]], ["add", "combine"])
    same(len(found["images"]), 6)
    same([d["builds"] for d in found["devices"]], [False, True, True])
    within("none that can run", found["devices"][0]["error"])
    called = Called(HET_INFO, CORPUS / "images.het", env={"HET_DEVICES": "host"})
    same((called.status, called.err), (0, ""))
    within("split: unknown", called.out)
    within("\ndevice host: no: ", called.out)


def what_is_no_fat_binary_is_told(work: Path) -> None:
    (work / "text").write_text("kernel void f() {}")
    called = Called(HET_INFO, work / "text")
    same((called.status, called.out), (1, ""))
    within(f"het-info: {work}/text: no ELF file", called.err)


CASES = [
    devices_are_those_of_the_runtime,
    each_rank_has_a_device,
    devices_that_do_not_work_have_a_reason,
    links_and_relays_of_cuda_devices_are_shown,
    what_is_asked_of_bulk_copies_is_shown,
    settings_policies_and_the_cache_are_shown,
    fat_binaries_are_tried_on_all_devices,
    what_is_no_fat_binary_is_told,
]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, "het-info-"))
