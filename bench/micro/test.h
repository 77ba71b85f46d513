// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A test measures one thing of a device by sweeps, and says what it infers from them.
#pragma once

#include "micro/measure.h"
#include "micro/random.h"
#include "micro/recorder.h"
#include "micro/target.h"

#include <algorithm>
#include <functional>
#include <span>
#include <string>

namespace micro
{

struct context {
	target &dut;
	recorder &out;
	rules how;
	bool quick = false;
	bool rates_only = false; // the highest ones, and not what they depend on
	unsigned placements = 3; // how often a sweep over memory is repeated at other places
	uint64_t seed = 1;
	size_t most_bytes = size_t{1} << 40; // of a buffer
	size_t most_threads = 1 << 20;
	std::function<void(const std::string &)> progress = [](const std::string &) {};

	figure per_unit(const timed_work &run) const
	{
		return micro::per_unit(run, how, [this] { return dut.now(); });
	}
	// As many threads as keep all units busy, in groups that are there on any device.
	uint32_t busy_threads() const
	{
		const traits &w = dut.what();
		return uint32_t(std::min<size_t>(most_threads, size_t{w.units} * (w.cpu ? 256 : 2048)));
	}
	// Returns the size of the largest cache that the device tells of, or 0.
	size_t claimed_cache() const
	{
		size_t largest = 0;
		for (const auto &[name, value] : dut.what().claims.items())
			if (name.ends_with(".size") && value.is_number())
				largest = std::max(largest, value.get<size_t>());
		return largest;
	}
	const json &claim(const std::string &fact) const { return dut.what().claims[fact]; }
};

struct test {
	const char *name;
	const char *what; // one line
	void (*run)(context &c);
};

// They stand in the order in which they are run: later ones use facts that earlier ones have found.
std::span<const test> all_tests();

// Throws this where a kernel's result is not what it must be.
struct wrong_result : std::runtime_error {
	using runtime_error::runtime_error;
};

} // namespace micro
