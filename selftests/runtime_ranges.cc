// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Arguments are host ranges here: views that overlap, memory that comes and goes, and memory that can't be watched.
#include "harness/block.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <fcntl.h>
#include <gpuvm.h>
#include <memory>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

using namespace selftest;

namespace
{

constexpr size_t page = 4096;

unsigned long long count_of(int parameter)
{
	unsigned long long n = 0;
	CHECK_OK(gpuvm_stat(parameter, &n));
	return n;
}

} // namespace

TEST(views_overlap_and_nest, .traps = trap::best, .devices = device::runtime,
     .kinds = kind::heap | kind::mmapped | kind::slice | kind::bss)
{
	runtime_fixture fx(t);
	block b(t.v.kind, std::min<size_t>(largest_of(t.v.kind), 40 * page + 123));
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 1);
	fill_pattern(model.data(), 0, b.size(), 1);
	for (uint64_t round = 0; round < t.rounds(60, 2000); round++) {
		size_t off = t.random.below(b.size()), n = 1 + t.random.below(b.size() - off);
		auto value = uint8_t(t.random.next());
		fx.run_add(b.data() + off, n, value);
		add_to_model(model, off, n, value);
		if (t.random.one_in(3)) {
			size_t at = t.random.below(b.size());
			CHECK_EQ(b.data()[at], model[at]);
			b.data()[at] = model[at] = uint8_t(round);
		}
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

// The library owns the last page of a large malloc whole if the array reaches into it; another view may lie there
// alone.
TEST(a_view_in_the_rest_of_the_last_page, .traps = trap::best, .devices = device::runtime, .kinds = kind::mmapped)
{
	runtime_fixture fx(t);
	block b(t.v.kind, 50 * page - 100);
	std::vector<uint8_t> model(b.size());
	memset(b.data(), 0, b.size());
	for (auto [off, n] : {std::pair<size_t, size_t>{0, b.size() - 20}, {b.size() - 5, 5}, {b.size() - 15, 12}}) {
		fx.run_add(b.data() + off, n, 1);
		add_to_model(model, off, n, 1);
	}
	CHECK_BYTES(b.data(), model.data(), b.size(), "array");
}

// Many launches on views are under way at once, and only their data orders them.
TEST(launches_are_ordered_by_their_data, .traps = trap::best, .devices = device::runtime,
     .kinds = kind::heap | kind::mmapped)
{
	runtime_fixture fx(t);
	block b(t.v.kind, std::min<size_t>(largest_of(t.v.kind), 20 * page));
	std::vector<uint8_t> model(b.size());
	fill_pattern(b.data(), 0, b.size(), 1);
	fill_pattern(model.data(), 0, b.size(), 1);
	for (uint64_t round = 0; round < t.rounds(20, 200); round++) {
		for (int i = 0; i < 25; i++) {
			size_t n = 1 + t.random.below(b.size() / 4);
			size_t from = t.random.below(b.size() / 2 - n),
			       to = b.size() / 2 + t.random.below(b.size() / 2 - n);
			if (t.random.one_in(2))
				std::swap(from, to);
			HET_OK(fx.launch(fx.combine, n,
					 {range_arg(b.data() + from, n, HET_READ_ONLY),
					  range_arg(b.data() + to, n, HET_READ_WRITE)}));
			for (size_t k = 0; k < n; k++)
				model[to + k] = uint8_t(3 * model[to + k] + model[from + k]);
		}
		HET_OK(het_finish(fx.queue));
		CHECK_BYTES(b.data(), model.data(), b.size(), "array");
	}
}

// Neighbours lie in new arrays, which no launch has made one before: launches link them anew while others use them.
TEST(neighbours_grow_together, .traps = trap::best, .devices = device::runtime, .seconds = 60)
{
	runtime_fixture fx(t);
	for (uint64_t round = 0; round < t.rounds(30, 500); round++) {
		const size_t size = 1000 + t.random.below(200000);
		block b(kind::mmapped, std::max<size_t>(size, 140000));
		std::vector<uint8_t> model(size);
		fill_pattern(b.data(), 0, size, 1);
		fill_pattern(model.data(), 0, size, 1);
		for (int i = 0; i < 20; i++) {
			size_t n = 1 + t.random.below(size / 2), first = t.random.below(size - 2 * n + 1);
			size_t from = first, to = first + n;
			if (t.random.one_in(2))
				std::swap(from, to);
			HET_OK(fx.launch(fx.combine, n,
					 {range_arg(b.data() + from, n, HET_READ_ONLY),
					  range_arg(b.data() + to, n, HET_READ_WRITE)}));
			for (size_t k = 0; k < n; k++)
				model[to + k] = uint8_t(3 * model[to + k] + model[from + k]);
		}
		HET_OK(het_finish(fx.queue));
		CHECK_BYTES(b.data(), model.data(), size, "array");
	}
}

// A kernel works on one part while the host writes another, and neither may lose the other's bytes.
TEST(host_and_kernel_share_pages, .traps = trap::best, .devices = device::runtime_apart,
     .kinds = kind::heap | kind::mmapped | kind::slice)
{
	skip_under_tsan("touches order it, which the sanitizer does not know");
	runtime_fixture fx(t);
	block b(t.v.kind, std::min<size_t>(largest_of(t.v.kind), 3 * page));
	size_t half = b.size() / 2 + 13;
	memset(b.data(), 0, b.size());
	fx.run_add(b.data(), b.size(), 1); // makes one array of them
	for (uint8_t round = 1; round <= 5; round++) {
		uint8_t one = 1;
		HET_OK(fx.launch(fx.slow, half, {range_arg(b.data(), half, HET_READ_WRITE), value_arg(one)}));
		for (size_t i = half; i < b.size(); i++)
			b.data()[i] = uint8_t(round + i);
		HET_OK(het_finish(fx.queue));
		for (size_t i = 0; i < b.size(); i++)
			CHECK_EQ(b.data()[i], i < half ? uint8_t(1 + round) : uint8_t(round + i));
	}
}

TEST(nothing_travels_twice, .traps = trap::best, .devices = device::host | device::opencl)
{
	runtime_fixture fx(t);
	const size_t n = 64 * page;
	block b(kind::map, n);
	fx.run_add(b.data(), n, 1);
	auto there = count_of(GPUVM_STAT_BYTES_TO_DEVICE), back = count_of(GPUVM_STAT_BYTES_TO_HOST);
	CHECK_EQ(there, n);
	for (int i = 0; i < 50; i++)
		fx.run_add(b.data() + (i % 7) * page, n - 7 * page, 1);
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_DEVICE), there);
	CHECK_EQ(count_of(GPUVM_STAT_BYTES_TO_HOST), back);
}

