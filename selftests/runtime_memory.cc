// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests rectangles and mappings.
#include "harness/clock.h"
#include "harness/pattern.h"
#include "harness/runtime.h"

#include <atomic>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace selftest;

namespace
{

constexpr uint8_t one = 1;

// --- rectangles ------------------------------------------------------------------

// A place has bytes in a memory object or of the host's, and what they should be.
struct place {
	memory_handle object;
	std::vector<uint8_t> host, model;

	void make(size_t n, bool as_object, uint32_t seed)
	{
		model.resize(n);
		fill_pattern(model.data(), 0, n, seed);
		host = model;
		if (!as_object)
			return;
		HET_OK(het_memory_create(n, object.out()));
		memcpy(het_memory_pointer(object), model.data(), n);
	}
	uint8_t *data() { return object ? static_cast<uint8_t *>(het_memory_pointer(object)) : host.data(); }
	// Makes the bytes from @offset on a side of a copy.
	het_rect side(size_t offset)
	{
		het_rect r = {};
		r.memory = object;
		r.pointer = object ? nullptr : host.data() + offset;
		r.origin[0] = object ? offset : 0;
		return r;
	}
	het_arg whole()
	{
		return object ? memory_arg(object, HET_READ_WRITE)
			      : range_arg(host.data(), host.size(), HET_READ_WRITE);
	}
};

size_t offset_of(const het_rect &r, size_t x, size_t y, size_t z)
{
	return (r.origin[2] + z) * r.slice_pitch + (r.origin[1] + y) * r.row_pitch + r.origin[0] + x;
}

// Makes a side for the region, somewhere in @n bytes. Some pitches are left to the library.
het_rect any_side(context &t, place &p, const size_t (&region)[3], size_t n)
{
	het_rect r = p.side(0);
	r.origin[0] = t.random.below(20);
	r.origin[1] = t.random.below(3);
	r.origin[2] = t.random.below(2);
	r.row_pitch = region[0] + t.random.below(300);
	r.slice_pitch = region[1] * r.row_pitch + t.random.below(5000);
	CHECK(offset_of(r, region[0], region[1] - 1, region[2] - 1) <= n);
	return r;
}

int copy(runtime_fixture &fx, const het_rect &to, const het_rect &from, const size_t (&region)[3],
	 het_event **event = nullptr)
{
	het_copy_rect_args a = {};
	a.size = sizeof a;
	a.to = to;
	a.from = from;
	memcpy(a.region, region, sizeof region);
	return het_copy_rect(fx.queue, &a, event);
}

} // namespace

// Kernels on whole places and copies between them are in flight together, and only their data orders them.
TEST(rectangles, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 300000;
	// Arrays are adopted while copies write to them. The writers are held meanwhile, which ThreadSanitizer does not
	// know.
	for (int kinds = with_tsan ? 3 : 0; kinds < 4; kinds++) {
		place places[2];
		places[0].make(n, kinds & 1, 1);
		places[1].make(n, kinds & 2, 2);
		for (uint64_t round = 0; round < t.rounds(30, 1000); round++) {
			size_t region[3] = {1 + t.random.below(200), 1 + t.random.below(40), 1 + t.random.below(4)};
			unsigned source = unsigned(t.random.below(2));
			place &from = places[source], &to = places[1 - source];
			het_rect in = any_side(t, from, region, n), out = any_side(t, to, region, n);
			HET_OK(copy(fx, out, in, region));
			for (size_t z = 0; z < region[2]; z++)
				for (size_t y = 0; y < region[1]; y++)
					memcpy(&to.model[offset_of(out, 0, y, z)], &from.model[offset_of(in, 0, y, z)],
					       region[0]);
			if (!t.random.one_in(3))
				continue;
			HET_OK(fx.launch(fx.add, n, {to.whole(), value_arg(one)}));
			for (uint8_t &b : to.model)
				b++;
		}
		HET_OK(het_finish(fx.queue));
		for (place &p : places)
			CHECK_BYTES(p.data(), p.model.data(), n, "place");
	}
}

