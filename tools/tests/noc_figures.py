#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""bench/noc/figures.py with a program that says what it is told to: ratios, study, going on after an interruption.
Prints KTAP."""

import json
import math
import re
import shutil
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import command_line
from command_line import Skip, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/noc"))

import figures
import search

Called = partial(command_line.Called, sys.executable, ROOT / "bench/noc/figures.py")

# Saturates at a rate of its policy and memory share; writes down that it was called.
PROGRAM = """#!%s -IS
import json, os, pathlib, sys
a = sys.argv[1:]
def of(name, default="0"):
    return a[a.index("--" + name) + 1] if "--" + name in a else default
if of("pattern") == os.environ.get("FAIL"):
    sys.exit("as told")
policy, memory = of("policy"), float(of("memory"))
with open(os.environ["CALLS"], "a") as calls:
    calls.write(" ".join(a) + "\\n")
rows = []
if "--saturation" in a:
    high = {"dor": 0.2, "destdetect": 0.25, "localbuf": 0.3, "dll": 0.36, "adaptive": 0.54, "ideal": 0.57}[policy]
    high = 0.5 if policy == "adaptive" and of("pattern") == "shuffle" else high
    high *= 1.5 if of("routing") == "yx" and memory > 0.5 else 1
    high *= 3 if of("network") == "cmesh" and of("pattern") == "pairs" else 1
    high *= 2 if of("threshold") == "4" and policy == "dll" else 1
    rows = [{"name": f"{policy}/saturation by {d}", "median": high} for d in ("latency", "accepted", "peak")]
elif "--ceiling" in a:
    rows = [{"name": "ceiling/bound", "median": 0.6 if of("routing") == "o1turn" else 0.4}]
elif "--cost" in a:
    for kind, network in (("flip-flops", 4), ("SRAM", 2)):
        for name, most in (("links", 8), ("network", network), ("dll: ring", 0.2), ("dll: memories", 0.1),
                           ("localbuf: lines", 0.01), ("destdetect: memories", 0.1), ("adaptive: ring", 0.1)):
            rows += [{"name": f"{name}, {kind}/{what}", "median": most * part} for what, part in
                     (("area", 1), ("wiring", 2), ("leakage", 0.25), ("switching", 0.75))]
elif "--play" in a:
    cycles = {"dor": 1000, "destdetect": 950, "localbuf": 900, "dll": 800, "adaptive": 700}[policy]
    rows = [{"name": "misses", "median": 5}, {"name": f"{policy}/cycles", "median": cycles},
            {"name": f"{policy}/to memory", "median": 0.1}]
else:
    print("title, zero load 20.00 cycles")
    for rate in a[a.index("--rate") + 1:a.index("--cycles")]:
        slow = 20 if float(rate) < 0.3 else 80
        values = {"latency": slow, "in cores": 4 - memory, "in interposer's centre": 1}
        values |= {"in interposer's edge": 3 + memory}
        rows += [{"name": f"{policy}/{rate}/{n}", "median": v} for n, v in values.items()]
    if "--timeline" in a:
        late = {"dor": 500, "destdetect": 400, "localbuf": 300, "dll": 200, "adaptive": 0}[policy]
        rows += [{"name": f"{policy}/{rate}/latency from {t}", "median": 60 if t %% int(of("period")) < late else 20}
                 for t in range(0, int(of("cycles")), 100)]
pathlib.Path(of("json")).write_text(json.dumps({"results": rows}))
"""


RECORDER = """#!%s -IS
import os, pathlib, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write("recorded " + sys.argv[2] + "\\n")
pathlib.Path(sys.argv[3]).write_text("accesses")
"""


def program(work: Path) -> Path:
    path = work / "sim"
    path.write_text(PROGRAM % sys.executable)
    path.chmod(0o755)
    return path


# Its last argument is the file to write.
PTX_RECORDER = """#!%s -IS
import os, pathlib, sys
with open(os.environ["CALLS"], "a") as calls:
    calls.write("recorded " + sys.argv[sys.argv.index("--kernel") + 1] + "\\n")
read = [a[3:] for a in sys.argv if a.startswith("in:")]
if not all(pathlib.Path(p).stat().st_size for p in [sys.argv[2], *read]):
    sys.exit("empty")
