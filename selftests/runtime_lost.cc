// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A device fails for good: others do its work, and what was there alone is lost and said to be.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/process.h"
#include "harness/runtime.h"
#include "harness/signal_of_touch.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <gpuvm.h>
#include <string>
#include <sys/mman.h>

using namespace selftest;

namespace
{

// There are one GPU and another device.
struct two_devices : runtime_fixture {
	explicit two_devices(const context &t, const char *devices = "HET_DEVICES=cuda,apart")
	    : runtime_fixture(restarted(t, devices))
	{
	}

      private:
	static const context &restarted(const context &t, const char *devices)
	{
		restart_with(t, {devices, "CUDA_VISIBLE_DEVICES=0", "FAKE_CUDA_DEVICES=1", "HET_POLICY=dynamic",
				 "HET_CACHE_SIZE=0"});
		return t;
	}
};

struct three_devices : two_devices {
	explicit three_devices(const context &t) : two_devices(t, "HET_DEVICES=cuda,apart,apart") {}
};

struct devices {
	devices()
	{
		het_device *all[3];
		uint32_t n = 0;
		HET_OK(het_devices(3, all, &n));
		CHECK_LE(2, n);
		gpu = all[0];
		other = all[1];
	}
	het_device *gpu, *other;
};

int add_on(runtime_fixture &fx, het_device *where, uint8_t *p, size_t n)
{
	uint8_t one = 1;
	event_handle e;
	HET_OK(fx.launch(fx.add, n, {range_arg(p, n, HET_READ_WRITE), value_arg(one)}, e.out(), {.device = where}));
	(void)het_event_wait(1, std::array{e.get()}.data());
	return status_of(e);
}

const char stop[] = R"(
.version 6.0
.target sm_70
.address_size 64
.visible .entry stop()
{
	trap;
}
)";

// Makes a kernel fail, after which the driver answers every call with that error: this is no injected failure.
void lose(runtime_fixture &fx, const devices &d)
{
	program_handle program;
	kernel_handle kernel;
	make_program_of_ptx(program, stop);
	HET_OK(het_kernel_create(program, "stop", kernel.out()));
	het_launch_args l = {};
	l.size = sizeof l;
	l.kernel = kernel;
	l.dimensions = 1;
	l.global[0] = l.local[0] = 32;
	l.arg_size = sizeof(het_arg);
	l.device = d.gpu;
	event_handle e;
	HET_OK(het_launch(fx.queue, &l, e.out()));
	(void)het_event_wait(1, std::array{e.get()}.data());
	CHECK_EQ(status_of(e), HET_EDEVICE);
}

} // namespace

TEST(it_gets_no_more, .traps = trap::best, .devices = device::cuda2)
{
	two_devices fx(t);
	devices d;
	lose(fx, d);
	block b(kind::mmapped, 200000);
	memset(b.data(), 0, b.size());
	uint8_t one = 1;
	event_handle e;
	HET_ERR(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)}, e.out(),
			  {.device = d.gpu}),
		HET_EDEVICE);
	for (unsigned i = 0; i < 3; i++) {
		HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE), value_arg(one)},
				 e.out(), {.flags = i == 1 ? uint32_t{HET_SPLIT} : 0}));
		wait_for(e);
		CHECK(work_of(e, (b.size() + 63) / 64 * 64).items.begin()->first == d.other);
	}
	CHECK_EQ(b.data()[b.size() - 1], 3);
}

TEST(what_was_there_alone, .traps = trap::best | trap::sigsegv, .devices = device::cuda2, .kinds = kind::mmapped)
{
	catch_signals();
	two_devices fx(t);
	devices d;
	const size_t n = 1 << 20;
	block alone(t.v.kind, n), both(t.v.kind, n);
	memset(alone.data(), 0, n);
	memset(both.data(), 0, n);
	CHECK_EQ(add_on(fx, d.gpu, alone.data(), n), 0);
	CHECK_EQ(add_on(fx, d.gpu, both.data(), n), 0);
	for (size_t i = 0; i < n; i += 4096)
		CHECK_EQ(both.data()[i], 1);
	lose(fx, d);
	CHECK_EQ(touch(alone.data() + n / 2), SIGBUS);
	CHECK_EQ(touch(alone.data() + n / 4, true), SIGBUS);
	const char *said = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &said));
	char named[64];
	snprintf(named, sizeof named, "array %p: ", static_cast<void *>(alone.data()));
	CHECK(std::string(said).find(named) == 0);
	std::vector<uint8_t> ones(n, 1);
	CHECK_BYTES(both.data(), ones.data(), n, "what the host had, too");
	// A kernel that needs the old bytes can't have them, but one that does not makes the array whole again.
	CHECK_EQ(add_on(fx, d.other, alone.data(), n), HET_EDEVICE);
	event_handle e;
	HET_OK(fx.launch(fx.scatter, n,
			 {range_arg(both.data(), n, HET_READ_ONLY), range_arg(alone.data(), n, HET_WRITE_ONLY)},
			 e.out()));
	wait_for(e);
	CHECK_BYTES(alone.data(), ones.data(), n, "written anew");
}

