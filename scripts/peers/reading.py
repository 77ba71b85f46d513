# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Reads what the peers of het-bench print. A file that ends early, as time was over, may say less, or nothing."""

import json
import re
import statistics
import xml.etree.ElementTree as ElementTree
from typing import Iterable


def read_stream(text: str) -> dict[str, float]:
    """gpu-stream prints a line of rates for each size of a block; the best of each column counts."""
    columns = ("init", "read", "scale", "triad")
    rows = [line.split("GB/s:")[1].split() for line in text.splitlines() if "GB/s:" in line]
    rows = [r for r in rows if len(r) >= len(columns)]  # its time may be over inside a line
    return {c: max(float(r[i]) for r in rows) for i, c in enumerate(columns)} if rows else {}


def read_latency(text: str) -> list[tuple[float, float]]:
    """gpu-latency prints loads, MHz, KiB, ms, clocks of a load, and how these scatter; returns KiB and ns."""
    rows = [line.split() for line in text.splitlines()]
    return [(float(r[2]), float(r[4]) * 1e3 / float(r[1])) for r in rows if len(r) >= 5 and r[0].isdigit()]


def latency_between(rows: Iterable[tuple[float, float]], least: float, most: float) -> float | None:
    found = [ns for kib, ns in rows if least <= kib <= most]
    return statistics.median(found) if found else None


def read_nvbandwidth(text: str) -> dict[str, float]:
    """nvbandwidth prints a column for each device; the first one's counts."""
    return {name: float(value) for value, name in re.findall(r"^ *0 +([\d.]+).*\n\nSUM (\S+)", text, re.M)}


def read_clpeak(text: str, device: int = 0) -> dict[str, float]:
    """clpeak's best width of each kind counts."""
    try:
        devices = list(ElementTree.fromstring(text).iter("device"))
    except ElementTree.ParseError:
        return {}
    if device >= len(devices):
        return {}
    found = {}
    for kind in ("global_memory_bandwidth", "single_precision_compute", "double_precision_compute"):
        values = [float(v.text) for part in devices[device].iter(kind) for v in part]
        if values:
            found[kind] = max(values)
    return found


def read_mixbench(text: str) -> dict[str, float]:
    """mixbench prints a row for each number of operations, with four columns for each type: the best of each counts."""
    rows = [[float(cell) for cell in line.split(",")] for line in text.splitlines() if re.match(r"^ *\d+,", line)]
    rows = [r for r in rows if len(r) == 17]
    if not rows:
        return {}
    columns = {"float": 3, "double": 7, "int": 15}
    found = {name: max(r[i] for r in rows) for name, i in columns.items()}
    return found | {"read": max(r[i] for r in rows for i in (4, 8, 12, 16))}


def read_shoc(text: str) -> dict[str, float]:
    """SHOC's programs print a row for each test and size: the best median of each test counts."""
    found: dict[str, float] = {}
    for row in (line.split("\t") for line in text.splitlines()):
        if len(row) > 4 and re.fullmatch(r"[\d.e+]+", row[3]):
            found[row[0]] = max(found.get(row[0], 0), float(row[3]))
    return found


def read_mt4g(text: str) -> dict[str, float]:
    """MT4G prints one JSON document, behind what it does; each number counts by its path, such as l1/latency/mean."""
    begin = text.find("\n{")
    try:
        document, _ = json.JSONDecoder().raw_decode(text[begin + 1 :])
    except ValueError:
        return {}
    found: dict[str, float] = {}

    def visit(value: object, path: str) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                visit(inner, f"{path}/{name}" if path else name)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            found[path] = float(value)

    visit(document.get("memory", {}), "")
    return found