// Tight pitches are those of an array; columns of one object may change places.
TEST(rectangles_in_one_object, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t width = 64, height = 50;
	place p;
	p.make(width * height, true, 3);
	het_rect left = p.side(0), right = p.side(width / 2), all = p.side(0);
	left.row_pitch = right.row_pitch = width;
	const size_t half[3] = {width / 2, height, 1}, whole[3] = {width, height, 1};
	HET_OK(copy(fx, left, right, half));
	std::vector<uint8_t> back(width * height);
	het_rect host = {};
	host.pointer = back.data();
	HET_OK(copy(fx, host, all, whole));
	HET_OK(het_finish(fx.queue));
	for (size_t i = 0; i < back.size(); i++)
		CHECK_EQ(back[i], p.model[i % width < width / 2 ? i + width / 2 : i]);

	right.origin[0]--;
	HET_ERR(copy(fx, left, right, half), HET_EARG);
	right.origin[0]++;
	const size_t wide[3] = {width, height, 1}, none[3] = {width / 2, 0, 1};
	HET_ERR(copy(fx, host, right, wide), HET_EARG); // ends behind the object
	HET_ERR(copy(fx, left, right, none), HET_EARG);
	left.row_pitch = width / 2 - 1;
	HET_ERR(copy(fx, left, right, half), HET_EARG);
	left.row_pitch = width;
	left.slice_pitch = width * height - 1;
	HET_ERR(copy(fx, left, right, half), HET_EARG);
	left = {};
	HET_ERR(copy(fx, left, right, half), HET_EARG);
}

// What lies between the rows is not the copy's: a reader of it learns of the failure of who should have written it.
TEST(failures_pass_through_rectangles, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	place to, from;
	to.make(4000, true, 1);
	from.make(4000, true, 2);
	event_handle gate, e;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(fx.launch(fx.add, 4000, {to.whole(), value_arg(one)}, nullptr, {.waits = waits}));
	het_rect column = to.side(0), source = from.side(0);
	column.row_pitch = 100;
	const size_t region[3] = {10, 40, 1};
	HET_OK(copy(fx, column, source, region));
	HET_OK(fx.launch(fx.add, 4000, {to.whole(), value_arg(one)}, e.out()));
	HET_OK(het_user_event_set(gate, -1));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(status_of(e), HET_EWAIT);
}

// --- mappings --------------------------------------------------------------------

namespace
{

int map(runtime_fixture &fx, het_memory *m, size_t offset, size_t n, uint32_t access, uint8_t **pointer,
	het_event **event = nullptr, std::span<het_event *const> waits = {})
{
	het_map_args a = {};
	a.size = sizeof a;
	a.memory = m;
	a.offset = offset;
	a.nbytes = n;
	a.access = access;
	a.nwaits = waits.size();
	a.waits = waits.data();
	void *p = nullptr;
	int err = het_map(fx.queue, &a, &p, event);
	if (!err)
		*pointer = static_cast<uint8_t *>(p);
	return err;
}

int unmap(runtime_fixture &fx, het_memory *m, void *pointer, het_event **event = nullptr,
	  std::span<het_event *const> waits = {})
{
	het_unmap_args a = {};
	a.size = sizeof a;
	a.memory = m;
	a.pointer = pointer;
	a.nwaits = waits.size();
	a.waits = waits.data();
	return het_unmap(fx.queue, &a, event);
}

constexpr size_t size = 100000;

memory_handle &make(memory_handle &m, uint8_t value)
{
	HET_OK(het_memory_create(size, m.out()));
	memset(het_memory_pointer(m), value, size);
	return m;
}

} // namespace

