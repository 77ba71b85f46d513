// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests arrays of every size, alignment and kind of memory: contents are right at every station of an array's life, and
// the bytes beside it are not the library's business.
#include "harness/fixture.h"
#include "harness/pattern.h"

using namespace selftest;

namespace
{
constexpr size_t page = 4096;
constexpr size_t guard = 5000; // somebody else's bytes on each side
constexpr uint32_t guard_seed = 0x6a;

// The array lies in memory whose other bytes belong to somebody else.
class neighbourhood
{
      public:
	neighbourhood(fixture &fx, uint8_t *begin, size_t before, size_t n, size_t after, uint32_t seed)
	    : begin_(begin), before_(before), after_(after), model_(before + n + after),
	      middle(fx, begin + before, n, seed)
	{
		fill_pattern(model_.data(), 0, model_.size(), guard_seed);
		change_neighbours(0);
	}

	// Writes other bytes beside the array.
	void change_neighbours(uint8_t with)
	{
		for (size_t i = 0; i < before_; i++)
			begin_[i] = model_[i] ^= with;
		for (size_t i = model_.size() - after_; i < model_.size(); i++)
			begin_[i] = model_[i] ^= with;
	}

	void check_neighbours()
	{
		size_t behind = model_.size() - after_;
		CHECK_BYTES(begin_, model_.data(), before_, "bytes before the array");
		CHECK_BYTES(begin_ + behind, model_.data() + behind, after_, "bytes behind the array");
	}

      private:
	uint8_t *begin_;
	size_t before_, after_;
	std::vector<uint8_t> model_;

      public:
	array middle;
};

void check_neighbours_untrapped(neighbourhood &h, uint8_t with)
{
	auto touches = count_of(GPUVM_STAT_TOUCHES);
	h.check_neighbours();
	h.change_neighbours(with);
	CHECK_EQ(count_of(GPUVM_STAT_TOUCHES), touches);
}

// Leads an array through one whole life.
void live(neighbourhood &h)
{
	array &a = h.middle;
	size_t n = a.size();
	a.link();
	a.check("after link");

	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_WRITE));
	a.check_buffer(0, "buffer at begin of a read-write kernel");
	a.run(0, {kernel::mix, 0, n, 5});
	check_neighbours_untrapped(h, 0x21);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	check_neighbours_untrapped(h, 0x42);
	a.check("after a read-write kernel");
	h.check_neighbours();

	a.kernel_on(0, GPUVM_WRITE_ONLY, {kernel::fill, 0, n, 9});
	check_neighbours_untrapped(h, 0x03);
	a.check("after a write-only kernel");

	a.write_on_host(n / 3, n - n / 3, 11);
	CHECK_OK(gpuvm_kernel_begin(a.data(), 0, GPUVM_READ_ONLY));
	a.check_sum(0);
	a.check("during a read-only kernel");
	check_neighbours_untrapped(h, 0x14);
	CHECK_OK(gpuvm_kernel_end(a.data(), 0));
	a.check_buffer(0, "buffer after a read-only kernel");

	a.add_everywhere(0, 77);
	a.unlink_everywhere();
	a.check("after unlink");
	h.check_neighbours();
	a.write_on_host(0, n, 12);
	a.link();
	a.add_everywhere(0, 1);
	a.check("after the second link");
	a.unlink_everywhere();
	a.check("after the second unlink");
	h.check_neighbours();
}

void live_at(fixture &fx, uint32_t kind, size_t alignment, size_t n, uint32_t seed)
{
	// The array starts at the wanted offset in its page, wherever the allocation does.
	size_t total = guard + page + alignment + n + guard;
	block memory(kind, std::max(total, size_t(256)));
	auto base = reinterpret_cast<uintptr_t>(memory.data());
	size_t before = ((base + guard + page - 1) & ~(page - 1)) + alignment - base;
	neighbourhood h(fx, memory.data(), before, n, total - before - n, seed);
	live(h);
}
} // namespace

TEST(every_kind, .traps = trap::all, .devices = device::single, .kinds = kind::all)
{
	fixture fx(t);
	for (size_t n : {1ul, 2ul, 63ul, 4095ul, 4096ul, 4097ul, 8191ul, 8192ul, 12289ul, 65536ul, 100000ul, 131072ul,
			 131073ul, 300001ul, 1ul << 20, 3000003ul}) {
		if (n > largest_of(t.v.kind))
			continue;
		// Here the array has the kind's own start, as in most programs.
		block memory(t.v.kind, n);
		size_t before = memory.room_before(), after = memory.room_after();
		neighbourhood h(fx, memory.data() - before, before, n, after, 3);
		live(h);
	}
}

