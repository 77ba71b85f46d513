// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Loops of launches whose end the host hears of, and then touches what they wrote: tests of what comes home behind
// kernels share this.
#pragma once

#include "block.h"
#include "fixture.h"
#include "pattern.h"
#include "runtime.h"

#include <gpuvm.h>
#include <iterator>
#include <vector>

namespace selftest
{

struct counts {
	unsigned long long touches = count_of(GPUVM_STAT_TOUCHES), home = count_of(GPUVM_STAT_BYTES_TO_HOST),
			   there = count_of(GPUVM_STAT_BYTES_TO_DEVICE), foreseen = count_of(GPUVM_STAT_FORESEEN);
	counts since() const
	{
		counts now;
		return {now.touches - touches, now.home - home, now.there - there, now.foreseen - foreseen};
	}
};

// Who hears of the end of a command, and how.
enum class told_by : uint8_t { wait, status, callback, follower, marker, finish };
constexpr told_by all_ways[] = {told_by::wait,     told_by::status, told_by::callback,
				told_by::follower, told_by::marker, told_by::finish};

void hear(runtime_fixture &fx, het_event *e, told_by how);

// What brings bytes home fails by one of these, for fail_cuda_call().
inline constexpr const char *const copies_home[] = {"cuMemcpyDtoHAsync_v2", "work of cuMemcpyDtoHAsync_v2",
						    "cuMemcpyBatchAsync_v2", "work of cuMemcpyBatchAsync_v2"};

// An array, and what it should contain.
struct model_array {
	model_array(uint32_t kind, size_t n, uint32_t seed = 1) : b(kind, n), model(n)
	{
		fill_pattern(b.data(), 0, n, seed);
		fill_pattern(model.data(), 0, n, seed);
	}
	size_t size() const { return b.size(); }
	het_arg all(uint32_t access) const { return range_arg(b.data(), b.size(), access); }
	het_arg part(size_t off, size_t n, uint32_t access) const { return range_arg(b.data() + off, n, access); }
	void check(size_t off, size_t n, const char *what) const
	{
		CHECK_BYTES(b.data() + off, model.data() + off, n, what);
	}
	void check(const char *what) const { check(0, size(), what); }

	block b;
	std::vector<uint8_t> model;
};

void launch_add(runtime_fixture &fx, model_array &a, size_t off, size_t n, uint8_t value, het_event **e,
		runtime_fixture::options o);

// So many rounds of a launch on all of the array, after each of which the host does something.
template <class F> void rounds_of(runtime_fixture &fx, model_array &a, unsigned n, uint32_t flags, F host)
{
	for (unsigned i = 0; i < n; i++) {
		event_handle e;
		launch_add(fx, a, 0, a.size(), 1, e.out(), {.flags = flags});
		hear(fx, e, all_ways[i % std::size(all_ways)]);
		host();
	}
}

} // namespace selftest