// Bytes of one chunk were on several devices. What the others had alone is intact, page by page, and all is once the
// others have written it.
TEST(where_it_met_others, .traps = trap::all, .devices = device::cuda2, .kinds = kind::mmapped)
{
	catch_signals();
	three_devices fx(t);
	devices d;
	block from(t.v.kind, 64 * 20000), to(t.v.kind, 64 * 20000);
	const size_t n = from.size(), page = 4096;
	fill_pattern(from.data(), 0, n, 1);
	event_handle e;
	auto copy = [&] {
		HET_OK(fx.launch(fx.copy, n,
				 {range_arg(from.data(), n, HET_READ_ONLY, each_byte),
				  range_arg(to.data(), n, HET_WRITE_ONLY, each_byte)},
				 e.out(), {.flags = HET_SPLIT}));
		wait_for(e);
	};
	copy();
	std::vector<bool> lost(n);
	const size_t into = reinterpret_cast<uintptr_t>(to.data()) % page; // its first page begins so much before it
	for (const het_event_part_info &i : parts_of(e)) {
		size_t begin = (i.first + into) / page * page,
		       end = (i.first + i.count + into + page - 1) / page * page;
		if (i.device == d.gpu)
			std::fill(lost.begin() + long(std::max(begin, into) - into),
				  lost.begin() + long(std::min(n, end - into)), true);
	}
	lose(fx, d);
	size_t raised = 0;
	std::vector<size_t> kept;
	for (size_t at = 0; at < n; at += page) {
		int signal = touch(to.data() + at);
		CHECK(!signal || (signal == SIGBUS && lost[at]));
		raised += signal == SIGBUS;
		if (signal)
			continue;
		CHECK_BYTES(to.data() + at, from.data() + at, std::min(page - into, n - at), "what others had");
		to.data()[at]++;
		kept.push_back(at);
	}
	ending child = run_process(20, [&] {
		for (size_t at : kept)
			CHECK_EQ(to.data()[at], uint8_t(from.data()[at] + 1));
	});
	expect_success(child, "child");
	for (size_t at : kept)
		CHECK_EQ(to.data()[at], uint8_t(from.data()[at] + 1));
	CHECK_LE(std::any_of(lost.begin(), lost.end(), [](bool b) { return b; }) ? 1 : 0, raised);
	copy();
	for (size_t at = 0; at < n; at += 4096)
		CHECK_EQ(touch(to.data() + at), 0);
	CHECK_BYTES(to.data(), from.data(), n, "written anew");
}

// The program's memory moves away under the arrays, which no loss can keep it from. What others had goes with it, and
// the old bytes take the place of what was lost, in ordinary memory.
TEST(its_memory_moves, .traps = trap::all, .devices = device::cuda2)
{
	catch_signals();
	three_devices fx(t);
	devices d;
	const size_t n = 64 * 20000;
	std::vector<uint8_t> from(n), old(n);
	fill_pattern(from.data(), 0, n, 1);
	fill_pattern(old.data(), 0, n, 2);
	void *at = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(at != MAP_FAILED);
	memcpy(at, old.data(), n);
	event_handle e;
	HET_OK(fx.launch(
		fx.copy, n,
		{range_arg(from.data(), n, HET_READ_ONLY, each_byte), range_arg(at, n, HET_WRITE_ONLY, each_byte)},
		e.out(), {.flags = HET_SPLIT}));
	wait_for(e);
	std::vector<uint8_t> expected = from;
	size_t lost = 0;
	for (const het_event_part_info &i : parts_of(e)) {
		if (i.device != d.gpu)
			continue;
		std::copy_n(old.begin() + long(i.first), i.count, expected.begin() + long(i.first));
		lost += i.count;
	}
	CHECK(lost && lost < n);
	lose(fx, d);
	at = mremap(at, n, 4 * n, MREMAP_MAYMOVE);
	CHECK(at != MAP_FAILED);
	const char *said = nullptr;
	CHECK_OK(gpuvm_stat(GPUVM_STAT_LAST_FAILURE, &said));
	note("%s", said);
	CHECK(std::string(said).find("can't be read") != std::string::npos);
	CHECK_BYTES(at, expected.data(), n, "moved");
	memset(at, 7, 4 * n);
	munmap(at, 4 * n);
}

// Blocks that the device had done before are done again where that is possible; else the launch fails, and says so.
TEST(in_the_middle_of_a_launch, .traps = trap::best, .devices = device::cuda2, .kinds = kind::mmapped | kind::slice)
{
	catch_signals();
	two_devices fx(t);
	block from(t.v.kind, 64 * 8000), to(t.v.kind, 64 * 8000);
	const size_t n = from.size();
	devices d;
	fill_pattern(from.data(), 0, n, 1);
	// Nobody else has the old bytes, and nobody needs them.
	CHECK_EQ(add_on(fx, d.gpu, to.data(), n), 0);
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 1);
	event_handle e;
	HET_OK(fx.launch(fx.copy, n,
			 {range_arg(from.data(), n, HET_READ_ONLY, each_byte),
			  range_arg(to.data(), n, HET_WRITE_ONLY, each_byte)},
			 e.out(), {.flags = HET_SPLIT}));
	wait_for(e);
	work w = work_of(e, n);
	check_work(w);
	CHECK_EQ(w.items.size(), 1);
	CHECK_BYTES(to.data(), from.data(), n, "copy");
}

TEST(in_the_middle_of_a_launch_in_place, .traps = trap::best, .devices = device::cuda2, .kinds = kind::mmapped)
{
	catch_signals();
	two_devices fx(t);
	block b(t.v.kind, 64 * 8000);
	uint8_t one = 1;
	fail_cuda_call("work of cuLaunchKernel", cuda_launch_failed, 1);
	event_handle e;
	HET_OK(fx.launch(fx.add, b.size(), {range_arg(b.data(), b.size(), HET_READ_WRITE, each_byte), value_arg(one)},
			 e.out(), {.flags = HET_SPLIT}));
	(void)het_event_wait(1, std::array{e.get()}.data());
	CHECK_EQ(status_of(e), HET_EDEVICE);
}
