// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_slices.h"

#include <algorithm>
#include <cstdio>
#include <new>

namespace het::rt
{

namespace
{

// The dimensions that carry the launch's size and offset.
unsigned size_carrier(unsigned along)
{
	return along == 0 ? 1 : 0;
}

unsigned offset_carrier(unsigned along)
{
	return along == 2 ? 1 : 2;
}

// Its names are the implementation's own, and the program's lines keep their numbers.
constexpr char functions[] = R"(
uint het_get_work_dim(void) { return HET_DIMENSIONS; }
size_t het_get_global_offset(uint d)
{
	return d == HET_ALONG ? get_global_offset(HET_OFFSET_CARRIER) :
	       d == 0 ? HET_OFFSET_0 : d == 1 ? HET_OFFSET_1 : d == 2 ? HET_OFFSET_2 : 0;
}
size_t het_get_global_size(uint d) { return d == HET_ALONG ? get_global_offset(HET_SIZE_CARRIER) : get_global_size(d); }
size_t het_get_num_groups(uint d)
{
	return d == HET_ALONG ? get_global_offset(HET_SIZE_CARRIER) / get_local_size(d) : get_num_groups(d);
}
size_t het_get_global_id(uint d)
{
	return d >= HET_DIMENSIONS ? 0 : d == HET_ALONG ? get_global_id(d) :
	       get_global_id(d) - get_global_offset(d) + het_get_global_offset(d);
}
size_t het_get_group_id(uint d)
{
	return d != HET_ALONG ? get_group_id(d) :
	       get_group_id(d) + (get_global_offset(d) - get_global_offset(HET_OFFSET_CARRIER)) / get_local_size(d);
}
size_t het_get_global_linear_id(void)
{
	size_t id = 0;
	for (uint d = HET_DIMENSIONS; d-- > 0;)
		id = id * het_get_global_size(d) + het_get_global_id(d) - het_get_global_offset(d);
	return id;
}
#define get_work_dim() het_get_work_dim()
#define get_global_offset(d) het_get_global_offset(d)
#define get_global_size(d) het_get_global_size(d)
#define get_num_groups(d) het_get_num_groups(d)
#define get_global_id(d) het_get_global_id(d)
#define get_group_id(d) het_get_group_id(d)
#define get_global_linear_id() het_get_global_linear_id()
#line 1
)";

} // namespace

text make_slice_prelude(const slicing &how)
{
	constexpr size_t room = sizeof(functions) + 400;
	text made(new (std::nothrow) char[room]);
	if (made)
		snprintf(made.get(), room,
			 "#define HET_DIMENSIONS %u\n#define HET_ALONG %u\n"
			 "#define HET_SIZE_CARRIER %u\n#define HET_OFFSET_CARRIER %u\n"
			 "#define HET_OFFSET_0 %zuUL\n#define HET_OFFSET_1 %zuUL\n#define HET_OFFSET_2 %zuUL\n%s",
			 how.dimensions, how.along, size_carrier(how.along), offset_carrier(how.along), how.offset[0],
			 how.offset[1], how.offset[2], functions);
	return made;
}

native_slice place_slice(const launch_shape &s)
{
	native_slice n = {};
	std::copy_n(s.global, 3, n.global);
	std::copy_n(s.local, 3, n.local);
	unsigned along = s.part.along;
	n.global[along] = s.part.count * s.local[along];
	n.offset[along] = s.offset[along] + s.part.first * s.local[along];
	n.offset[size_carrier(along)] = s.global[along];
	n.offset[offset_carrier(along)] = s.offset[along];
	return n;
}

} // namespace het::rt
