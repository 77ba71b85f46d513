// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/memory.h"

#include "run/devices.h"
#include "run/numbers.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace tool::run
{

namespace
{

// Memory that the library does not use is without a budget.
bool has_memory(het::device d)
{
	return d.info().kind != HET_DEVICE_HOST;
}

uint64_t bytes_of_arrays(const std::vector<argument> &arguments)
{
	uint64_t sum = 0;
	for (const argument &a : arguments)
		sum += a.kind == HET_ARG_RANGE ? a.bytes.size() : 0;
	return sum;
}

uint64_t parse_memory(const std::string &size, const std::vector<argument> &arguments)
{
	bool is_part = size.ends_with('%');
	uint64_t n = parse_size(is_part ? size.substr(0, size.size() - 1) : size, "--memory");
	uint64_t bytes = is_part ? bytes_of_arrays(arguments) / 100 * n : n;
	if (!bytes)
		throw std::runtime_error("--memory " + size + " leaves nothing");
	return bytes;
}

} // namespace

void limit_memory(const std::string &size, const std::vector<argument> &arguments,
		  const std::vector<het::device> &devices)
{
	const uint64_t bytes = parse_memory(size, arguments);
	if (std::ranges::none_of(devices, has_memory))
		throw std::runtime_error("--memory: no device here has memory of its own");
	for (het::device d : devices)
		if (has_memory(d))
			d.set_budget(bytes);
}

json describe_memory(const std::vector<het::device> &devices)
{
	json all = json::array();
	for (het::device d : devices) {
		if (!has_memory(d))
			continue;
		const het_memory_info m = d.memory();
		all.push_back({{"device", title_of(d)},
			       {"budget", m.budget},
			       {"slices", m.slices},
			       {"sent", m.sent},
			       {"brought", m.brought},
			       {"kept", m.kept},
			       {"reused", m.reused},
			       {"dirty", m.dirty},
			       {"away", m.away},
			       {"in_place", m.in_place},
			       {"accesses_in_place", m.accesses_in_place},
			       {"evictions", m.evictions},
			       {"evicted", m.evicted},
			       {"written_back", m.written_back},
			       {"waits", m.waits}});
	}
	return all;
}

// What is known of its arguments is the same of each launch of one command.
json describe_uses(const outcome &o)
{
	uint64_t launches[3] = {}, waited = 0, stalls = 0, stalled = 0;
	het_memory_use known = {};
	for (const launched &l : o.launches) {
		const het_memory_use &u = l.memory;
		launches[u.way]++;
		waited += u.waited_ns;
		stalls += u.stalls;
		stalled += u.stalled_ns;
		known = u.way == HET_MEMORY_WHOLE ? known : u;
	}
	const char *const classes[] = {"unknown", "regular", "irregular"};
	return {{"whole", launches[HET_MEMORY_WHOLE]},
		{"in_slices", launches[HET_MEMORY_SLICES]},
		{"in_place", launches[HET_MEMORY_IN_PLACE]},
		{"class", classes[known.memory_class]},
		{"declared", known.declared},
		{"analysed", known.analysed},
		{"unknown", known.whole},
		{"waited_ms", double(waited) * 1e-6},
		{"stalls", stalls},
		{"stalled_ms", double(stalled) * 1e-6}};
}

void print_uses(const json &uses)
{
	auto number = [&](const char *name) { return uses[name].get<unsigned long>(); };
	printf("\n%lu launches were whole, %lu in slices, %lu in place\n", number("whole"), number("in_slices"),
	       number("in_place"));
	if (!number("in_slices") && !number("in_place"))
		return;
	printf("  %s: what a row uses is known of %lu arguments by patterns, of %lu by analysis, and not of %lu\n",
	       uses["class"].get<std::string>().c_str(), number("declared"), number("analysed"), number("unknown"));
	printf("  they waited for %.3f ms before they began; then their device waited for bytes %lu times, for %.3f "
	       "ms\n",
	       uses["waited_ms"].get<double>(), number("stalls"), uses["stalled_ms"].get<double>());
}

void print_memory(const json &memory)
{
	auto number = [](const json &d, const char *name) { return d[name].get<unsigned long>(); };
	for (const json &d : memory) {
		printf("\nmemory of %s: %lu bytes\n", d["device"].get<std::string>().c_str(), number(d, "budget"));
		printf("  %lu slices, for which %lu bytes were sent and %lu came home\n", number(d, "slices"),
		       number(d, "sent"), number(d, "brought"));
		printf("  %lu bytes are kept for launches to come, and %lu had not to be sent as they were kept\n",
		       number(d, "kept"), number(d, "reused"));
		printf("  %lu bytes of arrays, and %lu of what is kept, are nowhere else\n", number(d, "dirty"),
		       number(d, "away"));
		printf("  %lu launches in place, with %lu accesses to host memory\n", number(d, "in_place"),
		       number(d, "accesses_in_place"));
		printf("  %lu arrays of %lu bytes left, of which %lu had to be copied; launches waited %lu times\n",
		       number(d, "evictions"), number(d, "evicted"), number(d, "written_back"), number(d, "waits"));
	}
}

} // namespace tool::run
