// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/tests/machine.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <vector>

namespace het::paths::test
{

double machine::rate_of(link l, uint64_t now, bool by_kernel) const
{
	return (l < 2 * most_gpus ? pcie : nvlink) *
	       std::max(by_kernel ? share_of_kernels : 0.001, 1 - others_(l, now));
}

uint64_t machine::carry(const route &r, size_t bytes, uint64_t now, bool by_kernel)
{
	for (unsigned i = 0; i < r.count; i++) {
		const link l = r.links[i];
		const bool at_switch = switched_ && l >= 2 * most_gpus;
		uint64_t &free_at = free_at_[at_switch ? peer_link((l - 2 * most_gpus) / most_gpus, 0) : l];
		uint64_t begins = std::max(now, free_at);
		while (!by_kernel && others_(l, begins) >= 2)
			begins += step;
		double swing = 1 + noise_ * (2 * double(random_() % 1000) / 999 - 1);
		free_at = begins + uint64_t(double(bytes) / rate_of(l, begins, by_kernel) * swing);
		now = free_at + latency;
	}
	return now;
}

uint64_t machine::copy(chooser &c, const journey &j, size_t bytes, uint64_t now)
{
	struct flight {
		uint64_t arrives;
		piece p;
	};
	const uint64_t begin = now;
	plan p = c.choose(bytes, under_way);
	estimate known[most_paths];
	for (unsigned path = 0; path < most_paths; path++)
		known[path] = c.known(path, bytes);
	splitter s({&bytes, 1}, p, j.gpu, known, now, j.d == direction::between ? between_gpus : to_and_from_host);
	std::deque<flight> flights[most_paths];
	std::vector<char> seen(bytes >> 16);
	bool twice = false;
	path_set used = 0;
	while (!s.is_done()) {
		for (unsigned turn = 0; turn < 2 * most_paths; turn++) {
			unsigned path = turn % most_paths;
			if (turn < most_paths && !(s.asked(now) & only(path)))
				continue;
			for (piece q = s.take(path, now); q.bytes; q = s.take(path, now)) {
				if (path == failing_ && !fails_after_--) {
					s.failed(path);
					flights[path].clear();
					c.drop(path);
					failing_ = most_paths;
					break;
				}
				flights[path].push_back(
					{carry(route_of(j, path), q.bytes, now, p.by_kernel & only(path)), q});
			}
		}
		auto *next = std::min_element(std::begin(flights), std::end(flights), [](auto &a, auto &b) {
			return !a.empty() && (b.empty() || a.front().arrives < b.front().arrives);
		});
		if (next->empty() && s.paths(now)) {
			now += step;
			continue;
		}
		if (next->empty()) {
			ADD_FAILURE() << "nothing is under way, and the copy is not done";
			return now;
		}
		now = next->front().arrives;
		uint64_t unsure = naps_ && random_() % 4 == 0 ? naps_ : 0;
		now += unsure;
		for (unsigned path = 0; path < most_paths; path++) {
			unsigned arrived = 0;
			for (auto &f = flights[path]; !f.empty() && f.front().arrives <= now;
			     f.pop_front(), arrived++) {
				const piece &q = f.front().p;
				carried[path] += q.bytes;
				used |= only(path);
				for (size_t at = q.offset >> 16; at < (q.offset + q.bytes) >> 16; at++)
					twice |= seen[at]++;
			}
			if (arrived)
				s.arrived(path, arrived, now, unsure);
		}
	}
	EXPECT_FALSE(twice);
	EXPECT_FALSE(memchr(seen.data(), 0, seen.size()));
	for (unsigned path = 0; path < most_paths; path++) {
		const bool by_kernel = p.by_kernel & only(path);
		c.learn(path, bytes, s.carried(path), s.known(path), by_kernel);
		if (s.carried(path)) {
			c.held_up(path, s.waited_for(path), now - begin);
			c.stalled(path, by_kernel ? 0 : s.stall(path));
		}
	}
	c.passed(bytes, now - begin, used);
	return now;
}

} // namespace het::paths::test