// Kernel and host take turns, and nobody waits except for the maps.
TEST(mappings_take_turns_with_kernels, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	memory_handle m;
	make(m, 0);
	for (uint8_t round = 0; round < 20; round++) {
		uint8_t *p;
		event_handle mapped;
		HET_OK(fx.launch(fx.add, size, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
		HET_OK(map(fx, m, 1000, 5000, HET_READ_WRITE, &p, mapped.out()));
		CHECK(p == static_cast<uint8_t *>(het_memory_pointer(m)) + 1000);
		HET_OK(fx.launch(fx.add, size, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
		wait_for(mapped);
		for (size_t i = 0; i < 5000; i++)
			CHECK_EQ(p[i]++, 3 * round + 1);
		HET_OK(unmap(fx, m, p));
		HET_OK(fx.launch(fx.slow, 1, {memory_arg(m, HET_READ_WRITE), value_arg(uint8_t(0))}));
	}
	HET_OK(het_finish(fx.queue));
	auto *bytes = static_cast<uint8_t *>(het_memory_pointer(m));
	for (size_t i = 0; i < size; i++)
		CHECK_EQ(bytes[i], i >= 1000 && i < 6000 ? 60 : 40);
}

TEST(what_a_mapping_keeps_off, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	memory_handle m, other;
	make(m, 1);
	make(other, 1);
	uint8_t *first, *second, *third;
	event_handle mapped, reads, writes, elsewhere, unmapped, again;
	HET_OK(map(fx, m, 0, 1000, HET_READ_ONLY, &first, mapped.out()));
	HET_OK(map(fx, m, 500, 1000, HET_READ_ONLY, &second)); // readers share
	wait_for(mapped);
	HET_OK(fx.launch(fx.combine, 2000, {memory_arg(m, HET_READ_ONLY), memory_arg(other, HET_READ_WRITE)},
			 reads.out()));
	HET_OK(fx.launch(fx.add, 2000, {memory_arg(m, HET_READ_WRITE), value_arg(one)}, writes.out()));
	HET_OK(fx.launch(fx.add, 2000, {memory_arg(other, HET_READ_WRITE), value_arg(one)}, elsewhere.out()));
	wait_for(reads);
	wait_for(elsewhere);
	HET_OK(unmap(fx, m, first, unmapped.out()));
	wait_for(unmapped);
	sleep_ms(10);
	CHECK_EQ(status_of(writes), HET_QUEUED);
	HET_OK(map(fx, m, 0, 1000, HET_WRITE_ONLY, &third, again.out()));
	HET_OK(unmap(fx, m, second));
	wait_for(again);
	CHECK_EQ(status_of(writes), HET_COMPLETE);
	CHECK_EQ(third[999], 2);
	HET_OK(unmap(fx, m, third));
	HET_ERR(unmap(fx, m, third), HET_EARG);
	m.reset();
	HET_OK(het_finish(fx.queue));
}

// het_finish() and the next commands of a queue that is in order do not wait for the program.
TEST(mappings_do_not_hold_up_a_queue, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t, HET_QUEUE_IN_ORDER);
	memory_handle m, other;
	make(m, 5);
	make(other, 5);
	uint8_t *p;
	HET_OK(fx.launch(fx.slow, size, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
	HET_OK(map(fx, m, 0, size, HET_READ_WRITE, &p));
	fx.run(fx.add, size, {memory_arg(other, HET_READ_WRITE), value_arg(one)});
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(p[size - 1], 6);
	p[size - 1] = 9;
	HET_OK(unmap(fx, m, p));
	fx.run(fx.add, size, {memory_arg(m, HET_READ_WRITE), value_arg(one)});
	CHECK_EQ(static_cast<uint8_t *>(het_memory_pointer(m))[size - 1], 10);
}

// The same bytes are mapped twice, a mapping is unmapped before it is there, and the program has let go of the object.
TEST(mappings_that_are_unmapped_at_once, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	memory_handle m;
	make(m, 0);
	event_handle gate, mapped, unmapped, kernel;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	uint8_t *first, *second;
	HET_OK(map(fx, m, 0, 100, HET_READ_WRITE, &first, mapped.out(), waits));
	HET_OK(map(fx, m, 0, 200, HET_READ_WRITE, &second));
	CHECK(first == second);
	HET_OK(unmap(fx, m, first));
	HET_OK(unmap(fx, m, second, unmapped.out()));
	HET_ERR(unmap(fx, m, first), HET_EARG);
	HET_OK(fx.launch(fx.add, 200, {memory_arg(m, HET_READ_WRITE), value_arg(one)}, kernel.out()));
	m.reset();
	sleep_ms(5);
	CHECK_EQ(status_of(mapped), HET_QUEUED);
	CHECK_EQ(status_of(unmapped), HET_QUEUED);
	CHECK_EQ(status_of(kernel), HET_QUEUED);
	HET_OK(het_user_event_set(gate, HET_COMPLETE));
	wait_for(kernel);
	CHECK_EQ(status_of(mapped), HET_COMPLETE);
	CHECK_EQ(status_of(unmapped), HET_COMPLETE);
}

TEST(mappings_that_fail, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	memory_handle m;
	make(m, 0);
	event_handle gate, mapped, unmapped, writer;
	uint8_t *p;
	HET_OK(het_user_event_create(gate.out()));
	het_event *waits[] = {gate};
	HET_OK(map(fx, m, 0, 100, HET_WRITE_ONLY, &p, mapped.out(), waits));
	HET_OK(fx.launch(fx.add, 100, {memory_arg(m, HET_READ_WRITE), value_arg(one)}, writer.out()));
	HET_OK(het_user_event_set(gate, -5));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(status_of(mapped), HET_EWAIT);
	CHECK_EQ(status_of(writer), HET_EWAIT); // would have read what the host was to write
	HET_ERR(unmap(fx, m, p), HET_EARG);

	// An unmap that is to wait for what fails ends the mapping all the same.
	HET_OK(map(fx, m, 0, 100, HET_READ_WRITE, &p, mapped.out()));
	wait_for(mapped);
	HET_OK(unmap(fx, m, p, unmapped.out(), waits));
	HET_OK(het_finish(fx.queue));
	CHECK_EQ(status_of(unmapped), HET_EWAIT);
	fx.run(fx.add, 100, {memory_arg(m, HET_READ_WRITE), value_arg(one)});

	HET_ERR(map(fx, nullptr, 0, 100, HET_READ_ONLY, &p), HET_ENULL);
	HET_ERR(map(fx, m, 0, 100, 0, &p), HET_EARG);
	HET_ERR(map(fx, m, size - 99, 100, HET_READ_ONLY, &p), HET_EARG);
	HET_ERR(map(fx, m, 0, 0, HET_READ_ONLY, &p), HET_EARG);
	HET_ERR(unmap(fx, m, nullptr), HET_EARG);
	HET_ERR(unmap(fx, nullptr, p), HET_EARG);
}

// Threads map, change and unmap parts of one object, with kernels between them.
TEST(mappings_by_threads, .traps = trap::best, .devices = device::runtime, .seconds = 60)
{
	runtime_fixture fx(t);
	memory_handle m;
	make(m, 0);
	constexpr unsigned nthreads = 3;
	const uint64_t rounds = t.rounds(40, 1000);
	std::atomic<unsigned> kernels{0};
	auto work = [&] {
		for (uint64_t i = 0; i < rounds; i++) {
			uint8_t *p;
			event_handle mapped;
			HET_OK(map(fx, m, 0, 3000, HET_READ_WRITE, &p, mapped.out()));
			wait_for(mapped);
			for (size_t k = 0; k < 3000; k++)
				p[k]++;
			HET_OK(unmap(fx, m, p));
			if (i % 4)
				continue;
			HET_OK(fx.launch(fx.add, size, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
			kernels++;
		}
	};
	std::vector<std::thread> threads;
	for (unsigned i = 0; i < nthreads; i++)
		threads.emplace_back(work);
	for (auto &thread : threads)
		thread.join();
	HET_OK(het_finish(fx.queue));
	auto *bytes = static_cast<uint8_t *>(het_memory_pointer(m));
	CHECK_EQ(bytes[0], uint8_t(nthreads * rounds + kernels));
	CHECK_EQ(bytes[2999], bytes[0]);
	CHECK_EQ(bytes[3000], uint8_t(kernels));
}

// A command that waits for a mapping which nobody ends any more does not keep the process.
TEST(exit_with_mappings, .traps = trap::best, .devices = device::runtime)
{
	skip_under_tsan("it waits for threads at exit");
	runtime_fixture fx(t);
	memory_handle m;
	make(m, 0);
	uint8_t *p;
	HET_OK(map(fx, m, 0, 100, HET_READ_WRITE, &p));
	HET_OK(map(fx, m, 50, 100, HET_READ_WRITE, &p));
	HET_OK(fx.launch(fx.add, 100, {memory_arg(m, HET_READ_WRITE), value_arg(one)}));
	HET_OK(unmap(fx, m, p));
	exit(0);
}

// Two mappings in one edge share it, and a kernel on the array waits for both. What begins at the same byte is told
// apart by its size.
TEST(mappings_of_plain_arrays, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	std::vector<uint8_t> bytes(3 * 4096 + 100, 1);
	const size_t n = bytes.size();
	auto take = [&](size_t offset, size_t size, uint32_t access, het_event **event) {
		het_map_args a = {};
		a.size = sizeof a;
		a.nbytes = size;
		a.access = access;
		a.pointer = &bytes[offset];
		void *p = nullptr;
		return het_map(fx.queue, &a, &p, event);
	};
	auto give = [&](size_t offset, size_t size) {
		het_unmap_args a = {};
		a.size = sizeof a;
		a.pointer = &bytes[offset];
		a.nbytes = size;
		return het_unmap(fx.queue, &a, nullptr);
	};
	event_handle first, beside, longer, kernel;
	HET_OK(fx.launch(fx.add, n, {range_arg(bytes.data(), n, HET_READ_WRITE), value_arg(one)}));
	HET_OK(take(0, 8, HET_WRITE_ONLY, first.out()));
	HET_OK(take(8, 8, HET_READ_ONLY, beside.out()));
	HET_OK(take(8, 16, HET_READ_ONLY, longer.out()));
	wait_for(first);
	wait_for(beside);
	wait_for(longer);
	CHECK_EQ(bytes[8], 2);
	HET_OK(fx.launch(fx.add, n, {range_arg(bytes.data(), n, HET_READ_WRITE), value_arg(one)}, kernel.out()));
	HET_OK(give(0, 8));
	HET_OK(give(8, 8));
	HET_ERR(give(8, 8), HET_EARG);
	sleep_ms(10);
	CHECK_EQ(status_of(kernel), HET_QUEUED);
	HET_OK(give(8, 16));
	HET_OK(het_finish(fx.queue));
	for (uint8_t b : bytes)
		CHECK_EQ(b, 3);
}

// --- objects of the program's memory -------------------------------------------------

// The memory may be freed right after the last release, by a call that the library does not see: what the kernel wrote
// is there by then.
TEST(wrapped_memory, .traps = trap::best, .devices = device::runtime)
{
	runtime_fixture fx(t);
	const size_t n = 5 * 4096 + 100;
	for (unsigned round = 0; round < 4; round++) {
		void *at = mmap(nullptr, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		CHECK(at != MAP_FAILED);
		auto *bytes = static_cast<uint8_t *>(at);
		memset(bytes, 7, n);
		memory_handle whole, part;
		HET_OK(het_memory_wrap(bytes, n, whole.out()));
		CHECK(het_memory_pointer(whole) == bytes);
		HET_OK(het_memory_part(whole, 10, n - 20, part.out()));
		HET_OK(fx.launch(fx.add, n, {memory_arg(whole, HET_READ_WRITE), value_arg(one)}));
		HET_OK(fx.launch(fx.add, n - 20, {memory_arg(part, HET_READ_WRITE), value_arg(one)}));
		// The last reference is the program's, or that of a command, which lets go of it some time.
		const bool early = round % 2;
		if (!early)
			HET_OK(het_finish(fx.queue));
		part.reset();
		whole.reset();
		HET_OK(het_finish(fx.queue));
		for (size_t i = 0; i < n; i++)
			CHECK_EQ(bytes[i], 8 + (i >= 10 && i < n - 10));
		if (early)
			munmap(at, n);
		else
			syscall(SYS_munmap, at, n);
	}
	memory_handle none;
	HET_ERR(het_memory_wrap(nullptr, 1, none.out()), HET_ENULL);
	HET_ERR(het_memory_wrap(&none, 0, none.out()), HET_EARG);
}
