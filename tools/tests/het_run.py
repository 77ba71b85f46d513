#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""het-run as its users call it. Prints KTAP; the program is build/bin/het-run, or that of the first argument. The
device is PoCL, which can be two of them."""

import json
import struct
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import command_line
from command_line import Skip, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
HET_RUN = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/bin/het-run")
SOURCE = """typedef struct { uint factor; float added; } parameters;
kernel void add(global int *p, int value) { p[get_global_id(0)] += value; }
kernel void ids(global ulong *p)
{
	p[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_local_size(0);
}
kernel void turn(global const float *from, global float *to)
{
	to[get_global_size(0) - 1 - get_global_id(0)] = from[get_global_id(0)];
}
kernel void types(global float4 *v, uchar small, float4 four, parameters both, local uint *l, global const void *raw)
{
	size_t i = get_global_id(0);
	l[get_local_id(0)] = small;
	barrier(CLK_LOCAL_MEM_FENCE);
	v[i] = v[i] * both.factor + both.added + four + l[0] + ((global const uchar *)raw)[i];
}
kernel void count(global const uchar *from, global int *bins) { atomic_inc(&bins[from[get_global_id(0)] & 15]); }
kernel void copy(global const float *from, global float *to) { to[get_global_id(0)] = from[get_global_id(0)]; }
kernel void image(read_only image2d_t i) {}
"""
IMAGES = ROOT / "runtime/fatbin/tests/corpus/images.het"
FAKE_CUDA = ROOT / "build/fake"
WORK = TemporaryDirectory(prefix="het-run-test-")
TWO = {"POCL_DEVICES": "pthread pthread"}


@cache
def fat_binary() -> Path:
    made = Path(WORK.name) / "kernels.het"
    builder = str(Path(HET_RUN).parent / "het-fatbin")
    called = command_line.Called(builder, "build", "-", "-o", made, "--targets", "opencl", stdin=SOURCE.encode())
    if "there is no OpenCL" in called.err:
        raise Skip("no OpenCL driver with a compiler is installed")
    same((called.status, called.err), (0, ""))
    return made


def call(kernel: str, *arguments: object, env: dict[str, str] | None = None) -> command_line.Called:
    usual = {"HET_DEVICES": "opencl", "HET_POLICY": "", "POCL_DEVICES": "pthread"}
    return command_line.Called(HET_RUN, fat_binary(), kernel, *arguments, env=usual | (env or {}))


def run(kernel: str, *arguments: object, env: dict[str, str] | None = None) -> dict:
    called = call(kernel, *arguments, "--json", env=env)
    same((called.status, called.err), (0, ""))
    return json.loads(called.out)


def args(*texts: str) -> list[str]:
    return [word for text in texts for word in ("--arg", text)]


def arrays_are_made_and_shown(_: Path) -> None:
    for what, first in (
        ("zeros", ["5", "5", "5", "5"]),
        ("index,show=6", ["5", "6", "7", "8", "9", "10"]),
        ("value:-7", ["-2"] * 4),
        ("index,size=2K,show=1", ["5"]),
    ):
        report = run("add", "--global", "1K", *args(what, "5"))
        (out,) = report["outputs"]
        same((out["name"], out["type"], out["first"]), ("p", "int", first))
        same(out["elements"], 2048 if "size" in what else 1024)
    same(report["work_items"], 1024)
    same([(d["work_items"], d["share"], d["parts"]) for d in report["devices"]], [(1024, 1, 1)])


def random_depends_on_the_seed_alone(_: Path) -> None:
    sums = [run("add", "--global", 100, *args(r, "0"))["outputs"][0]["xxh64"]
        for r in ("random", "random:1", "random:2")]
    same((sums[0] == sums[1], sums[0] == sums[2]), (True, False))
    first = run("turn", "--global", 4, *args("random", "zeros"))["outputs"][0]["first"]
    same([0 <= float(f) < 1 for f in first], [True] * 4)


def files_go_in_and_out(work: Path) -> None:
    (work / "in").write_bytes(struct.pack("3i", 1, -2, 3))
    run("add", "--global", 3, *args(f"@{work}/in,out={work}/out", "0x10"))
    same(struct.unpack("3i", (work / "out").read_bytes()), (17, 14, 19))
    run("add", "--global", 2, *args(f"@{work}/in,size=2,out={work}/out", "1"))
    same(struct.unpack("2i", (work / "out").read_bytes()), (2, -1))


def values_of_all_kinds_are_taken(work: Path) -> None:
    (work / "both").write_bytes(struct.pack("If", 2, 0.5))
    values = ("value:3", "l=256", "small=200", "four=1:2:3:4", f"both=@{work}/both", "raw=index,size=8")
    report = run("types", "--global", 8, "--local", 8, *args(*values))
    same(report["outputs"][0]["first"][1], "208.5:209.5:210.5:211.5")


def shapes_reach_the_kernel(_: Path) -> None:
    report = run("ids", "--global", "4,2", "--local", "2,1", "--offset", "0,0", *args("zeros,show=8,size=8"))
    same(report["outputs"][0]["first"], [str(x + 100 * y + 20000) for y in range(2) for x in range(4)])


def launches_that_are_late_are_told(_: Path) -> None:
    usual = ("--global", 64, "--repeat", 3, "--priority", 2, *args("index", "3"))
    for ms, late in (("0.000001", 3), ("3600000", 0)):
        deadline = run("add", *usual, "--deadline", ms)["deadline"]
        same((deadline["ms"], deadline["late"], deadline["most_late_ms"] > 0), (float(ms), late, late > 0))
    within("0 later than the deadline of 3600000.000 ms", call("add", *usual, "--deadline", 3600000).out)
    same("deadline" in run("add", *usual), False)
    for wrong in (("--deadline", 0), ("--priority", 8)):
        same(call("add", *usual, *wrong).status != 0, True)


def launches_are_repeated_on_the_same_arrays(_: Path) -> None:
    report = run("add", "--global", 64, "--repeat", 5, *args("index,show=2", "3"))
    same((report["outputs"][0]["first"], report["launches"]["count"]), (["15", "16"], 5))


def devices_are_chosen(_: Path) -> None:
    arguments = ("add", "--global", 64, *args("zeros", "3"), "--device")
    for name in ("1", "0"):
        (device,) = run(*arguments, name, env=TWO)["devices"]
        same(device["device"][0], name)
    for name, said in (("7", "none of that name"), ("pthread", "several of that name"),
            ("no such", "none of that name")):
        called = call(*arguments, name, env=TWO)
        same(called.status, 1)
        within(f"--device {name}: {said}", called.err)
        within("\n  1 pthread", called.err)


def split(kernel: str, *arguments: object) -> command_line.Called:
    shape = ("--global", "64K", "--local", 64, "--device", "all", "--policy", "dynamic", "--check")
    return call(kernel, *shape, *arguments, env=TWO)


def devices_share_launches(_: Path) -> None:
    called = split("add", "--json", *args("random,step=1", "9"))
    same((called.status, called.err), (0, ""))
    report = json.loads(called.out)
    same(report["same_as_on_one_device"], True)
    same(len(report["devices"]), 2)
    same(sum(d["work_items"] for d in report["devices"]), 65536)
    same(report["outputs"][0]["xxh64"], run("add", "--global", "64K", *args("random", "9"))["outputs"][0]["xxh64"])


def what_is_unsafe_is_not_shared(_: Path) -> None:
    """But for those who insist."""
    arguments = ("count", "--global", "64K", "--local", 64, *args("random", "zeros,size=16,show=16"), "--device",
        "all", "--json")
    one = json.loads(call(*arguments[:-3], "--json").out)
    same(sum(map(int, one["outputs"][0]["first"])), 65536)
    called = call(*arguments, "--policy", "dynamic", "--check", env=TWO)
    report = json.loads(called.out)
    if report["devices"][0]["work_items"] != 65536:
        raise Skip("nothing is analysed here: het-analyse or clang-14 is missing")
    same((called.status, len(report["devices"]), report["outputs"]), (0, 1, one["outputs"]))
    within("kernel count runs on one device in spite of HET_SPLIT: line ", called.err)
    within("changes memory atomically", called.err)
    called = call(*arguments, "--policy", "dynamic", "--unsafe", env=TWO)
    same((called.status, called.err, len(json.loads(called.out)["devices"])), (0, "", 2))


def check_finds_differences(_: Path) -> None:
    # The kernel does not write where its pattern says.
    called = split("turn", *args("random", "zeros,step=1"))
    same(called.status, 1)
    within("het-run: --check: to[", called.err)
    within("on one device 0.", called.err)
    within("--device all", call("add", "--global", 64, "--check", *args("zeros", "1")).err)


def spans(events: list[dict], track: int) -> list[tuple[float, float, int]]:
    return [(e["ts"], e["ts"] + e["dur"], e["tid"]) for e in events if e["ph"] == "X" and e["pid"] == track]


def arrays_need_not_fit(_: Path) -> None:
    arguments = ["--global", "256K", *args("index,step=1", "zeros,access=write,step=1")]
    (plenty,) = run("copy", *arguments, "--memory", "64M")["memory"]
    same([plenty[what] for what in ("budget", "slices", "sent", "brought", "evictions")], [64 << 20, 0, 0, 0, 0])
    report = run("copy", *arguments, "--memory", "50%")
    (little,) = report["memory"]
    same(little["budget"], (2 << 20) // 100 * 50)
    same(little["slices"] > 1, True)
    same((little["sent"], little["brought"], little["away"]), (1 << 20, 1 << 20, 0))
    uses = report["memory_uses"]
    same([uses[what] for what in ("whole", "in_slices", "in_place", "class")], [0, 1, 0, "regular"])
    same([uses[what] for what in ("declared", "analysed", "unknown")], [2, 0, 0])
    same(report["outputs"], run("copy", *arguments)["outputs"])
    called = call("copy", *arguments, "--memory", "50%")
    within(" slices, for which 1048576 bytes were sent and 1048576 came home", called.out)
    within("0 launches were whole, 1 in slices, 0 in place", called.out)
    within("regular: what a row uses is known of 2 arguments by patterns, of 0 by analysis, and not of 0", called.out)
    for wrong, said in (("0", "leaves nothing"), ("0%", "leaves nothing"), ("much", '"much" is no number')):
        within(said, call("copy", *arguments, "--memory", wrong).err)


def timelines_have_all_launches_and_parts(work: Path) -> None:
    called = split("add", "--repeat", 3, "--timeline", work / "t.json", *args("zeros,step=1", "1"))
    same(called.status, 0)
    events = json.loads((work / "t.json").read_text())["traceEvents"]
    names = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
    same((names[0], len(names)), ("launches", 3))
    same(len(spans(events, 0)), 3)
    parts = [e["args"] for e in events if e["ph"] == "X" and e["pid"]]
    same(sum(p["work-items"] for p in parts), 3 * 65536)
    same(sum(p["groups"] for p in parts), 3 * 1024)
    same(len([e for e in events if e["ph"] == "C"]), 3)
    # Chrome and Perfetto show no spans that overlap in one lane.
    for track in names:
        lanes = sorted(spans(events, track), key=lambda s: (s[2], s[0]))
        for (_, end, lane), (start, _, next_lane) in zip(lanes, lanes[1:]):
            same(lane != next_lane or end <= start + 0.001, True)


def timelines_show_which_way_bulk_copies_took(work: Path) -> None:
    env = {"HET_DEVICES": "cuda", "HET_PATHS": "static", "FAKE_CUDA_DEVICES": "2", "LD_LIBRARY_PATH": str(FAKE_CUDA)}
    command = [HET_RUN, IMAGES, "add", "--global", 64, *args("zeros,size=16M", "1", "64"), "--device", 0]
    called = command_line.Called(*command, "--timeline", work / "t.json", env=env)
    same((called.status, called.err), (0, ""))
    events = json.loads((work / "t.json").read_text())["traceEvents"]
    counters = [e["args"] for e in events if e["name"] == "bulk copies"]
    peer = "1 fake GPU 1 (CUDA 1)"
    same(set(counters[0]), {"from the host", "to the host", *(f"{way} by {peer}" for way in ("from the host", "to the host")),
                            f"from {peer}", f"from {peer} by the host"})
    ways = [counters[0][way] for way in ("from the host", f"from the host by {peer}")]
    same((sum(ways), min(ways) > 0, sum(counters[1].values())), (16 << 20, True, 0))


def gpus_that_only_help_have_cuda_s_number(work: Path) -> None:
    env = {"HET_DEVICES": "cuda,local-rank", "OMPI_COMM_WORLD_LOCAL_RANK": "1", "HET_PATHS": "static,all",
           "FAKE_CUDA_DEVICES": "2", "LD_LIBRARY_PATH": str(FAKE_CUDA)}
    command = [HET_RUN, IMAGES, "add", "--global", 64, *args("zeros,size=16M", "1", "64")]
    called = command_line.Called(*command, "--timeline", work / "t.json", env=env)
    same((called.status, called.err), (0, ""))
    events = json.loads((work / "t.json").read_text())["traceEvents"]
    carried = next(e["args"] for e in events if e["name"] == "bulk copies")
    ways = {way + by for way in ("from the host", "to the host") for by in ("", " by CUDA device 0")}
    same((set(carried), carried["from the host by CUDA device 0"] > 0, sum(carried.values())), (ways, True, 16 << 20))


def people_get_a_table(_: Path) -> None:
    called = call("add", "--global", 64, *args("index", "3"))
    same((called.status, called.err), (0, ""))
    for part in ("add, 64 work-items\n1 launch: ", "100.0 %", "p: 64 int, XXH64 ", "\n  3 4 5 6\n"):
        within(part, called.out)


def mistakes_are_told(work: Path) -> None:
    (work / "odd").write_bytes(b"123")
    (work / "both").write_bytes(bytes(8))
    for kernel, arguments, said in (
        ("none", ["--global", "1"], "no kernel none"),
        ("add", ["--global", "1"], "add(int* p, int value): there is no --arg for p"),
        ("add", ["--global", "1", *args("zeros", "1", "2")], "there are more --arg than arguments"),
        ("add", ["--global", "1", *args("p=zeros", "p=zeros")], "two --arg for p"),
        ("add", ["--global", "1", *args("q=zeros", "1")], "no argument q"),
        ("add", ["--global", "1", *args("zeros", "many")], 'argument value: "many" is no int'),
        ("add", ["--global", "1", *args("zeros", "3000000000")], "is no int"),
        ("add", ["--global", "1", *args("zeros", "zeros")], "want a number or @FILE"),
        ("add", ["--global", "1", *args("5", "1")], "argument p: it is an array"),
        ("add", ["--global", "1", *args("zeros:5", "1")], "nothing can stand behind zeros"),
        ("add", ["--global", "1", *args("zeros,colour=red", "1")], "no option colour"),
        ("add", ["--global", "1", *args("zeros,size=0", "1")], "no array"),
        ("add", ["--global", "1", *args(f"@{work}/none", "1")], "No such file"),
        ("add", ["--global", "1", *args(f"@{work}/odd,size=1", "1")], "has 3 bytes, and 4 are wanted"),
        ("add", ["--global", "1x", *args("zeros", "1")], '--global: "1x" is no number'),
        ("add", ["--global", "1,1,1,1", *args("zeros", "1")], "more than three dimensions"),
        ("add", ["--global", "4", "--local", "2,2", *args("zeros", "1")], "not as many dimensions as --global"),
        ("types", ["--global", "1", *args("zeros", "1", "1:2", "0", "4", "zeros")], "float4 has 4 numbers"),
        ("types", ["--global", "1", *args("zeros", "1", "1:2:3:4", "0", "4", "zeros")], "parameters has no numbers"),
        ("types", ["--global", "1", *args("zeros", "1", "1:2:3:4", f"@{work}/odd", "4", "zeros")], "odd has 3 bytes"),
        ("types", ["--global", "1", *args("zeros", "1", "1:2:3:4", f"@{work}/both", "zeros", "zeros")],
            "it is local memory"),
        ("image", ["--global", "1", *args("zeros")], "images and samplers can't be made here"),
    ):
        called = call(kernel, *arguments)
        same((called.status, called.out), (1, ""))
        within(said, called.err)
    same(command_line.Called(HET_RUN, work / "odd", "add", "--global", "1").status, 1)


CASES: list[Callable[[Path], None]] = [
    arrays_are_made_and_shown,
    random_depends_on_the_seed_alone,
    files_go_in_and_out,
    values_of_all_kinds_are_taken,
    shapes_reach_the_kernel,
    launches_that_are_late_are_told,
    launches_are_repeated_on_the_same_arrays,
    devices_are_chosen,
    devices_share_launches,
    what_is_unsafe_is_not_shared,
    check_finds_differences,
    arrays_need_not_fit,
    timelines_have_all_launches_and_parts,
    timelines_show_which_way_bulk_copies_took,
    gpus_that_only_help_have_cuda_s_number,
    people_get_a_table,
    mistakes_are_told,
]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, "het-run-"))
