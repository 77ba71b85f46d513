// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/opencl_slices.h"

#include "dev/opencl_rename.h"
#include "fatbin/asked.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>
#include <string_view>

namespace het::rt
{

namespace
{

// These dimensions carry the launch's size and offset.
unsigned size_carrier(unsigned along)
{
	return along == 0 ? 1 : 0;
}

unsigned offset_carrier(unsigned along)
{
	return along == 2 ? 1 : 2;
}

constexpr const char *names[] = {"get_work_dim",  "get_global_offset", "get_global_size",     "get_num_groups",
				 "get_global_id", "get_group_id",      "get_global_linear_id"};

// Its names are the implementation's own, since the program's options may have macros of all others, and the program's
// lines keep their numbers.
constexpr char functions[] = R"(
uint het_get_work_dim(void) { return HET_DIMENSIONS; }
size_t het_get_global_offset(uint het_d)
{
	return het_d == HET_ALONG ? get_global_offset(HET_OFFSET_CARRIER) :
	       het_d == 0 ? HET_OFFSET_0 : het_d == 1 ? HET_OFFSET_1 : het_d == 2 ? HET_OFFSET_2 : 0;
}
size_t het_get_global_size(uint het_d)
{
	return het_d == HET_ALONG ? get_global_offset(HET_SIZE_CARRIER) : get_global_size(het_d);
}
size_t het_get_num_groups(uint het_d)
{
	return het_d == HET_ALONG ? get_global_offset(HET_SIZE_CARRIER) / get_local_size(het_d) : get_num_groups(het_d);
}
size_t het_get_global_id(uint het_d)
{
	return het_d >= HET_DIMENSIONS ? 0 : het_d == HET_ALONG ? get_global_id(het_d) :
	       get_global_id(het_d) - get_global_offset(het_d) + het_get_global_offset(het_d);
}
size_t het_get_group_id(uint het_d)
{
	return het_d != HET_ALONG ? get_group_id(het_d) :
	       get_group_id(het_d) +
		       (get_global_offset(het_d) - get_global_offset(HET_OFFSET_CARRIER)) / get_local_size(het_d);
}
size_t het_get_global_linear_id(void)
{
	size_t het_id = 0;
	for (uint het_d = HET_DIMENSIONS; het_d-- > 0;)
		het_id = het_id * het_get_global_size(het_d) + het_get_global_id(het_d) - het_get_global_offset(het_d);
	return het_id;
}
#define get_work_dim het_get_work_dim
#define get_global_offset het_get_global_offset
#define get_global_size het_get_global_size
#define get_num_groups het_get_num_groups
#define get_global_id het_get_global_id
#define get_group_id het_get_group_id
#define get_global_linear_id het_get_global_linear_id
#line 1
)";

// The first empty line ends a program's last line, the second one that which it may continue there. The program's own
// macros bear our functions' names.
constexpr char check[] = R"(

#undef het_get_work_dim
#undef het_get_global_offset
#undef het_get_global_size
#undef het_get_num_groups
#undef het_get_global_id
#undef het_get_group_id
#undef het_get_global_linear_id
#define HET_OURS_het_get_work_dim 1
#define HET_OURS_het_get_global_offset 1
#define HET_OURS_het_get_global_size 1
#define HET_OURS_het_get_num_groups 1
#define HET_OURS_het_get_global_id 1
#define HET_OURS_het_get_group_id 1
#define HET_OURS_het_get_global_linear_id 1
#define HET_OURS_(name) HET_OURS_##name
#define HET_OURS(name) HET_OURS_(name)
#if HET_OURS(get_work_dim) + HET_OURS(get_global_offset) + HET_OURS(get_global_size) + HET_OURS(get_num_groups) + \
	HET_OURS(get_global_id) + HET_OURS(get_group_id) + HET_OURS(get_global_linear_id) != 7
#error the program has other macros of the work-item functions' names
#endif
)";

// Sees to it that all of a program's names can be seen.
const char *why_not_renamed(std::string_view program, std::string_view options)
{
	if (program.find("push_macro") != program.npos)
		return "it keeps macros and has them back";
	for (const char *name : names)
		if (options.find(name) != options.npos)
			return "its options have a macro of a work-item function's name";
	return nullptr;
}

} // namespace

int make_slice_text(const slicing &how, fatbin::bytes program, const char *options, slice_text &made, const char **why)
{
	const char *asked = how.asked ? how.asked : "";
	const size_t room_before = sizeof(functions) + 400, room_asked = fatbin::most_checks(strlen(asked));
	const std::span<const char> chars(reinterpret_cast<const char *>(program.data()), program.size());
	*why = why_not_renamed({chars.data(), chars.size()}, options ? options : "");
	if (*why)
		return HET_ENODEV;
	made.bytes.reset(
		new (std::nothrow) char[room_asked + room_before + most_renamed(chars.size()) + sizeof(check)]);
	if (!made.bytes)
		return HET_ENOMEM;
	char *at = made.bytes.get();
	at += fatbin::write_checks(asked, at);
	at += snprintf(at, room_before,
		       "#define HET_DIMENSIONS %u\n#define HET_ALONG %u\n"
		       "#define HET_SIZE_CARRIER %u\n#define HET_OFFSET_CARRIER %u\n"
		       "#define HET_OFFSET_0 %zuUL\n#define HET_OFFSET_1 %zuUL\n#define HET_OFFSET_2 %zuUL\n%s",
		       how.dimensions, how.along, size_carrier(how.along), offset_carrier(how.along), how.offset[0],
		       how.offset[1], how.offset[2], functions);
	at += rename_words(chars, names, at);
	memcpy(at, check, sizeof(check));
	made.size = size_t(at - made.bytes.get()) + sizeof(check) - 1;
	return 0;
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
