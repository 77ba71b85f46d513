// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/device_paths.h"

#include "memory/buffers.h"

#include <algorithm>

namespace het::rt
{

namespace
{

// Eight devices have so many at most: with the host both ways, and from each of the others.
constexpr size_t most_reports = 72;

bool has_memory(const het_device &d)
{
	return core().memory_started.load() && !d.compute->is_in_place();
}

size_t ask(const het_device &d, path_report (&all)[most_reports])
{
	return has_memory(d) ? std::min(report_paths(d.memory_number, all), most_reports) : 0;
}

het_device *with_memory(unsigned number)
{
	for (unsigned i = 0; i < core().ndevices; i++) {
		het_device *d = core().devices[i].get();
		if (!d->compute->is_in_place() && d->memory_number == number)
			return d;
	}
	return nullptr;
}

} // namespace

uint32_t count_paths(const het_device &d)
{
	path_report all[most_reports];
	return uint32_t(ask(d, all));
}

int describe_path(const het_device &d, uint32_t number, het_path_info &info)
{
	path_report all[most_reports];
	if (number >= ask(d, all))
		return HET_EARG;
	const path_report &r = all[number];
	info = {};
	info.way = r.way;
	info.from = r.way == path_report::from_device ? with_memory(r.from) : nullptr;
	info.by = with_memory(r.by);
	info.cuda_device = r.ordinal;
	info.carried = r.carried;
	info.by_kernels = r.by_kernels;
	info.rate = r.rate;
	return 0;
}

double seconds_to_bring(const het_device &d, double nbytes, double rate)
{
	const double known = has_memory(d) && nbytes > 0 ? seconds_to_send(d.memory_number, size_t(nbytes)) : 0;
	return known > 0 ? known : nbytes / rate;
}

} // namespace het::rt
