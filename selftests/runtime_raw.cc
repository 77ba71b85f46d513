// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests raw device memory, parameter blocks, and variables of programs.
#include "harness/clock.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <memory>

using namespace selftest;

namespace
{

constexpr uint8_t one = 1;

het_arg address_arg(void *p)
{
	return {.kind = HET_ARG_ADDRESS, .access = 0, .nbytes = 0, .pointer = p, .memory = nullptr, .pattern = nullptr};
}

template <class T> het_arg block_arg(const T &b)
{
	return {.kind = HET_ARG_BLOCK,
		.access = 0,
		.nbytes = sizeof b,
		.pointer = const_cast<T *>(&b),
		.memory = nullptr,
		.pattern = nullptr};
}

int status_of(het_event *e)
{
	int status;
	HET_OK(het_event_status(e, &status));
	return status;
}

het_device *device_number(uint32_t i)
{
	het_device *all[8];
	uint32_t count;
	HET_OK(het_devices(8, all, &count));
	CHECK(i < count);
	return all[i];
}

// Owns raw memory of a device's. Skips the case where the device has none.
class raw
{
      public:
	raw(het_device *d, size_t n) : device_(d)
	{
		void *p = nullptr;
		int err = het_device_alloc(d, n, &p);
		if (err == HET_ENODEV)
			skip("the device's memory has no addresses");
		HET_OK(err);
		CHECK(reinterpret_cast<uintptr_t>(p) % 128 == 0);
		p_ = static_cast<uint8_t *>(p);
	}
	~raw() { reset(); }
	raw(const raw &) = delete;
	raw &operator=(const raw &) = delete;
	void reset()
	{
		HET_OK(het_device_free(device_, p_));
		p_ = nullptr;
	}
	uint8_t *at(size_t offset) const { return p_ + offset; }
	het_device *device() const { return device_; }

      private:
	het_device *device_;
	uint8_t *p_;
};

struct side {
	het_device *device;
	void *pointer;
};

int copy(runtime_fixture &fx, side to, side from, size_t n, het_event **event = nullptr)
{
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_device = to.device;
	a.to_pointer = to.pointer;
	a.from_device = from.device;
	a.from_pointer = from.pointer;
	a.nbytes = n;
	return het_copy(fx.queue, &a, event);
}

void copy_now(runtime_fixture &fx, side to, side from, size_t n)
{
	event_handle e;
	HET_OK(copy(fx, to, from, n, e.out()));
	het_event *events[] = {e};
	HET_OK(het_event_wait(1, events));
}

} // namespace

// Copies go in pieces, anywhere in the block, from and to arrays that kernels use, too.
TEST(copies, .traps = trap::best | trap::sigsegv, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 3'000'000;
	raw r(device_number(0), n);
	std::vector<uint8_t> model(n), host(n);
	fill_pattern(host.data(), 0, n, 1);
	memory_handle object;
	HET_OK(het_memory_create(n, object.out()));
	copy_now(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, n);
	model = host;
	for (uint64_t round = 0; round < t.rounds(20, 500); round++) {
		size_t off = t.random.below(n), size = 1 + t.random.below(n - off), at = t.random.below(n - size + 1);
		if (t.random.one_in(2)) {
			fx.run_add(host.data() + at, size, uint8_t(round));
			copy_now(fx, {r.device(), r.at(off)}, {nullptr, host.data() + at}, size);
			memcpy(&model[off], &host[at], size);
		} else {
			copy_now(fx, {nullptr, host.data() + at}, {r.device(), r.at(off)}, size);
			CHECK_BYTES(host.data() + at, &model[off], size, "read back");
		}
	}
	het_copy_args a = {};
	a.size = sizeof a;
	a.to = object;
	a.to_offset = 100;
	a.from_device = r.device();
	a.from_pointer = r.at(50);
	a.nbytes = 1000;
	HET_OK(het_copy(fx.queue, &a, nullptr));
	fx.run(fx.add, 1100, {memory_arg(object, HET_READ_WRITE), value_arg(one)});
	auto *bytes = static_cast<uint8_t *>(het_memory_pointer(object));
	for (size_t i = 0; i < 1000; i++)
		CHECK_EQ(bytes[100 + i], uint8_t(model[50 + i] + 1));
}

