// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests het_launch() on one device: arguments, work-items, programs, and what is refused.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

using namespace selftest;

namespace
{

constexpr uint32_t kinds = kind::heap | kind::mmapped | kind::zeroed | kind::memalign_line | kind::array_new |
			   kind::bss | kind::map | kind::slice;

void check_pattern(const uint8_t *p, size_t n, uint32_t seed, uint8_t added)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] != uint8_t(pattern_byte(i, seed) + added))
			FAIL("byte %zu is %u, not %u", i, p[i], uint8_t(pattern_byte(i, seed) + added));
	}
}

} // namespace

// The host writes, a kernel works, and the host reads, several times over.
TEST(memory_of_each_kind, .traps = trap::best | trap::sigsegv, .devices = device::runtime, .kinds = kinds)
{
	runtime_fixture fx(t);
	block b(t.v.kind, std::min<size_t>(largest_of(t.v.kind), 300000));
	for (uint32_t round = 0; round < 3; round++) {
		fill_pattern(b.data(), 0, b.size(), round);
		fx.run_add(b.data(), b.size(), 7);
		fx.run_add(b.data(), b.size(), 8);
		check_pattern(b.data(), b.size(), round, 15);
	}
}

TEST(traps, .traps = trap::all, .devices = device::host | device::opencl, .kinds = kind::map | kind::slice)
{
	runtime_fixture fx(t);
	block from(t.v.kind, 200000), to(t.v.kind, 200000);
	fill_pattern(from.data(), 0, from.size(), 1);
	fill_pattern(to.data(), 0, to.size(), 2);
	fx.run(fx.combine, to.size(),
	       {range_arg(from.data(), from.size(), HET_READ_ONLY), range_arg(to.data(), to.size(), HET_READ_WRITE)});
	for (size_t i = 0; i < to.size(); i++)
		CHECK_EQ(to.data()[i], uint8_t(3 * pattern_byte(i, 2) + pattern_byte(i, 1)));
	check_pattern(from.data(), from.size(), 1, 0);
}

// --- work-items ----------------------------------------------------------------

namespace
{

const char ids_source[] = R"(
kernel void ids(global ulong *out, local ulong *scratch, ulong factor)
{
	size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
	size_t l = get_local_id(1) * get_local_size(0) + get_local_id(0);
	scratch[l] = get_global_id(0) * factor + get_global_id(1);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[y * get_global_size(0) + x] = scratch[l] + 1000000 * get_group_id(0);
}
)";

void ids_on_host(const het_group *g, void *const *args)
{
	auto *out = static_cast<uint64_t *>(args[0]), *scratch = static_cast<uint64_t *>(args[1]);
	uint64_t factor = *static_cast<uint64_t *>(args[2]);
	for (size_t y = 0; y < g->items[1]; y++)
		for (size_t x = 0; x < g->items[0]; x++) {
			uint64_t &s = scratch[y * g->local[0] + x];
			s = (g->first[0] + x) * factor + g->first[1] + y;
			size_t at = (g->first[1] + y - g->offset[1]) * g->global[0] + g->first[0] + x - g->offset[0];
			out[at] = s + 1000000 * g->group[0];
		}
}

} // namespace

TEST(work_items_offsets_and_local_memory, .devices = device::runtime)
{
	runtime_fixture fx(t);
	het_function function = {"ids", ids_on_host, 3};
	het_program_args a = {};
	a.size = sizeof a;
	a.source = ids_source;
	a.functions = &function;
	a.nfunctions = 1;
	const het_image image = runtime_kernels();
	a.images = &image;
	a.nimages = 1;
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "ids", kernel.out()));
	het_kernel_info info = {};
	info.size = sizeof info;
	HET_OK(het_kernel_describe(kernel, &info));
	CHECK_EQ(info.nargs, 3);
	CHECK(!strcmp(info.name, "ids"));

	const size_t nx = 64, ny = 12, lx = 16, ly = 4;
	std::vector<uint64_t> out(nx * ny);
	uint64_t factor = 1000;
	het_arg args[] = {range_arg(out.data(), out.size() * 8, HET_WRITE_ONLY), local_arg(lx * ly * 8),
			  value_arg(factor)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel;
	l.dimensions = 2;
	l.global[0] = nx, l.global[1] = ny;
	l.local[0] = lx, l.local[1] = ly;
	// Images know no offset, so CUDA has none.
	if (t.v.device != device::cuda)
		l.offset[0] = 5, l.offset[1] = 7;
	l.arg_size = sizeof args[0];
	l.nargs = std::size(args);
	l.args = args;
	HET_OK(het_launch(fx.queue, &l, nullptr));
	HET_OK(het_finish(fx.queue));
	for (size_t y = 0; y < ny; y++)
		for (size_t x = 0; x < nx; x++)
			CHECK_EQ(out[y * nx + x], (x + l.offset[0]) * factor + y + l.offset[1] + 1000000 * (x / lx));
}

