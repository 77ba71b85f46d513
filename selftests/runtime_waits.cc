// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels have blocks that may wait for each other: parts of a launch on several devices would wait for ever.
#include "harness/runtime.h"

#include <algorithm>
#include <string>

using namespace selftest;

namespace
{

// This does as add with the value 1; its loop ends at once.
constexpr char waiting_kernel[] = R"(
.visible .entry waiting_add(.param .u64 p, .param .u8 value, .param .u64 n)
{
	.reg .pred %p;
	.reg .b16 %v;
	.reg .b32 %b, %t, %c;
	.reg .b64 %i, %n, %a;
	mov.u32 %b, %ntid.x;
	mov.u32 %t, %tid.x;
	mov.u32 %c, %ctaid.x;
	mad.lo.u32 %t, %b, %c, %t;
	cvt.u64.u32 %i, %t;
	ld.param.u64 %n, [n];
	setp.ge.u64 %p, %i, %n;
	@%p ret;
	ld.param.u64 %a, [p];
	add.u64 %a, %a, %i;
$again:
	ld.volatile.global.u8 %v, [%a];
	setp.gt.u16 %p, %v, 255;
	@%p bra $again;
	add.u16 %v, %v, 1;
	st.global.u8 [%a], %v;
	ret;
}
)";

void add_one(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint8_t *>(args[0]);
	size_t end = std::min<size_t>(g->first[0] + g->items[0], *static_cast<const uint64_t *>(args[2]));
	for (size_t i = g->first[0]; i < end; i++)
		p[i]++;
}

} // namespace

// The loop may wait for a block of the other device, which has memory of its own, so it would never end.
TEST(kernels_that_may_wait_run_on_one_device, .traps = trap::best, .devices = device::cuda2, .kinds = kind::mmapped)
{
	runtime_fixture fx(t, 0, "HET_POLICY=static"); // gives each device a part, however fast the other is
	const het_image plain = runtime_kernels();
	const std::string text = std::string(static_cast<const char *>(plain.data), plain.nbytes) + waiting_kernel;
	const het_image image = {HET_IMAGE_PTX, 0, text.c_str(), text.size()};
	const het_function functions[] = {{"add", add_one, 3}, {"waiting_add", add_one, 3}};
	het_program_args p = {};
	p.size = sizeof p;
	p.images = &image;
	p.nimages = 1;
	p.functions = functions;
	p.nfunctions = std::size(functions);
	program_handle program;
	HET_OK(het_program_create(&p, program.out()));
	std::vector<uint8_t> bytes(300000);
	uint8_t one = 1;
	auto devices_of = [&](const char *name) {
		kernel_handle kernel;
		HET_OK(het_kernel_create(program, name, kernel.out()));
		event_handle e;
		HET_OK(fx.launch(kernel, bytes.size(),
				 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE, each_byte), value_arg(one)},
				 e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
		return work_of(e, (bytes.size() + 63) / 64 * 64).items.size();
	};
	CHECK_EQ(devices_of("waiting_add"), 1);
	CHECK(devices_of("add") > 1);
	CHECK_EQ(devices_of("waiting_add"), 1);
	CHECK(bytes == std::vector<uint8_t>(bytes.size(), 3));
}
