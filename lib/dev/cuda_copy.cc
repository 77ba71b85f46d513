// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_copy.h"

#include "os/clock.h"

#include <algorithm>
#include <sched.h>

namespace het
{

namespace
{

// So often nothing may have arrived before others get the processor: about what a piece takes.
constexpr unsigned patience = 2000;
// A link that is to be tried has stopped if nothing passes for so long; and that something has passed counts so long.
constexpr uint64_t stopped_ns = 30'000, fresh_ns = 20'000;

class bulk_copy
{
      public:
	bulk_copy(paths::splitter &s, std::span<const cuda_part> parts, std::span<const size_t> ends, unsigned direct,
		  port_lender &lender)
	    : splitter_(s), parts_(parts), ends_(ends), direct_(direct), lender_(lender)
	{
	}

	int run()
	{
		for (unsigned idle = 0; !error_ && !splitter_.is_done();) {
			give();
			idle = !error_ && look() ? 0 : idle + 1;
			if (idle > patience)
				sched_yield();
			else if (idle)
				cpu_pause();
		}
		for (unsigned path = 0; path < paths::most_paths && error_; path++) {
			if (carriers_[path])
				carriers_[path]->drain();
		}
		return error_;
	}

      private:
	void give()
	{
		uint64_t now = now_ns();
		give_to(splitter_.asked(now), now);
		give_to(splitter_.paths(now), now);
	}

	void give_to(paths::path_set these, uint64_t now)
	{
		for (unsigned path = 0; these >> path && !error_; path++) {
			if (!(these & paths::only(path)))
				continue;
			if (!carriers_[path] && !(carriers_[path] = lender_.borrow(path))) {
				splitter_.failed(path);
				continue;
			}
			bool rests = path != direct_ && !lender_.is_free(path);
			splitter_.rests(path, rests);
			if (rests || !is_link_free(path, now))
				continue;
			for (paths::piece p = splitter_.take(path, now); p.bytes; p = splitter_.take(path, now)) {
				if (int err = start(path, p)) {
					failed(path, err);
					break;
				}
				if (splitter_.under_way(path) == 1)
					looked_[path] = now;
			}
		}
	}

	// What was given to a link that has stopped can't be taken back. So where that has happened the link is tried
	// first, and as long as nothing passes the path rests.
	bool is_link_free(unsigned path, uint64_t now)
	{
		if (!splitter_.is_cautious(path) || splitter_.under_way(path) || now < free_until_[path])
			return true;
		const int err = carriers_[path]->try_link();
		if (!err)
			free_until_[path] = now + fresh_ns;
		else if (err != cu_error_not_ready)
			failed(path, err);
		if (!tried_[path])
			tried_[path] = now;
		splitter_.rests(path, err && now > tried_[path] + stopped_ns);
		if (!err)
			tried_[path] = 0;
		return !err;
	}

	int start(unsigned path, const paths::piece &p)
	{
		auto part = size_t(std::upper_bound(ends_.begin(), ends_.end(), p.offset) - ends_.begin());
		const size_t at = p.offset - (part ? ends_[part - 1] : 0);
		return carriers_[path]->start(parts_[part].to + at, parts_[part].from + at, p.bytes);
	}

	// A thread that was away for a while finds more than one piece of a path.
	bool look()
	{
		bool any = false;
		for (unsigned path = 0; path < paths::most_paths && !error_; path++) {
			const unsigned under_way = splitter_.under_way(path);
			if (!under_way)
				continue;
			unsigned arrived = 0;
			int err = carriers_[path]->look();
			for (; !err; err = arrived < under_way ? carriers_[path]->look() : int(cu_error_not_ready)) {
				carriers_[path]->next();
				arrived++;
			}
			const uint64_t now = now_ns(), before = looked_[path];
			looked_[path] = now;
			if (arrived)
				take_in(path, arrived, now, now - before);
			if (err != cu_error_not_ready)
				failed(path, err);
			any |= arrived || err != cu_error_not_ready;
		}
		return any;
	}

	void take_in(unsigned path, unsigned pieces, uint64_t now, uint64_t unsure)
	{
		size_t before = splitter_.carried(path);
		splitter_.arrived(path, pieces, now, unsure);
		lender_.arrived(path, splitter_.carried(path) - before);
	}

	void failed(unsigned path, int err)
	{
		carriers_[path]->drain();
		splitter_.failed(path);
		if (path == direct_)
			error_ = err;
		else
			lender_.failed(path, err);
	}

	paths::splitter &splitter_;
	const std::span<const cuda_part> parts_;
	const std::span<const size_t> ends_;
	const unsigned direct_;
	port_lender &lender_;
	cuda_carrier *carriers_[paths::most_paths] = {};
	uint64_t looked_[paths::most_paths] = {}; // when pieces of the path were asked for last, or given
	uint64_t tried_[paths::most_paths] = {};  // since when the link is tried in vain, or 0
	uint64_t free_until_[paths::most_paths] = {};
	int error_ = 0;
};

} // namespace

int copy_over_paths(paths::splitter &s, std::span<const cuda_part> parts, std::span<const size_t> ends, unsigned direct,
		    port_lender &lender)
{
	return bulk_copy(s, parts, ends, direct, lender).run();
}

} // namespace het