// --- memory objects ------------------------------------------------------------

TEST(memory_objects_copies_and_fills, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 100000;
	memory_handle whole, part;
	HET_OK(het_memory_create(n, whole.out()));
	HET_OK(het_memory_part(whole, 1000, 5000, part.out()));
	std::vector<uint8_t> host(n), model(n);
	fill_pattern(host.data(), 0, n, 3);
	model = host;
	het_copy_args in = {};
	in.size = sizeof in;
	in.to = whole;
	in.from_pointer = host.data();
	in.nbytes = n;
	HET_OK(het_copy(fx.queue, &in, nullptr));
	uint8_t four = 4;
	HET_OK(fx.launch(fx.add, 5000, {memory_arg(part, HET_READ_WRITE), value_arg(four)}));
	uint8_t pattern[] = {1, 2, 3};
	het_fill_args fill = {};
	fill.size = sizeof fill;
	fill.to = whole;
	fill.to_offset = 50000;
	fill.nbytes = 300;
	fill.pattern = pattern;
	fill.pattern_size = 3;
	HET_OK(het_fill(fx.queue, &fill, nullptr));
	HET_OK(fx.launch(fx.add, n, {memory_arg(whole, HET_READ_WRITE), value_arg(four)}));
	std::vector<uint8_t> back(n);
	het_copy_args out = {};
	out.size = sizeof out;
	out.to_pointer = back.data();
	out.from = whole;
	out.nbytes = n;
	HET_OK(het_copy(fx.queue, &out, nullptr));
	whole.reset(); // commands keep it
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < 5000; i++)
		model[1000 + i] += 4;
	for (size_t i = 0; i < 300; i++)
		model[50000 + i] = pattern[i % 3];
	for (size_t i = 0; i < n; i++)
		model[i] += 4;
	CHECK_BYTES(back.data(), model.data(), n, "copied back");
	CHECK_BYTES(het_memory_pointer(part), model.data() + 1000, 5000, "seen by the host");
}

// --- what is refused -----------------------------------------------------------

TEST(errors, .devices = device::runtime)
{
	runtime_fixture fx(t);
	uint8_t bytes[64] = {}, one = 1;
	auto range = range_arg(bytes, sizeof bytes, HET_READ_WRITE);
	HET_ERR(fx.launch(fx.add, 0, {range, value_arg(one)}), HET_EARG);
	HET_ERR(fx.launch(fx.add, 64, {range}), HET_EARG);
	HET_ERR(fx.launch(fx.add, 64, {range_arg(bytes, 64, 0), value_arg(one)}), HET_EARG);
	HET_ERR(fx.launch(fx.add, 64, {range_arg(nullptr, 64, HET_READ_ONLY), value_arg(one)}), HET_EARG);
	HET_ERR(fx.launch(nullptr, 64, {range, value_arg(one)}), HET_ENULL);
	kernel_handle kernel;
	HET_ERR(het_kernel_create(fx.program, "no such kernel", kernel.out()), HET_ENAME);
	program_handle program;
	het_program_args a = {};
	a.size = sizeof a;
	HET_ERR(het_program_create(&a, program.out()), HET_EARG);
	a.size = 8;
	HET_ERR(het_program_create(&a, program.out()), HET_EARG);
	struct {
		het_queue_args known;
		uint64_t later;
	} newer = {};
	newer.known.size = sizeof newer;
	queue_handle queue;
	HET_OK(het_queue_create(&newer.known, queue.out()));
	newer.later = 1;
	HET_ERR(het_queue_create(&newer.known, queue.out()), HET_EARG);
	memory_handle memory;
	HET_ERR(het_memory_create(0, memory.out()), HET_EARG);
	HET_OK(het_memory_create(100, memory.out()));
	memory_handle part;
	HET_ERR(het_memory_part(memory, 90, 11, part.out()), HET_EARG);
	HET_ERR(het_memory_part(memory, SIZE_MAX, 1, part.out()), HET_EARG);
	het_copy_args copy = {};
	copy.size = sizeof copy;
	copy.to = copy.from = memory;
	copy.from_offset = 10;
	copy.nbytes = 20;
	HET_ERR(het_copy(fx.queue, &copy, nullptr), HET_EARG);
	for (int err = HET_EFILE; err <= HET_ENOMEM; err++)
		CHECK(strcmp(het_strerror(err), het_strerror(1)));
}

