// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel that takes any number of rounds and shows what was done twice or not at all, and ways to keep it in the
// middle on the fake CUDA driver: tests of what is more urgent share this.
#pragma once

#include "fake/fake_cuda.h"
#include "runtime.h"

#include <span>
#include <string_view>
#include <vector>

namespace selftest
{

void make_kernel(program_handle &program, kernel_handle &kernel, std::string_view ptx, const char *name);
// Makes the kernel that turns_arrays launch.
void make_turns(program_handle &program, kernel_handle &kernel);

het_device *first_device();

// Has whole chunks: launches that have a page in common wait for each other.
class numbers
{
      public:
	explicit numbers(size_t n);
	~numbers();
	numbers(const numbers &) = delete;
	numbers &operator=(const numbers &) = delete;
	const uint32_t &operator[](size_t i) const { return first_[i]; }
	het_arg arg() const { return range_arg(first_, bytes_, HET_READ_WRITE); }

      private:
	const size_t bytes_;
	uint32_t *const first_;
};

// What launches of the kernel write, and what they must have written.
struct turns_arrays {
	static constexpr uint32_t group = 32;

	explicit turns_arrays(size_t items) : counts(items), sums(items), expected_counts(items), expected_sums(items)
	{
	}

	void launch(het_queue *queue, het_kernel *kernel, uint32_t rounds, int priority, het_event **event,
		    std::span<het_event *const> waits = {});
	void check() const;

	het_device *device = first_device(); // the launches run here; null: where it suits
	uint64_t deadline_ns = 0;            // of the launches
	numbers counts, sums;
	std::vector<uint32_t> expected_counts, expected_sums;
};

// A kernel of the least priority stays where it is while one of these lives.
class held_in_the_middle
{
      public:
	// It sees what was told to it until then, unless @is_told is false: then copies may wait for it.
	explicit held_in_the_middle(long steps, bool is_told = true) : is_told_(is_told) { driver_.hold_after = steps; }
	~held_in_the_middle();
	held_in_the_middle(const held_in_the_middle &) = delete;
	held_in_the_middle &operator=(const held_in_the_middle &) = delete;

	void wait() const;
	// It sees what was told to it until now, and comes to another place.
	void go_on_until(long steps) const;

      private:
	const bool is_told_;
	fake_cuda_state &driver_ = fake_cuda_driver();
};

// Its kernel, that with this number, waits for room on the device, or it has failed: what it had to tell others was
// told.
void wait_until_it_waits(het_event *e, int number);

// Another level has been there: from now on what is less urgent can be stopped.
void use_two_levels(het_queue *queue, het_kernel *kernel);

} // namespace selftest