pathlib.Path(sys.argv[-1]).write_text("accesses")
"""


def recorder(work: Path) -> None:
    for name, text in (("record", RECORDER), ("record-ptx", PTX_RECORDER)):
        path = work / name
        path.write_text(text % sys.executable)
        path.chmod(0o755)


def drawn(work: Path, *more: str, env: dict[str, str] | None = None) -> command_line.Called:
    environment = {"CALLS": str(work / "calls"), **(env or {})}
    programs = ["--program", work / "sim", "--recorder", work / "record", "--kernel-recorder", work / "record-ptx"]
    return Called(*programs, "--folder", work / "out", "--jobs", 2, "--quick", *more, env=environment)


# What is drawn with nothing else asked for takes a second, so all who only look at it share it.
SHARED = tempfile.TemporaryDirectory(prefix="noc-figures-")


@cache
def drawn_once() -> tuple[Path, command_line.Called]:
    work = Path(SHARED.name)
    program(work)
    called = drawn(work)
    same(called.status, 0)
    return work, called


def calls_so_far(work: Path) -> list[str]:
    path = work / "calls"
    return path.read_text().splitlines() if path.exists() else []


def calls(work: Path) -> list[str]:
    """Those since the last time."""
    said = calls_so_far(work)
    (work / "calls").unlink(missing_ok=True)
    return said


def result(work: Path) -> dict:
    return json.loads((work / "out/noc-figures.json").read_text())


def shares_are_those_of_ceilings_and_costs(said: dict) -> None:
    same({n: {round(v, 6) for v in of.values()} for n, of in said["ceilings"].items()},
        {"dll": {0.9}, "adaptive": {0.9, round(0.5 / 0.6, 6)}, "ideal": {0.95}})
    same({kind: {what: round(v, 6) for what, v in of["dll"].items()} for kind, of in said["costs"].items()},
        {"flip-flops": {"area": 0.075, "with wires": 0.075, "power": 0.075},
         "SRAM": {"area": 0.15, "with wires": 0.15, "power": 0.15}})
    same(round(said["costs"]["SRAM"]["localbuf"]["area"], 6), 0.005)


def ratios_are_those_of_the_runs(_: Path) -> None:
    work, _ = drawn_once()
    said = {row["what"]: row["latency"]["mean"] for row in result(work)["statements"]}
    want = {
        "DLL / DOR, all shares": 1.8,
        "DLL / DOR, 5 % memory": 1.8,
        "DLL / DestDetect, all shares": 1.44,
        "DLL / LocalBuf, all shares": 1.2,
        "YX / XY, 75% memory": 1.5,
        "adaptive / DLL, all shares": (3 * 0.54 + 0.5) / 0.36 / 4,
        "adaptive / DLL, worst case": 0.5 / 0.36,
    }
    same({k: round(v, 6) for k, v in said.items()}, {k: round(v, 6) for k, v in want.items()})
    worst = next(row for row in result(work)["statements"] if row["what"] == "adaptive / DLL, worst case")
    within("shuffle", worst["latency"]["case"])
    within("1.800", (work / "out/noc-figures.txt").read_text())
    shares_are_those_of_ceilings_and_costs(result(work))
    made = calls_so_far(work)
    within("--rate 0.1", next(c for c in made if "--cost" in c))
    same(len([c for c in made if "--ceiling" in c]), 3 * len(figures.PATTERNS))
    made = [c for c in made if "--cost" not in c]
    same(all("--routing o1turn" in c for c in made if "--policy adaptive" in c), True)
    same(any("--routing o1turn" in c for c in made if "--policy dll" in c), False)


def all_patterns_run_on_all_networks(work: Path) -> None:
    program(work)
    same(drawn(work, "--networks").status, 0)
    said = json.loads((work / "out/noc-networks.json").read_text())["networks"]
    same([(row["network"], row["routing"], row["policy"], row["memory"]) for row in said],
        [(below or name, *rest) for name, below, *rest in figures.NETWORKS])
    highest = [row["patterns"]["pairs"]["peak"]["mean"] for row in said]
    same([round(h, 6) for h in highest], [0.2, 0.2, 0.6, 0.6, 0.2, 0.36, 0.54, 0.2, 0.36, 0.54])
    made = calls(work)
    same(len(made), len(figures.NETWORKS) * len(figures.ALL_PATTERNS))
    same([c for c in made if "--memory" in c and "two-layers" not in c], [])
    same(len([c for c in made if "--interposer double-butterfly" in c]), 3 * len(figures.ALL_PATTERNS))
    within("pairs", (work / "out/noc-networks.txt").read_text())


def steps_lead_to_a_dll_that_gains_more(work: Path) -> None:
    program(work)
    same(drawn(work, "--steps").status, 0)
    rows = json.loads((work / "out/noc-steps.json").read_text())["steps"]
    same([round(row[share]["latency"]["mean"], 6) for row in rows for share in ("5 %", "all")],
        [3.6 if ("threshold", "4") in v else 1.8 for v in figures.STEPS for _ in range(2)])
    made = calls(work)
    variants_of_dor = {tuple(o for o in v if o[0] in ("routing", "length")) for v in figures.STEPS}
    same(len(made), (len(variants_of_dor) + len(figures.STEPS)) * len(figures.PATTERNS) * 2)  # of two shares
    within("--threshold 4 --ideal-ring", (work / "out/noc-steps.txt").read_text())


def the_place_that_limits_is_that_of_the_last_rate_below_saturation(_: Path) -> None:
    work, _ = drawn_once()
    same(result(work)["slowest place"],
        {"0.05": "cores", "0.3": "cores", "0.75": "interposer's edge"})


def how_soon_a_policy_settles_is_told(_: Path) -> None:
    work, _ = drawn_once()
    said = result(work)["convergence"]
    same(said["rate"], 0.324)  # nine tenths of what DLL carries
    same({n: row["settled"] for n, row in said["policies"].items()},
        {n: [late] * len(figures.CHANGES) for n, late in
         {"dor": 500, "destdetect": 400, "localbuf": 300, "dll": 200, "adaptive": 0}.items()})
    same({t for row in said["policies"].values() for t in row["steady"]}, {20})
    made = [c for c in calls_so_far(work) if "--timeline" in c]
    same(len(made), len(figures.POLICIES))
    same(all(f"--pattern {' '.join(figures.CHANGES)} --period 1500" in c and "--cycles 9000" in c for c in made), True)


def programs_are_recorded_once_and_played_by_all(work: Path) -> None:
    program(work)
    same("applications" in (drawn(work), result(work))[1], False)
    calls(work)
    recorder(work)
    drawn(work)
    same({name: {n: of[n]["cycles"] for n in of} for name, of in result(work)["applications"].items()},
        {name: {"dor": 1000, "destdetect": 950, "localbuf": 900, "dll": 800, "adaptive": 700}
         for name in figures.PROGRAMS})
    same({of["dll"]["cycles"] for of in result(work)["kernels"].values()}, {800})
    same(list(result(work)["kernels"]), list(figures.KERNELS))
    within("0.800", (work / "out/noc-figures.txt").read_text())
    made = calls(work)
    kernels = [kernel for _, kernel, *_ in figures.KERNELS.values()]
    same(sorted(c for c in made if "recorded" in c), sorted(f"recorded {n}" for n in (*figures.PROGRAMS, *kernels)))
    played = [c for c in made if "--play" in c]
    same(len(played), (len(figures.PROGRAMS) + len(figures.KERNELS)) * len(figures.POLICIES))
    same([c for c in played if "--pattern" in c or "--saturation" in c or "--length" in c], [])
    drawn(work)
    same(calls(work), [])


def programs_are_those_of_noc_record(_: Path) -> None:
    text = (ROOT / "bench/noc/record/programs/programs.h").read_text()
    same(tuple(re.findall(r'^\t{"([\w-]+)", \d', text, re.M)), figures.PROGRAMS)


def a_second_time_runs_nothing_and_another_program_all(work: Path) -> None:
    path = program(work)
    drawn(work)
    first = calls(work)
    same(len(first), len(set(first)))
    before = result(work)["statements"]
    same((drawn(work).status, calls(work), result(work)["statements"] == before), (0, [], True))
    path.write_text(path.read_text() + "# another\n")
    drawn(work)
    same(len(calls(work)), len(first))


def what_was_interrupted_goes_on(work: Path) -> None:
    program(work)
    failed = drawn(work, env={"FAIL": "shuffle"})
    same((failed.status != 0, "as told" in failed.err), (True, True))
    same((work / "out/noc-figures.json").exists(), False)
    before = calls(work)
    same(drawn(work).status, 0)
    after = calls(work)
    same(set(before) & set(after), set())
    same(any("shuffle" in c for c in after), True)


def the_study_has_a_row_for_each_open_parameter(work: Path) -> None:
    program(work)
    same(drawn(work, "--study").status, 0)
    rows = {row["change"]: row for row in result(work)["study"]}
    same(len(rows), 1 + sum(len(values) - 1 for values in figures.OPEN.values()) + len(figures.GIVEN))
    same(round(rows["none"]["dll"]["latency"]["mean"], 6), 1.8)
    same(round(rows["--threshold 4"]["dll"]["latency"]["mean"], 6), 3.6)
    same(round(rows["--threshold 4"]["localbuf"]["latency"]["mean"], 6), 1.5)
    said = calls(work)
    same(len(said), len(set(said)))
    # What a policy does not look at is not run again for it.
    same([c for c in said if "--policy dor" in c and "--threshold" in c], [])
    same(any("--policy dll" in c and "--threshold 4" in c and "--routing yx" in c for c in said), True)
    same(any("--policy dor" in c and "--routing xy-yx-z" in c for c in said), True)


def open_parameters_are_options_of_noc_sim(_: Path) -> None:
    options = set(re.findall(r'line\.\w+\("--([\w-]+)"', (ROOT / "bench/noc/main.cc").read_text()))
    changes = [*(v for values in figures.OPEN.values() for v in values), *figures.GIVEN, *figures.STEPS]
    same({name for value in changes for name, _ in value} - options, set())
    # Each value of a parameter sets the same options, so that one takes the place of the other.
    same([name for name, values in figures.OPEN.items() if len({tuple(dict(v)) for v in values}) != 1], [])


def the_search_takes_what_is_nearest_and_stops_where_nothing_is(_: Path) -> None:
    names = list(figures.OPEN)
    steps = []

    # Nearest with the last value of the second and of the last parameter, and there is a hill between.
    def judged(settings: dict) -> dict:
        far = sum(not set(figures.OPEN[n][-1]) <= set(settings.items()) for n in (names[1], names[-1]))
        return {"settings": settings, "objective": far}

    best = search.search(judged, 5, lambda number, change, tried: steps.append((number, tried["objective"])))
    same(best["objective"], 0)
    same([set(figures.OPEN[n][0]) <= set(best["settings"].items()) for n in names[:1] + names[2:-1]],
         [True] * (len(names) - 2))
    same(max(number for number, _ in steps), 2)  # the second round changes nothing
    same(search.objective(search.THESIS), 0)
    same(round(search.objective({n: 2 * v for n, v in search.THESIS.items()}), 6), round(math.log(2), 6))


def what_was_found_is_what_the_figures_are_run_with(work: Path) -> None:
    program(work)
    env = {"CALLS": str(work / "calls")}
    command = [sys.executable, ROOT / "bench/noc/search.py", "--program", work / "sim", "--folder", work / "found"]
    same(command_line.Called(*command, "--rounds", 0, env=env).status, 0)
    found = json.loads((work / "found/noc-search.json").read_text())
    same((len(found["steps"]), found["objective"]), (1, found["steps"][0]["objective"]))
    found["settings"]["z-cycles"] = "2"
    (work / "found/noc-search.json").write_text(json.dumps(found))
    calls(work)
    same(drawn(work, "--settings", work / "found/noc-search.json").status, 0)
    same([c for c in calls(work) if "--z-cycles 2" not in c], [])


def gnuplot_draws_every_line(_: Path) -> None:
    if not shutil.which("gnuplot"):
        raise Skip("no gnuplot")
    work, called = drawn_once()
    for name in (*figures.FIGURES, "noc-figure-5.12"):
        within(f"{name}.svg", called.out)
    picture = (work / "out/noc-figure-5.10.svg").read_text()
    for policy in figures.POLICIES:
        same(picture.count(f"<title>{policy}</title>"), len(figures.PATTERNS))


def without_the_program_it_skips(work: Path) -> None:
    same(Called("--program", work / "none", "--folder", work).status, 4)


if __name__ == "__main__":
    sys.exit(run_cases([
        ratios_are_those_of_the_runs,
        all_patterns_run_on_all_networks,
        steps_lead_to_a_dll_that_gains_more,
        the_place_that_limits_is_that_of_the_last_rate_below_saturation,
        how_soon_a_policy_settles_is_told,
        programs_are_recorded_once_and_played_by_all,
        programs_are_those_of_noc_record,
        a_second_time_runs_nothing_and_another_program_all,
        what_was_interrupted_goes_on,
        the_study_has_a_row_for_each_open_parameter,
        open_parameters_are_options_of_noc_sim,
        the_search_takes_what_is_nearest_and_stops_where_nothing_is,
        what_was_found_is_what_the_figures_are_run_with,
        gnuplot_draws_every_line,
        without_the_program_it_skips,
    ], "noc-figures-"))
