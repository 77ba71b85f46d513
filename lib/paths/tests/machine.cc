// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/tests/machine.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
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
		free_at += l < 2 * most_gpus && !by_kernel ? pauses_ : 0;
		now = free_at + latency;
	}
	return now;
}

// One copy, which asks for its pieces' ends all the time, as a thread does.
class machine::copying
{
      public:
	copying(machine &m, const job &j)
	    : machine_(m), job_(j), known_(j.of, j.bytes), plan_(j.of.choose(j.bytes, m.under_way)),
	      splitter_({&job_.bytes, 1}, plan_, j.way.gpu, known_.all, j.begin,
			j.way.d == direction::between ? between_gpus : to_and_from_host),
	      seen_(j.bytes >> 16)
	{
	}

	const journey &way() const { return job_.way; }
	bool is_done() const { return splitter_.is_done(); }
	void rests(unsigned path, bool now)
	{
		resting_ = path_set(now ? resting_ | only(path) : resting_ & ~only(path));
		splitter_.rests(path, now);
	}

	// Has the paths take what they may.
	void give(uint64_t now)
	{
		for (unsigned turn = 0; turn < 2 * most_paths; turn++) {
			unsigned path = turn % most_paths;
			if ((turn < most_paths && !(splitter_.asked(now) & only(path))) || (resting_ & only(path)))
				continue;
			for (piece q = splitter_.take(path, now); q.bytes; q = splitter_.take(path, now)) {
				if (path == machine_.failing_ && !machine_.fails_after_--) {
					fail(path);
					break;
				}
				flights_[path].push_back({machine_.carry(route_of(job_.way, path), q.bytes, now,
									 plan_.by_kernel & only(path)),
							  q});
			}
		}
	}

	// Returns when something arrives, or when to look again whether a path takes something; nothing if neither is
	// to come.
	std::optional<uint64_t> next(uint64_t now) const
	{
		auto *first = std::min_element(std::begin(flights_), std::end(flights_), [](auto &a, auto &b) {
			return !a.empty() && (b.empty() || a.front().arrives < b.front().arrives);
		});
		if (!first->empty())
			return first->front().arrives;
		return splitter_.paths(now) ? std::optional(now + step) : std::nullopt;
	}

	// Takes in what has arrived until then. The thread has been away so long.
	void look(uint64_t now, uint64_t unsure)
	{
		for (unsigned path = 0; path < most_paths; path++) {
			unsigned arrived = 0;
			for (auto &f = flights_[path]; !f.empty() && f.front().arrives <= now;
			     f.pop_front(), arrived++) {
				const piece &q = f.front().p;
				machine_.carried[path] += q.bytes;
				used_ |= only(path);
				for (size_t at = q.offset >> 16; at < (q.offset + q.bytes) >> 16; at++)
					twice_ |= seen_[at]++;
			}
			if (arrived)
				splitter_.arrived(path, arrived, now, unsure);
		}
	}

	void end(uint64_t now)
	{
		EXPECT_FALSE(twice_);
		EXPECT_FALSE(memchr(seen_.data(), 0, seen_.size()));
		const uint64_t took = now - job_.begin;
		for (unsigned path = 0; path < most_paths; path++) {
			const bool by_kernel = plan_.by_kernel & only(path);
			const size_t carried = splitter_.carried(path);
			job_.of.learn(path, job_.bytes, carried, splitter_.known(path), by_kernel);
			if (carried) {
				job_.of.held_up(path, splitter_.waited_for(path), took);
				job_.of.stalled(path, by_kernel ? 0 : splitter_.stall(path));
			}
		}
		job_.of.passed(job_.bytes, took, used_);
	}

      private:
	struct flight {
		uint64_t arrives;
		piece p;
	};
	struct estimates {
		estimate all[most_paths];
		estimates(const chooser &c, size_t bytes)
		{
			for (unsigned path = 0; path < most_paths; path++)
				all[path] = c.known(path, bytes);
		}
	};

	void fail(unsigned path)
	{
		splitter_.failed(path);
		flights_[path].clear();
		job_.of.drop(path);
		machine_.failing_ = most_paths;
	}

	machine &machine_;
	const job job_;
	estimates known_;
	plan plan_;
	splitter splitter_;
	std::deque<flight> flights_[most_paths];
	std::vector<char> seen_;
	bool twice_ = false;
	path_set used_ = 0, resting_ = 0;
};

uint64_t machine::copy(chooser &c, const journey &j, size_t bytes, uint64_t now)
{
	const job one[] = {{c, j, bytes, now}};
	return copy_at_once(one);
}

uint64_t machine::copy_at_once(std::span<const job> jobs)
{
	std::vector<std::unique_ptr<copying>> copies(jobs.size());
	uint64_t now = 0, end = 0;
	for (unsigned ended = 0; ended < jobs.size();) {
		size_t which = 0;
		uint64_t next = UINT64_MAX;
		for (size_t i = 0; i < jobs.size(); i++) {
			if (copies[i] && copies[i]->is_done())
				continue;
			const auto event = copies[i] ? copies[i]->next(now) : jobs[i].begin;
			if (event && *event < next)
				next = *event, which = i;
		}
		if (next == UINT64_MAX) {
			ADD_FAILURE() << "nothing is under way, and a copy is not done";
			return now;
		}
		now = next;
		if (!copies[which]) {
			copies[which] = std::make_unique<copying>(*this, jobs[which]);
		} else {
			const uint64_t unsure = naps_ && random_() % 4 == 0 ? naps_ : 0;
			now += unsure;
			copies[which]->look(now, unsure);
		}
		if (copies[which]->is_done()) {
			copies[which]->end(now);
			end = now;
			ended++;
		}
		for (auto &c : copies) {
			if (!c || c->is_done())
				continue;
			for (auto &other : copies) {
				if (other && other != c && other->way().d == c->way().d)
					c->rests(other->way().gpu, !other->is_done());
			}
			c->give(now);
		}
	}
	return end;
}

} // namespace het::paths::test
