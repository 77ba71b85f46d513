// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// SAD of Parboil: sums of absolute differences between the blocks of a frame and those of a reference that are up to a
// few points away, of 4 x 4 points, and of them those of 8 x 8 and 16 x 16 points.

#define REACH 4
#define PLACES 64 // (2 * REACH)^2

kernel void sad_4(global const ushort *frame, global const ushort *reference, global ushort *sums, uint width,
		  uint height)
{
	uint place = get_global_id(0), block_x = get_global_id(1), block_y = get_global_id(2);
	int dx = (int)(place % (2 * REACH)) - REACH, dy = (int)(place / (2 * REACH)) - REACH;
	uint sum = 0;
	for (int y = 0; y < 4; y++) {
		int row = block_y * 4 + y, other = clamp(row + dy, 0, (int)height - 1);
		for (int x = 0; x < 4; x++) {
			int column = block_x * 4 + x, beside = clamp(column + dx, 0, (int)width - 1);
			sum += abs_diff(frame[row * width + column], reference[other * width + beside]);
		}
	}
	sums[(block_y * (width / 4) + block_x) * PLACES + place] = sum;
}

// A sum of a larger block is that of four smaller ones; @columns: those of the larger ones.
kernel void sad_larger(global const ushort *smaller, global ushort *sums, uint columns)
{
	uint place = get_global_id(0), x = get_global_id(1), y = get_global_id(2);
	global const ushort *at = smaller + ((2 * y) * (2 * columns) + 2 * x) * PLACES + place;
	sums[(y * columns + x) * PLACES + place] =
		at[0] + at[PLACES] + at[2 * columns * PLACES] + at[(2 * columns + 1) * PLACES];
}