// Kernels that only read make an array of bytes that copies read at the same time.
TEST(copies_beside_kernels, .traps = trap::best | trap::sigsegv, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 1'500'000;
	raw r(device_number(0), n), other(device_number(0), n); // nothing orders copies to one of them
	std::vector<uint8_t> back(n);
	for (uint64_t round = 0; round < t.rounds(6, 200); round++) {
		std::vector<uint8_t> host(n), sum(n);
		fill_pattern(host.data(), 0, n, uint32_t(round));
		event_handle there, kernel;
		HET_OK(copy(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, n, there.out()));
		HET_OK(fx.launch(fx.combine, n,
				 {range_arg(host.data(), n, HET_READ_ONLY), range_arg(sum.data(), n, HET_READ_WRITE)},
				 kernel.out()));
		event_handle again;
		HET_OK(copy(fx, {other.device(), other.at(0)}, {nullptr, host.data()}, n, again.out()));
		HET_OK(het_finish(fx.queue));
		for (const raw *all : {&r, &other}) {
			copy_now(fx, {nullptr, back.data()}, {all->device(), all->at(0)}, n);
			CHECK(back == host);
		}
		// What is an array's by now and lies on the device goes its way, too.
		fx.run_add(host.data(), n, 1);
		copy_now(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, n);
		copy_now(fx, {nullptr, sum.data()}, {r.device(), r.at(0)}, n);
		CHECK(sum == host);
	}
}

// The queue is in order, as nothing else orders raw memory.
TEST(kernels_take_addresses, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	const size_t n = 200000;
	raw r(device_number(0), n), other(device_number(0), n);
	std::vector<uint8_t> host(n), back(n);
	fill_pattern(host.data(), 0, n, 1);
	HET_OK(copy(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, n));
	HET_OK(copy(fx, {r.device(), other.at(0)}, {r.device(), r.at(0)}, n));
	HET_OK(fx.launch(fx.add, 5000, {address_arg(r.at(1001)), value_arg(one)}));
	HET_OK(fx.launch(fx.combine, n - 7, {range_arg(host.data(), n - 7, HET_READ_ONLY), address_arg(other.at(7))}));
	HET_OK(fx.launch(fx.combine, n, {address_arg(r.at(0)), address_arg(other.at(0))}));
	HET_OK(copy(fx, {nullptr, back.data()}, {r.device(), other.at(0)}, n));
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < n; i++) {
		auto second = i < 7 ? host[i] : uint8_t(3 * host[i] + host[i - 7]);
		CHECK_EQ(back[i], uint8_t(3 * second + host[i] + (i >= 1001 && i < 6001)));
	}
}

TEST(memory_stays_while_commands_name_it, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 100000;
	auto r = std::make_unique<raw>(device_number(0), n);
	std::vector<uint8_t> host(n, 5), back(n);
	copy_now(fx, {r->device(), r->at(0)}, {nullptr, host.data()}, n);
	event_handle gate, kernel;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, n, {address_arg(r->at(0)), value_arg(one)}, kernel.out(), {.waits = waits}));
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_pointer = back.data();
	a.from_device = r->device();
	a.from_pointer = r->at(0);
	a.nbytes = n;
	het_event *kernels[] = {kernel};
	a.waits = kernels;
	a.nwaits = 1;
	HET_OK(het_copy(fx.queue, &a, nullptr));
	r.reset();
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	HET_OK(het_finish(fx.queue));
	for (uint8_t b : back)
		CHECK_EQ(b, 6);
}

