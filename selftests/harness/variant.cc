// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "variant.h"

#include <cstdio>
#include <cstdlib>
#include <set>

namespace selftest
{

const std::vector<axis_value> &trap_values()
{
	static const std::vector<axis_value> values = {
		{trap::none, "none"},       {trap::best, "best"},
		{trap::uffd, "uffd"},       {trap::uffd_sigbus, "uffd-sigbus"},
		{trap::sigsegv, "sigsegv"}, {trap::sigsegv_stop, "sigsegv-stop"},
		{trap::kmod, "kmod"},
	};
	return values;
}

const std::vector<axis_value> &device_values()
{
	static const std::vector<axis_value> values = {
		{device::none, "none"},
		{device::host, "host"},
		{device::host2, "host2"},
		{device::host3, "host3"},
		{device::hostcb, "hostcb"},
		{device::opencl, "opencl"},
		{device::opencl2, "opencl2"},
		{device::mixed, "mixed"},
		{device::hostcb2, "hostcb2"},
		{device::cuda, "cuda"},
		{device::cuda2, "cuda2"},
		{device::cuda_mixed, "cuda-mixed"},
		{device::opencl_unlike, "opencl-unlike"},
	};
	return values;
}

const std::vector<axis_value> &kind_values()
{
	static const std::vector<axis_value> values = {
		{kind::none, "none"},
		{kind::heap, "heap"},
		{kind::mmapped, "mmapped"},
		{kind::zeroed, "calloc"},
		{kind::memalign_page, "memalign4096"},
		{kind::memalign_line, "memalign64"},
		{kind::array_new, "new"},
		{kind::library, "library"},
		{kind::library_huge, "library-huge"},
		{kind::bss, "bss"},
		{kind::map, "mmap"},
		{kind::slice, "slice"},
	};
	return values;
}

const char *name_of(const std::vector<axis_value> &axis, uint32_t bit)
{
	for (auto &v : axis)
		if (v.bit == bit)
			return v.name;
	return "?";
}

uint32_t bits_of(const std::vector<axis_value> &axis, const std::string &list)
{
	uint32_t bits = 0;
	for (size_t at = 0; at <= list.size();) {
		size_t comma = std::min(list.find(',', at), list.size());
		std::string name = list.substr(at, comma - at);
		uint32_t bit = 0;
		for (auto &v : axis)
			if (name == v.name)
				bit = v.bit;
		if (!bit && !name.empty()) {
			fprintf(stderr, "unknown variant '%s'; there are:", name.c_str());
			for (auto &v : axis)
				fprintf(stderr, " %s", v.name);
			fprintf(stderr, "\n");
			exit(2);
		}
		bits |= bit;
		at = comma + 1;
	}
	return bits;
}

std::vector<variant> all_combinations(uint32_t traps, uint32_t devices, uint32_t kinds)
{
	std::vector<variant> all;
	for (auto &d : device_values())
		for (auto &t : trap_values())
			for (auto &k : kind_values())
				if ((d.bit & devices) && (t.bit & traps) && (k.bit & kinds))
					all.push_back({t.bit, d.bit, k.bit});
	return all;
}

namespace
{
using pair_set = std::set<uint64_t>;

void pairs_of(const variant &v, uint64_t out[3])
{
	out[0] = uint64_t(v.trap) << 32 | v.device;
	out[1] = uint64_t(v.trap) << 32 | uint64_t(v.kind) << 16;
	out[2] = uint64_t(v.device) << 48 | uint64_t(v.kind) << 16 | 1;
}
} // namespace

std::vector<variant> every_pair(const std::vector<variant> &all)
{
	pair_set missing;
	uint64_t pairs[3];
	for (auto &v : all) {
		pairs_of(v, pairs);
		missing.insert(pairs, pairs + 3);
	}
	std::vector<variant> chosen;
	while (!missing.empty()) {
		const variant *best = nullptr;
		int best_new = 0;
		for (auto &v : all) {
			pairs_of(v, pairs);
			int fresh = 0;
			for (uint64_t p : pairs)
				fresh += missing.count(p);
			if (fresh > best_new) {
				best = &v;
				best_new = fresh;
			}
		}
		pairs_of(*best, pairs);
		for (uint64_t p : pairs)
			missing.erase(p);
		chosen.push_back(*best);
	}
	return chosen;
}

} // namespace selftest
