#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Heat spreads over a plate: two arrays of numpy's, on a device as they are.

    heat.py [FAT_BINARY]

The kernel comes from the text below, or from a fat binary that het-fatbin has made of it (--source prints it); on the
devices "host" and "apart" it is the function."""

import ctypes
import sys
from pathlib import Path
from typing import Any

import numpy as np

import het
import het.host

SOURCE = """
kernel void spread(global const float *from, global float *to, int width, int height)
{
	int x = get_global_id(0), y = get_global_id(1), at = y * width + x;
	if (x == 0 || y == 0 || x == width - 1 || y == height - 1)
		to[at] = from[at];
	else
		to[at] = (from[at - width] + from[at - 1] + from[at + 1] + from[at + width]) * 0.25f;
}
"""
WIDTH, HEIGHT = 320, 200


def spread_with_numpy(plate: np.ndarray) -> np.ndarray:
    to = plate.copy()
    to[1:-1, 1:-1] = (plate[:-2, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:] + plate[2:, 1:-1]) * np.float32(0.25)
    return to


@het.host.function
def spread(group: het.host.Group, args: Any) -> None:
    """Computes the rows of one work-group."""
    shape = (group.global_size[1], group.global_size[0])
    plates = [np.ctypeslib.as_array(ctypes.cast(args[i], ctypes.POINTER(ctypes.c_float)), shape) for i in (0, 1)]
    first, end = group.first[1], group.first[1] + group.items[1]
    around = slice(max(first - 1, 0), min(end + 1, shape[0]))
    plates[1][first:end] = spread_with_numpy(plates[0][around])[first - around.start :][: end - first]


def main() -> int:
    if sys.argv[1:] == ["--source"]:
        print(SOURCE)
        return 0
    source = Path(sys.argv[1]) if sys.argv[1:] else SOURCE
    step = het.Program(source, functions={"spread": (spread, 4)}).spread[(WIDTH, HEIGHT), (WIDTH, 1)]
    plate, other = np.zeros((HEIGHT, WIDTH), np.float32), np.zeros((HEIGHT, WIDTH), np.float32)
    plate[:, 0] = 100  # the left edge is hot
    expected = plate.copy()
    for round in range(20):
        step(plate, het.written(other), np.int32(WIDTH), np.int32(HEIGHT))
        plate, other = other, plate
        expected = spread_with_numpy(expected)
        if round % 5 == 4:
            print(f"after {round + 1:2} steps: {plate[HEIGHT // 2, 1]:6.3f} beside the edge")
    print(f"the mean is {plate.mean():.4f}, on {het.devices()[0].name}")
    return 0 if np.allclose(plate, expected, atol=1e-4) else 1


if __name__ == "__main__":
    sys.exit(main())