TEST(two_devices, .traps = trap::best, .devices = device::host2)
{
	runtime_fixture fx(t);
	const size_t n = 50000;
	raw first(device_number(0), n), second(device_number(1), n);
	std::vector<uint8_t> host(n), back(n);
	fill_pattern(host.data(), 0, n, 1);
	copy_now(fx, {first.device(), first.at(0)}, {nullptr, host.data()}, n);
	copy_now(fx, {second.device(), second.at(10)}, {first.device(), first.at(20)}, n - 20);
	// The launch runs on the device that has the address.
	fx.run(fx.add, 100, {address_arg(second.at(10)), value_arg(one)});
	copy_now(fx, {nullptr, back.data()}, {second.device(), second.at(10)}, n - 20);
	for (size_t i = 0; i < n - 20; i++)
		CHECK_EQ(back[i], uint8_t(host[i + 20] + (i < 100)));
	HET_ERR(fx.launch(fx.combine, 10, {address_arg(first.at(0)), address_arg(second.at(0))}), HET_EARG);
	HET_ERR(fx.launch(fx.add, 10, {address_arg(first.at(0)), value_arg(one)}, nullptr, {.device = second.device()}),
		HET_ENODEV);
	HET_ERR(copy(fx, {nullptr, back.data()}, {first.device(), second.at(0)}, 10), HET_EARG);
	HET_ERR(het_device_free(second.device(), first.at(0)), HET_EARG);
}

TEST(errors, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	het_device *d = device_number(0);
	raw r(d, 1000);
	uint8_t bytes[2000] = {};
	void *p = nullptr;
	HET_ERR(het_device_alloc(d, 0, &p), HET_EARG);
	HET_ERR(het_device_alloc(d, SIZE_MAX, &p), HET_EARG);
	HET_ERR(het_device_alloc(d, 10, nullptr), HET_ENULL);
	HET_ERR(het_device_alloc(nullptr, 10, &p), HET_ENULL);
	HET_OK(het_device_free(d, nullptr));
	HET_ERR(het_device_free(d, r.at(1)), HET_EARG);
	HET_ERR(het_device_free(d, bytes), HET_EARG);
	HET_ERR(copy(fx, {d, r.at(1)}, {nullptr, bytes}, 1000), HET_EARG);
	HET_ERR(copy(fx, {d, bytes}, {nullptr, bytes + 500}, 100), HET_EARG);
	HET_ERR(copy(fx, {d, r.at(0)}, {nullptr, bytes}, 0), HET_EARG);
	HET_ERR(copy(fx, {d, r.at(0)}, {nullptr, nullptr}, 10), HET_EARG);
	HET_ERR(copy(fx, {d, r.at(0)}, {d, r.at(99)}, 100), HET_EARG);
	copy_now(fx, {d, r.at(0)}, {d, r.at(100)}, 100);
	het_copy_args a = {};
	a.size = sizeof a;
	a.to_device = d;
	a.to_pointer = r.at(0);
	a.to_offset = 1;
	a.from_pointer = bytes;
	a.nbytes = 1;
	HET_ERR(het_copy(fx.queue, &a, nullptr), HET_EARG);
	// A program of an older version passes such a structure.
	a.size = offsetof(het_copy_args, to_device);
	HET_ERR(het_copy(fx.queue, &a, nullptr), HET_EARG); // a pointer may have no offset
	a.to_offset = 0;
	a.to_pointer = bytes + 1;
	HET_OK(het_copy(fx.queue, &a, nullptr));
	HET_OK(het_finish(fx.queue));
	het_arg with_access = address_arg(r.at(0));
	with_access.access = HET_READ_ONLY;
	HET_ERR(fx.launch(fx.add, 10, {with_access, value_arg(one)}), HET_EARG);
	size_t n = 0;
	if (t.v.device != device::cuda) {
		HET_ERR(fx.launch(fx.add, 10, {block_arg(bytes)}), HET_EARG); // the fixture adds the size behind it
		HET_ERR(het_program_global(fx.program, d, "x", &p, &n), HET_ENODEV);
	} else {
		HET_ERR(het_program_global(fx.program, d, "x", &p, &n), HET_ENAME);
	}
	HET_ERR(het_program_global(fx.program, d, nullptr, &p, &n), HET_ENULL);
}

TEST(memory_without_addresses, .devices = device::opencl)
{
	restart_with(t, {"HET_DEVICES=opencl", "HET_OPENCL_SVM=0"});
	runtime_fixture fx(t);
	void *p = nullptr;
	HET_ERR(het_device_alloc(device_number(0), 100, &p), HET_ENODEV);
	HET_ERR(fx.launch(fx.add, 10, {address_arg(nullptr), value_arg(one)}), HET_ENODEV);
}

