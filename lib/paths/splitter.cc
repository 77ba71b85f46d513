// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "paths/splitter.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace het::paths
{

namespace
{

constexpr size_t piece_grain = 64 << 10;
// A piece is overdue after so many times what was expected, and so much more.
constexpr double overdue = 4, overdue_ns = 100'000;
constexpr double far_better = 2;
// Time that is not known must be so small a part of what it tells of.
constexpr uint64_t sureness = 3;
// A copy is late after so many times what was expected.
constexpr double late = 1.5;

} // namespace

splitter::splitter(std::span<const size_t> ends, const plan &p, unsigned direct, const estimate (&known)[most_paths],
		   uint64_t now_ns, const piece_sizes &sizes)
    : ends_(ends), carriers_(p.carriers), asked_(path_set(p.asked & ~p.carriers)), spare_(p.spare),
      by_kernel_(p.by_kernel), direct_(direct), question_(p.question), sizes_(sizes), left_(ends.back())
{
	std::copy(known, known + most_paths, known_);
	// A carrier that is worth no piece would only make the others' pieces small. It may be asked as well.
	path_set idle = 0;
	for (unsigned path = 0; question_ && path < most_paths; path++) {
		if ((carriers_ & only(path)) && !worth(path, 0))
			idle |= only(path);
	}
	asked_ |= p.asked & idle;
	spare_ |= idle & path_set(~asked_);
	carriers_ &= path_set(~(asked_ | spare_));
	if (!carriers_)
		carriers_ = only(direct);
	asked_ &= path_set(~carriers_);
	const double expected = late * end_without(most_paths, now_ns);
	for (unsigned path = 0; path < most_paths; path++) {
		double answer = known_[path].known() ? known_[path].ns_for(question_) : 0;
		late_[path] = double(now_ns) + overdue_ns + std::max(expected, answer);
	}
}

path_set splitter::paths(uint64_t now_ns) const
{
	if (!left_)
		return 0;
	path_set these = carriers_ | asked_ | awake();
	for (unsigned path = 0; spare_ >> path; path++) {
		if ((spare_ & only(path)) && double(now_ns) > late_[path])
			these |= only(path);
	}
	return these;
}

// Returns when the path has carried what it has, and so much more, in ns from now.
double splitter::end_on(unsigned path, size_t more) const
{
	const flights &f = flights_[path];
	return (f.count ? 0 : known_[path].start()) + double(f.bytes + more) / known_[path].rate();
}

bool splitter::is_overdue(unsigned path, uint64_t now_ns) const
{
	const flights &f = flights_[path];
	if (!f.count || !known_[path].known())
		return false;
	const flight &oldest = f.pieces[f.first];
	uint64_t since = std::max(oldest.given, f.last_arrival);
	return double(now_ns) > double(since) + overdue_ns + overdue * known_[path].ns_for(oldest.p.bytes);
}

// Returns when the other paths could have carried all that is left.
double splitter::end_without(unsigned path, uint64_t now_ns) const
{
	double rate = 0, bytes = double(left_), begins = std::numeric_limits<double>::infinity();
	for (unsigned other = 0; other < most_paths; other++) {
		if (other == path || !(awake() & ~resting_ & only(other)) || !known_[other].known() ||
		    is_overdue(other, now_ns))
			continue;
		rate += known_[other].rate();
		bytes += double(flights_[other].bytes);
		begins = std::min(begins, flights_[other].count ? 0 : known_[other].start());
	}
	return rate > 0 ? begins + bytes / rate : std::numeric_limits<double>::infinity();
}

// Who is left alone loses nothing by larger pieces, as long as its link is free, and most where relays could not help.
// Others who may come need small ones, to take the rest where the link turns slow.
size_t splitter::most(unsigned path) const
{
	bool is_alone = path == direct_ && !(awake() & path_set(~only(path)));
	bool is_free = known_[path].known() && !known_[path].is_congested();
	if (by_kernel_ & only(path))
		return most_by_kernel;
	if (path != direct_)
		return flights_[path].carried ? most_relayed : first_relayed;
	return !is_alone                ? sizes_.shared
	       : resting_ & ~only(path) ? sizes_.resting
	       : is_free                ? sizes_.alone
					: sizes_.shared;
}

// It is the direct path, and all others rest.
bool splitter::is_left_alone(unsigned path) const
{
	return path == direct_ && !(by_kernel_ & only(path)) && !(awake() & path_set(~only(path))) &&
	       (resting_ & path_set(~only(path)));
}

// Pieces shrink towards the end, so that all paths end together. So they do where the others rest: when these wake,
// since the peers' own copies are over, there should be something left for them.
size_t splitter::even_piece(unsigned path) const
{
	if (is_left_alone(path))
		return std::min(left_, std::clamp(left_ / 2 / piece_grain * piece_grain, sizes_.alone, sizes_.resting));
	auto paths = size_t(std::max(1, std::popcount(awake())));
	size_t even = paths == 1 ? most(path) : left_ / (2 * paths) / piece_grain * piece_grain;
	return std::min(left_, std::clamp(even, least_piece, most(path)));
}

// Returns what the path can carry while the others carry the rest: at most a piece, and 0 if that is less than the
// least one.
size_t splitter::worth(unsigned path, uint64_t now_ns) const
{
	size_t even = even_piece(path), least = std::min(left_, least_piece);
	double end = end_without(path, now_ns);
	if (!known_[path].known() || end_on(path, even) <= end)
		return even;
	double more = (end - end_on(path, 0)) * known_[path].rate();
	return more < double(least) ? 0 : std::max(least, size_t(more) / piece_grain * piece_grain);
}

// Nothing is under way, and nobody wants the next piece.
bool splitter::is_last_resort(unsigned path, uint64_t now_ns) const
{
	if (under_way_)
		return false;
	for (unsigned other = 0; other < most_paths; other++) {
		if (other != path && (awake() & only(other)) && worth(other, now_ns))
			return false;
	}
	return true;
}

// Pieces that were lost come first. They are cut already.
piece splitter::cut(size_t bytes)
{
	piece p;
	if (again_count_) {
		p = again_[--again_count_];
	} else {
		while (next_ == ends_[part_])
			part_++;
		p = {next_, std::min(bytes, ends_[part_] - next_)};
		next_ += p.bytes;
	}
	left_ -= p.bytes;
	return p;
}

bool splitter::has_enough(unsigned path) const
{
	const flights &f = flights_[path];
	return f.count == depth || f.bytes >= pieces_under_way * most(path) ||
	       (is_left_alone(path) && f.count >= pieces_under_way);
}

piece splitter::take(unsigned path, uint64_t now_ns)
{
	if (!left_ || !(paths(now_ns) & only(path)) || has_enough(path))
		return {};
	size_t bytes = worth(path, now_ns);
	if ((asked_ | spare_) & only(path)) {
		asked_ &= path_set(~only(path));
		spare_ &= path_set(~only(path));
		bytes = std::min(left_, question_);
	} else if (!bytes) {
		if (!is_last_resort(path, now_ns))
			return {};
		bytes = even_piece(path);
	}
	flights &f = flights_[path];
	flight &next = f.pieces[(f.first + f.count) % depth];
	next = {cut(bytes), now_ns, f.count == 0};
	f.count++;
	f.bytes += next.p.bytes;
	under_way_++;
	return next.p;
}

// The pieces came since the last one, or since they were given.
void splitter::learn(unsigned path, size_t bytes, unsigned pieces, uint64_t now_ns, bool sure)
{
	const flights &f = flights_[path];
	const flight &oldest = f.pieces[f.first];
	if (oldest.alone && pieces == 1 && (sure || !known_[path].known()))
		known_[path].saw_first(bytes, now_ns - oldest.given);
	else if (!oldest.alone && sure && f.is_sure)
		known_[path].saw_next(bytes, now_ns - f.last_arrival);
}

void splitter::arrived(unsigned path, unsigned pieces, uint64_t now_ns, uint64_t unsure_ns)
{
	flights &f = flights_[path];
	const flight &oldest = f.pieces[f.first];
	size_t bytes = 0;
	for (unsigned i = 0; i < pieces; i++)
		bytes += f.pieces[(f.first + i) % depth].p.bytes;
	uint64_t since = oldest.alone ? oldest.given : f.last_arrival;
	const double expected = known_[path].known() ? known_[path].ns_for(bytes) : double(now_ns - since);
	f.stall = std::max(f.stall, uint64_t(std::max(0.0, double(now_ns - since) - double(unsure_ns) - expected)));
	bool sure = sureness * unsure_ns < now_ns - since;
	learn(path, bytes, pieces, now_ns, sure);
	f.last_arrival = now_ns;
	f.is_sure = sure;
	f.bytes -= bytes;
	f.carried += bytes;
	arrived_ += bytes;
	f.first = (f.first + pieces) % depth;
	f.count -= pieces;
	under_way_ -= pieces;
	if (!(carriers_ & only(path)) && is_far_better(path, now_ns))
		carriers_ |= only(path);
}

uint64_t splitter::waited_for(unsigned path) const
{
	uint64_t others = 0;
	for (unsigned other = 0; other < most_paths; other++) {
		if (other != path)
			others = std::max(others, flights_[other].last_arrival);
	}
	const uint64_t last = flights_[path].last_arrival;
	return others && last > others ? last - others : 0;
}

// DLL's rule within a copy: a path that was only asked, and has answered, joins where it alone would be done in a
// fraction of the time that the others need.
bool splitter::is_far_better(unsigned path, uint64_t now_ns) const
{
	return left_ && far_better * end_on(path, left_) < end_without(path, now_ns);
}

void splitter::taken_back(unsigned path)
{
	flights &f = flights_[path];
	for (; f.count; f.count--, under_way_--) {
		const piece &lost = f.pieces[f.first].p;
		again_[again_count_++] = lost;
		left_ += lost.bytes;
		f.first = (f.first + 1) % depth;
	}
	f.bytes = 0;
}

void splitter::failed(unsigned path)
{
	taken_back(path);
	asked_ &= path_set(~only(path));
	spare_ &= path_set(~only(path));
	if (path != direct_)
		carriers_ &= path_set(~only(path));
	if (!carriers_)
		carriers_ = only(direct_);
}

} // namespace het::paths
