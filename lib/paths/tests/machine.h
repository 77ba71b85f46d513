// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Simulates GPUs whose links have rates, serve in order and carry the load of others, for tests of who takes which
// path.
#pragma once

#include "paths/chooser.h"
#include "paths/splitter.h"

#include <functional>
#include <random>
#include <span>

namespace het::paths::test
{

class machine
{
      public:
	// Returns which share of a link others use at a time. A link of which they use 2 or more serves no copy engine
	// of ours then.
	using load = std::function<double(link, uint64_t ns)>;

	explicit machine(
		load others = [](link, uint64_t) { return 0.0; }, double noise = 0)
	    : others_(std::move(others)), noise_(noise)
	{
	}

	// A piece is given at @now; returns when it arrives. Each link forwards what it has got whole.
	uint64_t carry(const route &r, size_t bytes, uint64_t now, bool by_kernel = false);
	// Makes the copy, and returns when it ends. Whoever fails does so with its n-th piece.
	uint64_t copy(chooser &c, const journey &j, size_t bytes, uint64_t now);
	// Makes several, and returns when the last one ends. Who has a copy of its own the same way carries no other's.
	struct job {
		chooser &of;
		journey way;
		size_t bytes;
		uint64_t begin;
	};
	uint64_t copy_at_once(std::span<const job> jobs);

	void fail(unsigned path, unsigned after)
	{
		failing_ = path;
		fails_after_ = after;
	}

	// All links from a GPU to others share its port to a switch.
	void join_by_switch() { switched_ = true; }

	// The copy engine of a PCIe link does nothing for so long behind each piece.
	void pause(uint64_t ns) { pauses_ = ns; }

	// The thread that copies is away now and then, so long.
	void nap(uint64_t ns) { naps_ = ns; }

	size_t carried[most_paths] = {};
	traffic under_way;

      private:
	class copying;

	double rate_of(link l, uint64_t now, bool by_kernel) const;

	static constexpr double pcie = 55, nvlink = 390; // bytes a ns
	static constexpr double share_of_kernels = 0.4;  // at least, of a link that others fill
	static constexpr uint64_t latency = 8000, step = 10'000;
	load others_;
	double noise_;
	uint64_t naps_ = 0, pauses_ = 0;
	bool switched_ = false;
	std::minstd_rand random_{1};
	uint64_t free_at_[most_links] = {};
	unsigned failing_ = most_paths, fails_after_ = 0;
};

} // namespace het::paths::test