// --- blocks and variables ----------------------------------------------------------

namespace
{

// The kernels of the fixture lay parameters out like this; the structures end with padding.
struct add_parameters {
	const void *p;
	uint8_t value;
	uint64_t n;
};

struct ids_parameters {
	void *out;
	uint64_t offset;
	uint64_t factor;
};

int launch_block(runtime_fixture &fx, het_kernel *k, std::span<const het_arg> args, size_t items, size_t group,
		 het_event **event = nullptr)
{
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = k;
	l.dimensions = 1;
	l.global[0] = items;
	l.local[0] = group;
	l.arg_size = sizeof args[0];
	l.nargs = args.size();
	l.args = args.data();
	return het_launch(fx.queue, &l, event);
}

int end_of(het_event *e)
{
	(void)het_event_wait(1, &e);
	return status_of(e);
}

} // namespace

TEST(parameter_blocks, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	raw r(device_number(0), 1000);
	std::vector<uint8_t> host(1000, 4);
	HET_OK(copy(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, 1000));
	add_parameters p = {r.at(100), 3, 500};
	het_arg args[] = {block_arg(p), local_arg(64)};
	HET_OK(launch_block(fx, fx.add, {args, 1}, 512, 64));
	HET_OK(copy(fx, {nullptr, host.data()}, {r.device(), r.at(0)}, 1000));
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < 1000; i++)
		CHECK_EQ(host[i], i >= 100 && i < 600 ? 7 : 4);

	kernel_handle ids;
	HET_OK(het_kernel_create(fx.program, "ids", ids.out()));
	ids_parameters q = {r.at(0), 128, 10}; // the second local argument begins there
	het_arg with_local[] = {block_arg(q), local_arg(120), local_arg(128)};
	std::vector<uint64_t> out(64);
	HET_OK(launch_block(fx, ids, with_local, 64, 16));
	HET_OK(copy(fx, {nullptr, out.data()}, {r.device(), r.at(0)}, out.size() * 8));
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < out.size(); i++)
		CHECK_EQ(out[i], 10 * i + 1000000 * (i / 16));

	args[0].nbytes = 16;
	HET_ERR(launch_block(fx, fx.add, {args, 1}, 64, 64), HET_EARG);
	args[0].nbytes = 64;
	HET_ERR(launch_block(fx, fx.add, {args, 1}, 64, 64), HET_EARG);
	args[0].nbytes = 0;
	HET_ERR(launch_block(fx, fx.add, {args, 1}, 64, 64), HET_ENULL);
	std::swap(args[0] = block_arg(p), args[1]);
	HET_ERR(launch_block(fx, fx.add, args, 64, 64), HET_EARG);
}

// Who sizes launches asks how much a kernel takes.
TEST(limits_of_kernels, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	het_device *d = device_number(0);
	het_device_info info = {};
	info.size = sizeof info;
	HET_OK(het_device_describe(d, &info));
	het_kernel_needs needs = {};
	needs.size = sizeof needs;
	HET_OK(het_kernel_limits(fx.add, d, &needs));
	CHECK(needs.size == sizeof needs && needs.group_size > 0 && needs.group_size <= info.group_size);
	bool knows = info.kind == HET_DEVICE_CUDA;
	CHECK_EQ(needs.registers > 0, knows);
	CHECK_EQ(needs.unit_registers >= needs.registers * needs.group_size && needs.unit_registers > 0, knows);
	needs.size = sizeof needs - 1;
	HET_ERR(het_kernel_limits(fx.add, d, &needs), HET_EARG);
	HET_ERR(het_kernel_limits(fx.add, d, nullptr), HET_ENULL);
	HET_ERR(het_kernel_limits(nullptr, d, &needs), HET_ENULL);
}

TEST(blocks_elsewhere, .devices = device::none | device::host | device::opencl)
{
	runtime_fixture fx(t);
	uint8_t bytes[24] = {};
	const het_arg block = block_arg(bytes);
	HET_ERR(launch_block(fx, fx.add, {&block, 1}, 64, 64), HET_ENODEV);
}

