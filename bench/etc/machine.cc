// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/machine.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace etc
{

namespace
{

// What takes time may take none, but for phases that follow each other; of all else there has to be some.
constexpr model::named_parameter<machine> all[] = {
	{"clock_mhz", &machine::clock_mhz},
	{"processors", &machine::processors},
	{"l1_bytes", &machine::l1_bytes},
	{"l1_ways", &machine::l1_ways},
	{"l1_tlb", &machine::l1_tlb},
	{"l2_bytes", &machine::l2_bytes},
	{"l2_ways", &machine::l2_ways},
	{"l2_tlb", &machine::l2_tlb},
	{"walk_cache_bytes", &machine::walk_cache_bytes},
	{"walk_cache_ways", &machine::walk_cache_ways},
	{"walks", &machine::walks},
	{"walk_levels", &machine::walk_levels},
	{"memory_mhz", &machine::memory_mhz},
	{"channels", &machine::channels},
	{"banks", &machine::banks},
	{"fault_us", &machine::fault_us, true},
	{"bus_gb_s", &machine::bus_gb_s},
	{"page_bytes", &machine::page_bytes},
	{"granule_bytes", &machine::granule_bytes},
	{"prefetcher", &machine::prefetcher},
	{"metadata_entries", &machine::metadata_entries},
	{"warps_of_processor", &machine::warps_of_processor},
	{"blocks_of_processor", &machine::blocks_of_processor},
	{"l1_cycles", &machine::l1_cycles, true},
	{"l2_cycles", &machine::l2_cycles, true},
	{"l2_tlb_ways", &machine::l2_tlb_ways},
	{"l2_tlb_cycles", &machine::l2_tlb_cycles, true},
	{"walk_cache_cycles", &machine::walk_cache_cycles, true},
	{"row_bytes", &machine::row_bytes},
	{"row_hit_cycles", &machine::row_hit_cycles, true},
	{"row_miss_cycles", &machine::row_miss_cycles, true},
	{"fault_batch", &machine::fault_batch},
	{"launch_cycles", &machine::launch_cycles, true},
	{"remote_cycles", &machine::remote_cycles, true},
	{"copy_cycles", &machine::copy_cycles, true},
	{"unpack_cycles", &machine::unpack_cycles, true},
	{"detection_cycles", &machine::detection_cycles},
	{"execution_cycles", &machine::execution_cycles},
	{"move_clean", &machine::move_clean},
};

} // namespace

cycle machine::line_cycles() const
{
	return std::max<cycle>(1, cycle(std::llround(line_bytes / 16.0 * clock_mhz / std::max(1.0, memory_mhz))));
}

cycle machine::bus_cycles(uint64_t bytes) const
{
	return std::max<cycle>(1, cycle(std::llround(double(bytes) * clock_mhz / (bus_gb_s * 1000))));
}

machine scaled(const machine &m, unsigned factor)
{
	if (factor == 0)
		throw std::invalid_argument("the machine can't be made 0 times smaller");
	machine s = m;
	const auto smaller = [&](unsigned n, unsigned least) { return std::max((n + factor / 2) / factor, least); };
	s.processors = smaller(m.processors, 1);
	s.channels = smaller(m.channels, 1);
	s.l2_bytes = smaller(m.l2_bytes, m.l2_ways * line_bytes);
	s.page_bytes = smaller(m.page_bytes, line_bytes);
	s.granule_bytes = s.page_bytes * m.pages_of_granule();
	s.bus_gb_s = m.bus_gb_s / factor;
	return s;
}

void set(machine &m, const std::string &text)
{
	model::set_parameter<machine>(m, all, text);
}

std::vector<parameter> parameters_of(const machine &m)
{
	return model::parameters_of<machine>(m, all);
}

} // namespace etc
