// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Cuts one copy into pieces, which its paths come for: so each carries as much as it can, whatever was expected of it.
// A path is left out where the others should be done with everything before it is with one piece more. This is pure.
//
// The bytes of a copy have offsets; a copy of several parts says where they end, and no piece crosses an end.
#pragma once

#include "paths/chooser.h"

#include <algorithm>
#include <span>

namespace het::paths
{

struct piece {
	size_t offset = 0, bytes = 0; // no bytes: there is none
};

// The largest pieces of the direct path: beside others, where it is alone, and where relays rest, as long as there is
// twice as much. A piece should take about as long on any link.
struct piece_sizes {
	size_t shared, alone, resting;
};
inline constexpr piece_sizes to_and_from_host{4 << 20, 8 << 20, 32 << 20}, between_gpus{32 << 20, 256 << 20, 256 << 20};

class splitter
{
      public:
	// So many pieces may be under way on a path, and no more are given to one that has so many bytes: that is
	// enough to keep it busy, and others can still take the rest if it turns slow.
	// Where the direct path is alone its pieces are larger, since an engine pauses for some µs between two.
	static constexpr unsigned depth = 4;
	static constexpr size_t least_piece = 512 << 10, most_relayed = 4 << 20;
	// A relay begins with smaller ones. Whose link it takes may begin a copy of its own just then, which has to
	// wait for them.
	static constexpr size_t first_relayed = 1 << 20;
	// Kernels are for links that others fill, where nobody knows how long a piece will take.
	static constexpr size_t most_by_kernel = 2 << 20;
	static_assert(most_by_kernel <= most_relayed, "relays may carry what was taken back");
	static constexpr size_t pieces_under_way = 2; // of the largest

	// @ends rise; the last one is the size of the copy. @direct is the path that is left if all others fail.
	splitter(std::span<const size_t> ends, const plan &p, unsigned direct, const estimate (&known)[most_paths],
		 uint64_t now_ns, const piece_sizes &sizes = to_and_from_host);

	// Returns the paths that may carry something, as long as there is something to carry.
	path_set paths(uint64_t now_ns) const;
	// Of those, these are to be served first: carriers would leave them nothing of a small copy.
	path_set asked(uint64_t now_ns) const { return paths(now_ns) & path_set(~(carriers_ | awake())); }
	bool is_done() const { return arrived_ == ends_.back(); }
	unsigned under_way(unsigned path) const { return flights_[path].count; }
	size_t carried(unsigned path) const { return flights_[path].carried; }
	const estimate &known(unsigned path) const { return known_[path]; }
	// Returns the longest that a piece of the path surely took beyond what was expected of it, in ns.
	uint64_t stall(unsigned path) const { return flights_[path].stall; }
	// Returns how long the copy, which is done, has waited for this path alone.
	uint64_t waited_for(unsigned path) const;

	// The path takes nothing for now, or may again.
	void rests(unsigned path, bool now)
	{
		resting_ = now ? path_set(resting_ | only(path)) : path_set(resting_ & ~only(path));
	}

	// Returns what the path takes next. It must have room.
	piece take(unsigned path, uint64_t now_ns);
	// The oldest pieces of the path have arrived: who looks @unsure_ns after it has looked before does not know
	// when. What is not known well enough teaches nothing.
	void arrived(unsigned path, unsigned pieces, uint64_t now_ns, uint64_t unsure_ns);
	// The oldest piece of the path should have arrived long ago.
	bool is_overdue(unsigned path, uint64_t now_ns) const;
	// Since when the oldest piece of the path, of which there is one, has been the next to arrive.
	uint64_t waits_since(unsigned path) const
	{
		const flights &f = flights_[path];
		return std::max(f.pieces[f.first].given, f.last_arrival);
	}
	// What is under way on the path is lost, and goes again by others. The direct path stays.
	void failed(unsigned path);
	// It goes again, also by this one.
	void taken_back(unsigned path);

      private:
	struct flight {
		piece p;
		uint64_t given;
		bool alone; // nothing was before it
	};
	struct flights {
		flight pieces[depth];
		unsigned first = 0, count = 0;
		size_t bytes = 0, carried = 0;
		uint64_t last_arrival = 0, stall = 0;
		bool is_sure = true; // when that was
	};

	void learn(unsigned path, size_t bytes, unsigned pieces, uint64_t now_ns, bool sure);

	// Returns who carries now: where all rest it is the direct path, or two copies might wait for each other.
	path_set awake() const
	{
		auto these = path_set(carriers_ & ~resting_);
		return these ? these : only(direct_);
	}
	double end_on(unsigned path, size_t more) const;
	double end_without(unsigned path, uint64_t now_ns) const;
	size_t worth(unsigned path, uint64_t now_ns) const;
	bool is_far_better(unsigned path, uint64_t now_ns) const;
	bool is_last_resort(unsigned path, uint64_t now_ns) const;
	size_t most(unsigned path) const;
	size_t even_piece(unsigned path) const;
	bool is_left_alone(unsigned path) const;
	bool has_enough(unsigned path) const;
	piece cut(size_t bytes);

	const std::span<const size_t> ends_;
	path_set carriers_, asked_, spare_, by_kernel_, resting_ = 0;
	const unsigned direct_;
	const size_t question_;
	const piece_sizes sizes_;
	estimate known_[most_paths];
	flights flights_[most_paths];
	piece again_[depth * most_paths];
	unsigned again_count_ = 0;
	size_t left_ = 0; // bytes that nobody has taken
	size_t next_ = 0; // where the next piece begins
	size_t part_ = 0; // in which part that is
	size_t arrived_ = 0, under_way_ = 0;
	double late_[most_paths] = {}; // from this time on a spare path is asked
};

} // namespace het::paths
