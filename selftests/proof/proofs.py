#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What stands on het.h: the OpenCL platform, a binding of Python's. Runs unmodified programs on them, and prints KTAP.
The programs are in build/proof, or in the folder of the first argument."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/tests"))

from command_line import Skip, run_cases, same, within  # noqa: E402

PROOF = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build/proof"
LIBRARY = PROOF.parent / "libhet.so"
VENDORS = Path("/etc/OpenCL/vendors")


def run(*command: object, **environment: object) -> str:
    """What it prints; it must succeed."""
    done = subprocess.run(
        [str(c) for c in command],
        env=os.environ | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
    )
    if done.returncode or "libhet: " in done.stderr:
        raise AssertionError(f"status {done.returncode}, {done.stdout[-500:]!r}, {done.stderr[-500:]!r}")
    return done.stdout


def program(name: str) -> Path:
    if not (PROOF / name).exists():
        raise Skip(f"{name} was not built here")
    return PROOF / name


def vendors(work: Path) -> None:
    """Puts a folder for the loader there, with the platform and the machine's own."""
    others = list(VENDORS.glob("*.icd"))
    if not others:
        raise Skip("no OpenCL driver is installed")
    for other in others:
        (work / other.name).write_text(other.read_text())
    platform = PROOF.parent / "libhetcl.so"
    if not platform.exists():
        raise Skip("the OpenCL platform was not built here")
    (work / "het.icd").write_text(f"{platform}\n")


def opencl_platform(work: Path) -> None:
    """The loader finds the platform beside the machine's own, which compile for it."""
    vendors(work)
    lines = run(program("vector_add"), OCL_ICD_VENDORS=work).splitlines()
    within("libhet: 1000000 of 1000000 sums are right", "\n".join(lines))
    if len(lines) < 2:
        raise AssertionError("no other platform")
    same([line for line in lines if not line.endswith("1000000 of 1000000 sums are right")], [])


def platform_waits_to_be_used(work: Path) -> None:
    """The loader asks all platforms for devices when it sorts them; that starts nothing here."""
    vendors(work)
    ask = "import ctypes, glob; n = ctypes.c_uint(); " \
        "ctypes.CDLL('libOpenCL.so.1').clGetPlatformIDs(0, None, ctypes.byref(n)); " \
        "print(n.value > 1, any(open(f).read().startswith('het') for f in glob.glob('/proc/self/task/*/comm')))"
    same(run(sys.executable, "-c", ask, OCL_ICD_VENDORS=work), "True False\n")


def has_device(devices: str) -> bool:
    """Whether the runtime has such devices here: without, it names none."""
    ask = "import ctypes, sys; n = ctypes.c_uint(); " \
        "sys.exit(-ctypes.CDLL(sys.argv[1]).het_devices(0, None, ctypes.byref(n)))"
    done = subprocess.run(
        [sys.executable, "-c", ask, LIBRARY],
        env=os.environ | {"HET_DEVICES": devices, "LD_LIBRARY_PATH": str(PROOF.parent / "fake")},
        capture_output=True,
    )
    return done.returncode == 0


def numpy_slices(work: Path) -> None:
    for python in (sys.executable, "/usr/bin/python3"):
        if not subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode:
            break
    else:
        raise Skip("numpy is not installed")
    script = Path(__file__).with_name("numpy_slices.py")
    for devices in ("host", "apart", "apart,apart", "opencl"):
        if has_device(devices):
            out = run(python, script, LIBRARY, LD_PRELOAD=LIBRARY, HET_DEVICES=devices)
            same(out, "all slices are right\n")


if __name__ == "__main__":
    sys.exit(run_cases([opencl_platform, platform_waits_to_be_used, numpy_slices], "het-proof-"))