// malloc gives the same addresses again nearly every time. Nothing is reported, as freeing is what programs do.
TEST(memory_is_freed_and_reused, .traps = trap::best, .devices = device::runtime)
{
	skip_under_sanitizers("their malloc does not give addresses back");
	runtime_fixture fx(t);
	std::vector<std::vector<uint8_t>> live(8);
	for (uint64_t round = 0; round < t.rounds(600, 100000); round++) {
		auto &a = live[t.random.below(live.size())];
		size_t n = t.random.one_in(4) ? t.random.between(100000, 600000) : t.random.between(1, 9000);
		a = std::vector<uint8_t>(); // frees
		a.assign(n, uint8_t(round));
		auto value = uint8_t(t.random.next());
		size_t off = t.random.below(n), part = 1 + t.random.below(n - off);
		fx.run_add(a.data() + off, part, value);
		if (t.random.one_in(4))
			a.resize(n + n / 2, uint8_t(round)); // reallocates linked memory
		for (int k = 0; k < 4; k++) {
			size_t at = t.random.below(n);
			CHECK_EQ(a[at], uint8_t(round + (at >= off && at < off + part ? value : 0)));
		}
	}
	if (t.v.device != device::none)
		CHECK_EQ(count_of(GPUVM_STAT_FAILURES), 0);
}