TEST(a_program_that_does_not_build_has_a_log, .devices = device::opencl)
{
	runtime_fixture fx(t);
	het_device *device;
	uint32_t count;
	HET_OK(het_devices(1, &device, &count));
	het_program_args a = {};
	a.size = sizeof a;
	a.source = "kernel void broken(global int *p) { *p = not_declared_anywhere; }";
	program_handle program;
	HET_OK(het_program_create(&a, program.out()));
	CHECK(!*het_program_log(program, device));
	HET_ERR(het_program_build(program, device), HET_EBUILD);
	CHECK(strstr(het_program_log(program, device), "not_declared_anywhere"));
	kernel_handle kernel;
	HET_ERR(het_kernel_create(program, "broken", kernel.out()), HET_EBUILD);
}

// --- images --------------------------------------------------------------------

namespace
{

// This module's kernel calls a function that is in another module.
const char caller_ptx[] = R"(
.version 6.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) twice(.param .b32 value);
.visible .entry double_all(.param .u64 p, .param .u64 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd2, [n];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mad.lo.s32 %r4, %r1, %r2, %r3;
	cvt.u64.u32 %rd3, %r4;
	setp.ge.u64 %p1, %rd3, %rd2;
	@%p1 bra DONE;
	cvta.to.global.u64 %rd1, %rd1;
	mad.wide.u32 %rd4, %r4, 4, %rd1;
	ld.global.u32 %r5, [%rd4];
	{
		.param .b32 value;
		.param .b32 result;
		st.param.b32 [value], %r5;
		call.uni (result), twice, (value);
		ld.param.b32 %r5, [result];
	}
	st.global.u32 [%rd4], %r5;
DONE:
	ret;
}
)";
const char called_ptx[] = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .func (.param .b32 result) twice(.param .b32 value)
{
	.reg .b32 %r<3>;
	ld.param.b32 %r1, [value];
	add.s32 %r2, %r1, %r1;
	st.param.b32 [result], %r2;
	ret;
}
)";

het_image ptx(const char *text)
{
	return {.kind = HET_IMAGE_PTX, .flags = 0, .data = text, .nbytes = strlen(text)};
}

} // namespace

TEST(images_are_linked, .devices = device::cuda)
{
	runtime_fixture fx(t);
	const het_image images[] = {ptx(caller_ptx), ptx(called_ptx)};
	het_program_args a = {};
	a.size = sizeof a;
	a.images = images;
	a.nimages = 2;
	program_handle program;
	kernel_handle kernel;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "double_all", kernel.out()));
	std::vector<uint32_t> numbers(1000);
	for (uint32_t i = 0; i < numbers.size(); i++)
		numbers[i] = i;
	fx.run(kernel, numbers.size(), {range_arg(numbers.data(), numbers.size() * 4, HET_READ_WRITE)});
	for (uint32_t i = 0; i < numbers.size(); i++)
		CHECK_EQ(numbers[i], 2 * i);
	// The first image alone lacks a function.
	a.nimages = 1;
	HET_OK(het_program_create(&a, program.out()));
	het_device *device;
	uint32_t count;
	HET_OK(het_devices(1, &device, &count));
	HET_ERR(het_program_build(program, device), HET_EBUILD);
}

TEST(an_image_that_is_wrong_has_a_log, .devices = device::cuda)
{
	runtime_fixture fx(t);
	het_device *device;
	uint32_t count;
	HET_OK(het_devices(1, &device, &count));
	const het_image image = ptx(".version 6.0\n.target sm_70\n.address_size 64\n.entry broken( { ret; }\n");
	het_program_args a = {};
	a.size = sizeof a;
	a.images = &image;
	a.nimages = 1;
	program_handle program;
	HET_OK(het_program_create(&a, program.out()));
	HET_ERR(het_program_build(program, device), HET_EBUILD);
	CHECK(*het_program_log(program, device));
	het_image unknown = image;
	unknown.kind = 99;
	a.images = &unknown;
	HET_ERR(het_program_create(&a, program.out()), HET_EARG);
	unknown = image;
	unknown.nbytes = 0;
	HET_ERR(het_program_create(&a, program.out()), HET_ENULL);
}

// The driver would read beyond these arguments, run half a group, or refuse.
TEST(launches_that_fit_no_image, .devices = device::cuda)
{
	runtime_fixture fx(t);
	uint8_t bytes[64] = {}, one = 1;
	uint32_t wide = 1;
	uint64_t n = sizeof bytes;
	het_arg args[] = {range_arg(bytes, sizeof bytes, HET_READ_WRITE), value_arg(wide), value_arg(n)};
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = fx.add;
	l.dimensions = 1;
	l.global[0] = 64;
	l.arg_size = sizeof args[0];
	l.nargs = std::size(args);
	l.args = args;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	args[1] = value_arg(one);
	l.offset[0] = 64;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	l.offset[0] = 0;
	l.local[0] = 48;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	l.global[0] = l.local[0] = 1 << 20;
	HET_ERR(het_launch(fx.queue, &l, nullptr), HET_EARG);
	l.global[0] = 64;
	l.local[0] = 0;
	HET_OK(het_launch(fx.queue, &l, nullptr));
	HET_OK(het_finish(fx.queue));
	for (uint8_t b : bytes)
		CHECK_EQ(b, 1);
}

