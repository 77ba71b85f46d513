// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests of launches that work on host memory in place have these kernels, and what they must give.
#pragma once

#include "fake/fake_cuda.h"
#include "harness/rounds.h"

#include <algorithm>
#include <string>

namespace selftest
{

using settings = std::vector<const char *>;

inline constexpr uint32_t gpu = device::cuda, gpu_and_host = device::cuda2;
inline constexpr char small[] = "HET_DEVICE_MEMORY=64K";

// Each kernel has the number of its items as the last argument.
inline constexpr char beginning[] = R"(
.version 7.0
.target sm_70
.address_size 64
)";
// Each item below n has its number in %a1.
inline constexpr char number_of_item[] = R"(
	.reg .pred %p;
	.reg .b32 %r<8>;
	.reg .b64 %a<8>;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r1, %r1, %r2, %r3;
	cvt.u64.u32 %a1, %r1;
	ld.param.u64 %a2, [n];
	setp.ge.u64 %p, %a1, %a2;
	@%p ret;
)";
// It has the place that it looks up in %r4 as well.
inline constexpr char place_of_item[] = R"(
	ld.param.u64 %a3, [from];
	shl.b64 %a4, %a1, 2;
	add.u64 %a3, %a3, %a4;
	ld.global.u32 %r4, [%a3];
)";

inline std::string kernels()
{
	return std::string(R"(
.visible .entry gather(.param .u64 from, .param .u64 table, .param .u64 to, .param .u64 n)
{
)") + number_of_item +
	       place_of_item +
	       R"(	ld.param.u64 %a5, [table];
	cvt.u64.u32 %a6, %r4;
	add.u64 %a5, %a5, %a6;
	ld.u8 %r5, [%a5];
	ld.param.u64 %a7, [to];
	add.u64 %a7, %a7, %a1;
	st.global.u8 [%a7], %r5;
	ret;
}
.visible .entry count(.param .u64 from, .param .u64 bins, .param .u64 n)
{
)" + number_of_item +
	       place_of_item +
	       R"(	and.b32 %r4, %r4, -4;
	ld.param.u64 %a5, [bins];
	cvt.u64.u32 %a6, %r4;
	add.u64 %a5, %a5, %a6;
	@!%p red.global.add.u32 [%a5], 1;
	ret;
}
)";
}

// A program of its own for a text.
class program_of_text
{
      public:
	explicit program_of_text(const std::string &text) { make_program_of_ptx(program_, text); }
	void kernel(const char *name, kernel_handle &made) { HET_OK(het_kernel_create(program_, name, made.out())); }

      private:
	program_handle program_;
};

class in_place_fixture : public runtime_fixture
{
      public:
	in_place_fixture(const context &t, settings s, const char *devices = nullptr)
	    : runtime_fixture(t, 0, std::move(s), devices), own_(std::string(beginning) + kernels())
	{
		own_.kernel("gather", gather);
		own_.kernel("count", count);
		device = device_apart();
	}
	kernel_handle gather; // takes (where, table, to): the byte at which place of the table
	kernel_handle count;  // takes (where, bins): adds one to the word there
	het_device *device;

	int launch_there(het_kernel *k, size_t items, std::initializer_list<het_arg> args, het_event **e = nullptr)
	{
		return launch(k, items, args, e, {.device = device});
	}
	void combine_bytes(model_array &from, model_array &to, het_event **e = nullptr)
	{
		HET_OK(launch_there(combine, to.size(), {from.all(HET_READ_ONLY), to.all(HET_READ_WRITE)}, e));
		for (size_t i = 0; i < to.size(); i++)
			to.model[i] = uint8_t(3 * to.model[i] + from.model[i]);
	}
	void scatter_bytes(model_array &from, model_array &to)
	{
		HET_OK(launch_there(scatter, to.size(), {from.all(HET_READ_ONLY), to.all(HET_WRITE_ONLY)}));
		for (size_t i = 0; i < to.size(); i++)
			to.model[i * 7919 % to.size()] = from.model[i];
	}

      private:
	program_of_text own_;
};

// The model's numbers, and the array's.
inline void put_places(model_array &where, size_t n, random_source &random)
{
	for (size_t i = 0; i + 4 <= where.size(); i += 4) {
		const auto place = uint32_t(random.below(n));
		memcpy(&where.model[i], &place, 4);
	}
	memcpy(where.b.data(), where.model.data(), where.size());
}

inline uint32_t place_at(const model_array &where, size_t i)
{
	uint32_t place;
	memcpy(&place, &where.model[4 * i], 4);
	return place;
}

inline void model_gather(const model_array &where, const model_array &table, model_array &to)
{
	for (size_t i = 0; i < to.size(); i++)
		to.model[i] = table.model[place_at(where, i)];
}

inline void model_count(const model_array &where, model_array &bins)
{
	for (size_t i = 0; i < where.size() / 4; i++) {
		uint32_t bin;
		uint8_t *at = &bins.model[place_at(where, i) & ~3u];
		memcpy(&bin, at, 4);
		bin++;
		memcpy(at, &bin, 4);
	}
}

} // namespace selftest