TEST(free_waits_for_what_runs_and_cancels_the_rest, .traps = trap::best, .devices = device::runtime_apart)
{
	skip_under_sanitizers("free() is theirs");
	runtime_fixture fx(t);
	const size_t n = 300000;
	auto *p = static_cast<uint8_t *>(malloc(n));
	memset(p, 1, n);
	uint8_t one = 1;
	event_handle gate, first, second;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.slow, n, {range_arg(p, n, HET_READ_WRITE), value_arg(one)}, first.out()));
	HET_OK(fx.launch(fx.add, n, {range_arg(p, n, HET_READ_WRITE), value_arg(one)}, second.out(), {.waits = waits}));
	free(p);
	int status;
	HET_OK(het_event_status(first, &status));
	CHECK(status != HET_RUNNING && status != HET_SUBMITTED);
	het_event *early[] = {first}; // it may not have begun
	het_event_wait(1, early);
	HET_OK(het_event_status(first, &status));
	CHECK(status == HET_COMPLETE || status == HET_EMEMORY);
	HET_OK(het_event_status(second, &status));
	CHECK_EQ(status, HET_QUEUED);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	het_event *events[] = {second};
	HET_ERR(het_event_wait(1, events), HET_EWAIT);
	HET_OK(het_event_status(second, &status));
	CHECK_EQ(status, HET_EMEMORY);
}

// --- memory that can't be watched ------------------------------------------------

TEST(stacks, .devices = device::runtime)
{
	runtime_fixture fx(t);
	uint8_t here[3000];
	memset(here, 5, sizeof here);
	fx.run_add(here, sizeof here, 2);
	fx.run_add(here + 1000, 1500, 1);
	for (size_t i = 0; i < sizeof here; i++)
		CHECK_EQ(here[i], i >= 1000 && i < 2500 ? 8 : 7);
}

TEST(shared_and_file_mappings, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 20 * page;
	int file = memfd_create("selftest", 0);
	CHECK_SYS(file);
	CHECK_SYS(ftruncate(file, n));
	for (int flags : {MAP_SHARED, MAP_PRIVATE}) {
		auto *p = static_cast<uint8_t *>(mmap(nullptr, n, PROT_READ | PROT_WRITE, flags, file, 0));
		CHECK(p != MAP_FAILED);
		memset(p, 1, n);
		for (int i = 0; i < 3; i++)
			fx.run_add(p + 100, n - 200, 1);
		CHECK_EQ(p[99], 1);
		CHECK_EQ(p[100], 4);
		CHECK_EQ(p[n - 101], 4);
		CHECK_EQ(p[n - 100], 1);
		munmap(p, n);
	}
	close(file);
}

TEST(memory_that_is_not_there, .devices = device::runtime_apart)
{
	runtime_fixture fx(t);
	// This makes a hole of one page, which is too small for the library's own mappings.
	void *around = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *p = static_cast<uint8_t *>(around) + page;
	munmap(p, page);
	uint8_t one = 1;
	HET_ERR(fx.launch(fx.add, page, {range_arg(p, page, HET_READ_WRITE), value_arg(one)}), HET_EMEMORY);
}

// --- two devices -----------------------------------------------------------------

// Two devices use the same and disjoint parts of one chunk, in turn and at once.
TEST(two_devices_share_chunks, .traps = trap::best, .devices = device::host2)
{
	runtime_fixture fx(t);
	het_device *devices[2];
	uint32_t count;
	HET_OK(het_devices(2, devices, &count));
	const size_t n = 40 * page;
	block b(kind::map, n);
	std::vector<uint8_t> model(n);
	memset(b.data(), 0, n);
	for (uint64_t round = 0; round < t.rounds(40, 1000); round++) {
		for (int i = 0; i < 10; i++) {
			size_t off = t.random.below(n), part = 1 + t.random.below(n - off);
			auto value = uint8_t(t.random.next());
			HET_OK(fx.launch(fx.add, part,
					 {range_arg(b.data() + off, part, HET_READ_WRITE), value_arg(value)}, nullptr,
					 {.device = devices[t.random.below(2)]}));
			add_to_model(model, off, part, value);
		}
		HET_OK(het_finish(fx.queue));
		CHECK_BYTES(b.data(), model.data(), n, "array");
	}
}