// --- a driver that fails -------------------------------------------------------

TEST(calls_that_fail_once, .devices = device::cuda)
{
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(100000, 1);
	uint8_t one = 1;
	auto range = range_arg(bytes.data(), bytes.size(), HET_READ_WRITE);
	// What the driver has no memory for runs in slices.
	fail_cuda_call("cuMemAlloc_v2", cuda_out_of_memory);
	fx.run(fx.add, bytes.size(), {range, value_arg(one)});
	CHECK_EQ(bytes[5], 2);
	std::fill(bytes.begin(), bytes.end(), 1);
	for (const char *symbol : {"cuLaunchKernel", "cuEventRecord", "cuMemcpyHtoDAsync_v2"}) {
		fail_cuda_call(symbol, cuda_out_of_memory);
		event_handle e;
		HET_OK(fx.launch(fx.add, bytes.size(), {range, value_arg(one)}, e.out()));
		het_event *events[] = {e};
		HET_ERR(het_event_wait(1, events), HET_EWAIT);
		int status = 0;
		HET_OK(het_event_status(e, &status));
		CHECK_EQ(status, HET_EDEVICE);
		std::fill(bytes.begin(), bytes.end(), 1); // a kernel that was launched may have run
	}
	fx.run(fx.add, bytes.size(), {range, value_arg(one)});
	for (uint8_t b : bytes)
		CHECK_EQ(b, 2);
}

// Whoever is told of a failure gets the kernel's name and what the driver said.
TEST(failures_are_told_in_the_drivers_words, .devices = device::cuda)
{
	runtime_fixture fx(t);
	std::string told;
	het_queue_args q = {};
	q.size = sizeof q;
	q.on_error = [](int, het_event *, const char *message, void *arg) {
		*static_cast<std::string *>(arg) = message;
	};
	q.on_error_arg = &told;
	queue_handle queue;
	HET_OK(het_queue_create(&q, queue.out()));
	std::vector<uint8_t> bytes(100000, 1);
	uint8_t one = 1;
	auto launch = [&](het_kernel *kernel) {
		HET_OK(fx.launch(kernel, bytes.size(),
				 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}, nullptr,
				 {.queue = queue}));
		HET_OK(het_finish(queue));
	};
	launch(fx.add);
	CHECK(told.empty());
	fail_cuda_call("cuLaunchKernel", cuda_out_of_memory);
	launch(fx.add);
	CHECK(told.find("kernel add") != std::string::npos);
	CHECK(told.find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos);
	// The failure comes in the work, and is found by whoever waits: the words are those of the command that failed.
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
	launch(fx.slow);
	CHECK(told.find("kernel slow") != std::string::npos);
	CHECK(told.find("CUDA_ERROR_LAUNCH_FAILED") != std::string::npos);
}

// The stream stays as it is: every command fails from now on, and nothing hangs.
TEST(a_kernel_that_fails, .devices = device::cuda)
{
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(100000, 1), others(100000, 7);
	uint8_t one = 1;
	fx.run(fx.add, others.size(), {range_arg(others.data(), others.size(), HET_READ_ONLY), value_arg(one)});
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed);
	for (int i = 0; i < 3; i++)
		HET_OK(fx.launch(fx.add, bytes.size(),
				 {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)}));
	HET_OK(het_finish(fx.queue));
	event_handle e;
	HET_OK(fx.launch(fx.add, bytes.size(), {range_arg(bytes.data(), bytes.size(), HET_READ_WRITE), value_arg(one)},
			 e.out()));
	het_event *events[] = {e};
	HET_ERR(het_event_wait(1, events), HET_EWAIT);
	for (uint8_t b : others)
		CHECK_EQ(b, 7);
}

TEST(devices_are_described, .devices = device::runtime)
{
	runtime_fixture fx(t);
	het_device *devices[4];
	uint32_t count;
	HET_OK(het_devices(4, devices, &count));
	CHECK(count >= (t.v.device == device::host2 ? 2 : 1));
	het_device_info info = {};
	HET_ERR(het_device_describe(devices[0], &info), HET_EARG);
	info.size = sizeof info;
	HET_OK(het_device_describe(devices[0], &info));
	CHECK(info.units && info.name && *info.name);
}