TEST(every_size_near_a_page, .traps = trap::all, .devices = device::host, .kinds = kind::heap | kind::map)
{
	fixture fx(t);
	for (size_t n = 1; n < 40; n++)
		live_at(fx, t.v.kind, t.random.below(page), n, n);
	for (size_t pages = 1; pages <= 17; pages += 4)
		for (size_t n = pages * page - 3; n <= pages * page + 3; n++)
			live_at(fx, t.v.kind, t.random.one_in(2) ? 0 : t.random.below(page), n, n);
}

TEST(alignments, .traps = trap::all, .devices = device::plain, .kinds = kind::heap | kind::map)
{
	fixture fx(t);
	std::vector<size_t> starts = {0,    1,    2,    3,    4,    7,    8,    15,   16,  17,   31,
				      32,   63,   64,   127,  128,  255,  256,  511,  512, 1023, 1024,
				      2047, 2048, 3072, 4064, 4080, 4088, 4092, 4094, 4095};
	for (uint64_t i = 0; i < t.rounds(20, 4096); i++)
		starts.push_back(t.full ? i : t.random.below(page));
	const size_t sizes[] = {1, 5, 100, page - 1, page, page + 1, 2 * page, 9000, 70000};
	for (size_t start : starts) {
		live_at(fx, t.v.kind, start, sizes[t.random.below(std::size(sizes))], uint32_t(start));
		live_at(fx, t.v.kind, start, 2 * page - start % page + (start & 1), uint32_t(start));
	}
}

TEST(random_layouts, .traps = trap::all, .devices = device::host | device::hostcb, .kinds = kind::map)
{
	fixture fx(t);
	for (uint64_t i = 0; i < t.rounds(60, 3000); i++) {
		size_t n = t.random.between(1, size_t(1) << t.random.between(1, 19));
		live_at(fx, t.v.kind, t.random.below(page), n, uint32_t(i));
	}
}

TEST(large, .traps = trap::all, .devices = device::plain,
     .kinds = kind::mmapped | kind::map | kind::slice | kind::library_huge | kind::bss, .seconds = 60)
{
	fixture fx(t);
	const size_t largest = (t.full ? size_t(256) << 20 : size_t(24) << 20) >> (with_sanitizer ? 3 : 0);
	for (size_t n : {largest / 8 + 12345, largest - 4096 * 3}) {
		array a(fx, t.v.kind, n);
		a.link();
		a.add_everywhere(0, 3);
		// Scattered single touches come first, and then all.
		for (int i = 0; i < 20; i++)
			a.check(t.random.below(n), 1, "scattered byte");
		a.check("after a kernel");
		for (int i = 0; i < 20; i++)
			a.write_on_host(t.random.below(n), 1, 8);
		a.kernel_on(0, GPUVM_READ_WRITE, {kernel::mix, 0, n, 8});
		a.unlink_everywhere();
		a.check("after unlink");
	}
}

TEST(quarter_gigabyte, .traps = trap::uffd | trap::sigsegv, .devices = device::host, .kinds = kind::map | kind::mmapped,
     .seconds = 40, .alone = true)
{
	skip_under_sanitizers("too slow");
	fixture fx(t);
	const size_t n = size_t(256) << 20;
	// Stamps take the place of bytes: one word in each page names the page.
	block memory(t.v.kind, n);
	std::vector<uint8_t> buffer(n);
	auto word = [&](size_t i) { return reinterpret_cast<uint64_t *>(memory.data() + i); };
	for (size_t i = 0; i < n; i += page)
		*word(i) = i;
	CHECK_OK(gpuvm_link(memory.data(), n, 0, buffer.data(), GPUVM_ON_HOST));
	CHECK_OK(gpuvm_kernel_begin(memory.data(), 0, GPUVM_READ_WRITE));
	for (size_t i = 0; i < n; i += page) {
		uint64_t value;
		memcpy(&value, &buffer[i], sizeof value);
		CHECK_EQ(value, i);
		value = ~value;
		memcpy(&buffer[i], &value, sizeof value);
	}
	CHECK_OK(gpuvm_kernel_end(memory.data(), 0));
	for (size_t i = 0; i < n; i += page)
		CHECK_EQ(*word(i), ~i);
	CHECK_OK(gpuvm_unlink(memory.data(), 0));
	for (size_t i = 0; i < n; i += page)
		CHECK_EQ(*word(i), ~i);
}
