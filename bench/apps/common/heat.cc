// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/heat.h"

namespace bench
{

namespace
{

constexpr size_t group_width = 64, group_height = 4;

} // namespace

het::work heat_items(size_t width, size_t height)
{
	return het::work(whole_groups_of(group_width, width), whole_groups_of(group_height, height))
		.groups_of(group_width, group_height);
}

void relax_on_host(const het_group *g, void *const *args)
{
	const float *from = array_of<const float>(args, 0);
	float *to = array_of<float>(args, 1);
	const size_t width = value_of<uint32_t>(args, 2), height = value_of<uint32_t>(args, 3);
	const float share = value_of<float>(args, 4);
	for_items(g, 1, height, [&](size_t y) {
		for_items(g, 0, width, [&](size_t x) {
			const float *p = from + y * width + x;
			float here = *p;
			if (x > 0 && y > 0 && x + 1 < width && y + 1 < height)
				here += share * (p[-1] + p[1] + *(p - width) + p[width] - 4 * here);
			to[y * width + x] = here;
		});
	});
}

std::vector<double> heat_after(const std::vector<float> &start, size_t width, size_t height, unsigned steps)
{
	std::vector<double> here(start.begin(), start.end()), next = here;
	for (unsigned s = 0; s < steps; s++) {
		for (size_t y = 1; y + 1 < height; y++)
			for (size_t i = y * width + 1; i + 1 < (y + 1) * width; i++)
				next[i] = here[i] + heat_rate * (here[i - 1] + here[i + 1] + here[i - width] +
								 here[i + width] - 4 * here[i]);
		next.swap(here);
	}
	return here;
}

} // namespace bench
