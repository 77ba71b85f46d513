// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tens of thousands of arrays meet the limit on mappings: they work, or there is one clear error and the arrays that
// were linked go on.
#include "harness/clock.h"
#include "harness/fixture.h"
#include "harness/pattern.h"

#include <cstdlib>
#include <fstream>
#include <sys/mman.h>
#include <sys/utsname.h>

using namespace selftest;

namespace
{
constexpr size_t page = 4096;

size_t most_mappings()
{
	size_t n = 65530;
	std::ifstream("/proc/sys/vm/max_map_count") >> n;
	return n;
}

// It is one of many arrays and has no model of its own: its number is the pattern's seed.
struct small_array {
	uint8_t *data;
	uint8_t *buffer;
};

class crowd
{
      public:
	crowd(size_t count, size_t array_size, size_t distance)
	    : size_(array_size), host_(count * distance), device_(count * array_size)
	{
		host_memory_ = static_cast<uint8_t *>(
			mmap(nullptr, host_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		CHECK(host_memory_ != MAP_FAILED);
		for (size_t i = 0; i < count; i++) {
			arrays_.push_back({host_memory_ + i * distance, &device_[i * array_size]});
			fill_pattern(arrays_[i].data, 0, size_, i);
		}
	}
	~crowd() { munmap(host_memory_, host_); }

	// Links one after the other, and returns the number linked and the first error.
	int link_all(size_t most = SIZE_MAX)
	{
		for (linked_ = 0; linked_ < std::min(most, arrays_.size()); linked_++) {
			small_array &a = arrays_[linked_];
			int err = gpuvm_link(a.data, size_, 0, a.buffer, GPUVM_ON_HOST);
			if (err)
				return err;
		}
		return 0;
	}
	size_t linked() const { return linked_; }

	// @mix tells what kernels have done to the contents so far.
	void run_kernels(uint8_t mix)
	{
		for (size_t i = 0; i < linked_; i++) {
			CHECK_OK(gpuvm_kernel_begin(arrays_[i].data, 0, GPUVM_READ_WRITE));
			CHECK_EQ(arrays_[i].buffer[size_ - 1], pattern_byte(size_ - 1, i) ^ mix);
			for (size_t k = 0; k < size_; k++)
				arrays_[i].buffer[k] ^= 0xff;
			CHECK_OK(gpuvm_kernel_end(arrays_[i].data, 0));
		}
	}

	void check(uint8_t mix)
	{
		for (size_t i = 0; i < arrays_.size(); i++)
			for (size_t k = 0; k < size_; k++) {
				uint8_t want = pattern_byte(k, i) ^ (i < linked_ ? mix : 0);
				if (arrays_[i].data[k] != want)
					FAIL("array %zu of %zu, byte %zu: %#x, not %#x", i, linked_, k,
					     arrays_[i].data[k], want);
			}
	}

	void unlink_all()
	{
		for (size_t i = 0; i < linked_; i++)
			CHECK_OK(gpuvm_unlink(arrays_[i].data, 0));
	}

      private:
	size_t size_, host_;
	std::vector<uint8_t> device_;
	uint8_t *host_memory_;
	std::vector<small_array> arrays_;
	size_t linked_ = 0;
};

// Before Linux 6.11 each link reads the mappings as text.
bool reads_text_of_mappings()
{
	utsname system;
	int major = 0, minor = 0;
	CHECK(!uname(&system) && sscanf(system.release, "%d.%d", &major, &minor) == 2);
	return getenv("GPUVM_UFFD_FEATURES") || major < 6 || (major == 6 && minor < 11);
}

void expect_clear(int err, size_t linked)
{
	note("linked %zu arrays, then: %s", linked, gpuvm_strerror(err));
	CHECK(err == GPUVM_ESALLOC || err == GPUVM_EPROT);
}
} // namespace

TEST(twenty_thousand, .traps = trap::all, .devices = device::host, .seconds = 60, .alone = true)
{
	restart_with(t, {"GPUVM_FORESIGHT=1"}); // `always` would remember arrays that are touched once
	fixture fx(t);
	bool many = t.full || (t.v.trap == trap::uffd && !reads_text_of_mappings());
	const size_t count = with_sanitizer ? 3000 : many ? 20000 : reads_text_of_mappings() ? 2000 : 4000;
	// These are whole pages, and a page between them is nobody's, so that no two can be merged.
	crowd c(count, 2 * page, 3 * page);
	uint64_t start = now_ns();
	int err = c.link_all();
	note("linking: %.2f s", seconds_since(start));
	if (err)
		expect_clear(err, c.linked());
	CHECK(c.linked() >= 1000);
	c.run_kernels(0);
	note("kernels: %.2f s", seconds_since(start));
	c.check(0xff);
	note("touches: %.2f s", seconds_since(start));
	c.run_kernels(0xff);
	c.unlink_all();
	note("all: %.2f s", seconds_since(start));
	c.check(0);
	CHECK_LE(count_of(GPUVM_STAT_BOOKKEEPING), 16 << 20);
	// There is room again.
	CHECK_OK(c.link_all(1000));
	c.unlink_all();
}

// Some arrays lie page to page, and small ones have edges alone.
TEST(neighbours, .traps = trap::all, .devices = device::host, .alone = true)
{
	fixture fx(t);
	for (size_t size : {page, size_t(1000), size_t(6000)}) {
		crowd c(with_sanitizer ? 500 : reads_text_of_mappings() ? 1000 : 4000, size, size);
		int err = c.link_all();
		if (err)
			expect_clear(err, c.linked());
		CHECK(c.linked() >= 500);
		c.run_kernels(0);
		c.check(0xff);
		c.unlink_all();
		c.check(0xff);
	}
}

TEST(no_mappings_left, .traps = trap::all, .devices = device::host, .seconds = 60, .alone = true)
{
	skip_under_sanitizers("it needs mappings of its own");
	fixture fx(t);
	size_t limit = most_mappings();
	if (limit > 300000)
		skip("vm.max_map_count is %zu", limit);
	array before(fx, kind::map, 50 * page);
	before.link();
	before.add_everywhere(0, 1);
	const size_t count = 64;
	crowd c(count, 2 * page, 3 * page);
	// Every second page gets another protection, until almost nothing is left.
	auto waste = static_cast<uint8_t *>(
		mmap(nullptr, 2 * limit * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	CHECK(waste != MAP_FAILED);
	size_t at = 0;
	while (mprotect(waste + at, page, PROT_NONE) == 0)
		at += 2 * page;
	// There is little room, so only some of the arrays fit.
	for (int i = 0; i < 40; i++)
		CHECK_SYS(mprotect(waste + (at -= 2 * page), page, PROT_READ));
	int err = c.link_all();
	expect_clear(err, c.linked());
	CHECK(c.linked() < count);
	before.check("array linked before");
	c.run_kernels(0);
	c.check(0xff);
	munmap(waste, 2 * limit * page);
	before.add_everywhere(0, 1);
	before.check();
	c.run_kernels(0xff);
	c.unlink_all();
	c.check(0);
	CHECK_OK(c.link_all());
	c.unlink_all();
}
