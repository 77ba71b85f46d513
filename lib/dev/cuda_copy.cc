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

class bulk_copy
{
      public:
	bulk_copy(paths::splitter &s, std::span<const cuda_part> parts, std::span<const size_t> ends, unsigned direct,
		  port_lender &lender, uint64_t patience_ns)
	    : splitter_(s), parts_(parts), ends_(ends), direct_(direct), lender_(lender), patience_ns_(patience_ns)
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
			if (rests)
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
			else if (!arrived)
				look_whether_begun(path, now);
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

	// Who is to begin may have no room for it.
	void look_whether_begun(unsigned path, uint64_t now)
	{
		if (now < splitter_.waits_since(path) + patience_ns_ || carriers_[path]->has_begun())
			return;
		carriers_[path]->take_back();
		go_on_with(lender_.instead(path, 0), path);
	}

	void go_on_with(cuda_carrier *other, unsigned path)
	{
		splitter_.taken_back(path);
		carriers_[path] = other;
	}

	void failed(unsigned path, int err)
	{
		carriers_[path]->drain();
		if (cuda_carrier *other = lender_.instead(path, err)) {
			go_on_with(other, path);
			return;
		}
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
	const uint64_t patience_ns_;
	cuda_carrier *carriers_[paths::most_paths] = {};
	uint64_t looked_[paths::most_paths] = {}; // when pieces of the path were asked for last, or given
	int error_ = 0;
};

} // namespace

int copy_over_paths(paths::splitter &s, std::span<const cuda_part> parts, std::span<const size_t> ends, unsigned direct,
		    port_lender &lender, uint64_t patience_ns)
{
	return bulk_copy(s, parts, ends, direct, lender, patience_ns).run();
}

} // namespace het