namespace
{

const char table_ptx[] = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .global .align 4 .b8 table[64];
.visible .global .align 8 .u64 count = 5;
.visible .entry gather(.param .u64 out)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd1, [out];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	mov.u64 %rd3, table;
	add.s64 %rd4, %rd3, %rd2;
	ld.global.u32 %r2, [%rd4];
	add.s64 %rd5, %rd1, %rd2;
	st.global.u32 [%rd5], %r2;
	ret;
}
)";

} // namespace

// The next call of the fake driver's fails, and what was there before goes on.
TEST(calls_that_fail_once, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t);
	const size_t n = 3'000'000;
	raw r(device_number(0), n), other(device_number(0), n);
	std::vector<uint8_t> host(n, 3), back(n);
	copy_now(fx, {r.device(), r.at(0)}, {nullptr, host.data()}, n);
	void *p = nullptr;
	fail_cuda_call("cuMemAlloc_v2", cuda_out_of_memory);
	HET_ERR(het_device_alloc(device_number(0), n, &p), HET_EDEVICE);
	auto fails = [&](const char *symbol, side to, side from) {
		event_handle e;
		fail_cuda_call(symbol, cuda_out_of_memory);
		HET_OK(copy(fx, to, from, n, e.out()));
		CHECK_EQ(end_of(e), HET_EDEVICE);
	};
	fails("cuMemcpyHtoDAsync_v2", {r.device(), other.at(0)}, {nullptr, host.data()});
	fails("cuMemcpyDtoHAsync_v2", {nullptr, back.data()}, {r.device(), r.at(0)});
	fails("cuMemcpyDtoDAsync_v2", {r.device(), other.at(0)}, {r.device(), r.at(0)});
	copy_now(fx, {nullptr, back.data()}, {r.device(), r.at(0)}, n);
	CHECK(back == host);
}

TEST(variables_of_programs, .traps = trap::best, .devices = device::cuda)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	het_device *d = device_number(0);
	const het_image image = {.kind = HET_IMAGE_PTX, .flags = 0, .data = table_ptx, .nbytes = sizeof table_ptx - 1};
	het_program_args a = {};
	a.size = sizeof a;
	a.images = &image;
	a.nimages = 1;
	program_handle program;
	kernel_handle gather;
	HET_OK(het_program_create(&a, program.out()));
	HET_OK(het_kernel_create(program, "gather", gather.out()));
	void *table = nullptr, *count = nullptr;
	size_t n = 0;
	HET_OK(het_program_global(program, d, "count", &count, &n));
	CHECK_EQ(n, 8);
	HET_OK(het_program_global(program, d, "table", &table, &n));
	HET_OK(het_program_global(program, d, "table", &table, &n));
	HET_ERR(het_program_global(program, d, "gather", &count, &n), HET_ENAME); // gather is a kernel
	CHECK_EQ(n, 64);
	uint32_t in[16], out[16] = {};
	for (uint32_t i = 0; i < 16; i++)
		in[i] = 7 * i;
	uint64_t number = 0;
	HET_OK(copy(fx, {nullptr, &number}, {d, count}, 8));
	HET_OK(copy(fx, {d, table}, {nullptr, in}, 64));
	het_arg arg = range_arg(out, sizeof out, HET_WRITE_ONLY);
	HET_OK(launch_block(fx, gather, {&arg, 1}, 16, 16));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(number, 5);
	CHECK(!memcmp(in, out, sizeof in));
	HET_ERR(copy(fx, {d, table}, {nullptr, in}, 65), HET_EARG);
	HET_ERR(het_device_free(d, table), HET_EARG);
	gather.reset();
	program.reset();
	// The launch lets go of the program a little later than it wakes who waits for it.
	int err = 0;
	wait_until([&] {
		err = copy(fx, {d, table}, {nullptr, in}, 64);
		HET_OK(het_finish(fx.queue));
		return err;
	});
	CHECK_EQ(err, HET_EARG);
}
