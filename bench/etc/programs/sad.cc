// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/programs/common.h"

#include <cstdlib>

namespace bench
{
extern const kernel_text sad_kernels;
}

namespace etc
{

program_trace record_sad(uint32_t page_bytes, bool tiny)
{
	constexpr int reach = 4, places = 64;
	const uint32_t width = tiny ? 64 : 640, height = tiny ? 32 : 384;
	std::vector<uint16_t> frame(size_t{width} * height), reference(frame.size());
	for (size_t i = 0; i < frame.size(); i++) {
		frame[i] = uint16_t(i * 7919 % 256);
		reference[i] = uint16_t(i * 104729 % 251);
	}
	std::vector<std::vector<uint16_t>> sums, expected;
	for (uint32_t side = 4; side <= 16; side *= 2)
		sums.emplace_back(size_t{width / side} * (height / side) * places);
	record::recorder r("SAD", {&bench::sad_kernels}, page_bytes);
	const record::array f = r.add(frame), other = r.add(reference), of_4 = r.add(sums[0]), of_8 = r.add(sums[1]),
			    of_16 = r.add(sums[2]);
	r.run("sad_4", {1, width / 4, height / 4}, {places}, f, other, of_4, width, height);
	r.run("sad_larger", {1, width / 8, height / 8}, {places}, of_4, of_8, width / 8);
	r.run("sad_larger", {1, width / 16, height / 16}, {places}, of_8, of_16, width / 16);
	const int w = int(width), h = int(height);
	for (int side = 4, n = 0; side <= 16; side *= 2, n++) {
		std::vector<uint16_t> all(sums[size_t(n)].size());
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++)
				for (int p = 0; p < places; p++) {
					const int beside = std::clamp(x + p % (2 * reach) - reach, 0, w - 1),
						  below = std::clamp(y + p / (2 * reach) - reach, 0, h - 1);
					all[size_t((y / side * (w / side) + x / side) * places + p)] +=
						uint16_t(std::abs(frame[size_t(y * w + x)] -
								  reference[size_t(below * w + beside)]));
				}
		compare("SAD", sums[size_t(n)], all, 0);
	}
	return r.take();
}

} // namespace etc
