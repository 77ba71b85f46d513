// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/caches.h"
#include "micro/footprints.h"
#include "micro/segments.h"
#include "micro/tests.h"
#include "micro/walker.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace micro
{

namespace
{

using bench::format;

constexpr size_t least_spacing = 64, least_footprint = 2048, page = 4096;
constexpr unsigned least_groups = 8, most_groups = 64; // to tell by where their data lie

// Sizes grow with what the device says of its last cache, as what it says may be wrong.
size_t largest_footprint(const context &c)
{
	// A GPU's driver may tell of its first cache alone, or of none.
	const size_t least = c.dut.what().cpu ? (c.quick ? 32 << 20 : 64 << 20) : 256 << 20;
	const size_t wanted = std::max(4 * c.claimed_cache(), least);
	const size_t can = std::min({c.dut.what().largest, c.dut.what().memory / 4, c.most_bytes});
	return std::max<size_t>(least_footprint, std::min(wanted, can) / page * page);
}

// Measures what is needed to tell caches by. Rings have one place a line: where two loads go to one line, at different
// times, the second may find it, which smears the knees.
class cache_search
{
      public:
	explicit cache_search(context &c) : c_(c), most_(largest_footprint(c)), w_(c, most_) {}

	void run();

      private:
	double cost_of_pages(double span);
	bool is_tlb(const knee &k);
	curve rings(const std::string &name, size_t from, size_t to,
		    const std::function<ring(size_t x, random_stream &r)> &make);
	curve pairs(const std::string &level, size_t footprint);
	std::vector<owner> find_owners(const levels &l);
	void find_fetch(const levels &l, const std::vector<owner> &owners, size_t i, const std::string &level);
	void find_line(const levels &l, size_t i, const std::string &level);
	void find_memory(const levels &l);
	unsigned find_segments(const levels &l, size_t i, const std::string &level);

	context &c_;
	const size_t most_;
	walker w_;
	size_t spacing_ = least_spacing;
	curve curve_;
};

double between(const curve &c, double x)
{
	const auto above = std::find_if(c.begin(), c.end(), [&](const point &p) { return p.x >= x; });
	if (above == c.begin() || above == c.end())
		return above == c.end() ? c.back().median() : above->median();
	const point &a = *(above - 1), &b = *above;
	return a.median() + (b.median() - a.median()) * (x - a.x) / (b.x - a.x);
}

// Returns what loads on pages of their own take longer than as many loads in a row, over a span of memory. They use all
// sets of caches. (Where each went one line further into its page than the one before, those of a cache of 240 sets met
// in every tenth of them, and the next cache was taken for a TLB.)
double cache_search::cost_of_pages(double span)
{
	const size_t loads = size_t(span) / page;
	point p;
	w_.measure([&](random_stream &r) { return ring_of_pages(loads, page, spacing_, r); }, p);
	return p.samples.empty() ? 0 : p.median() - between(curve_, double(loads * spacing_));
}

// A knee is a TLB's if loads of one line a page show it at the same span; a cache would hold far more pages then.
bool cache_search::is_tlb(const knee &k)
{
	const double few = 0.6 * k.size, many = 1.6 * k.size;
	constexpr double least_pages = 8;
	if (few < least_pages * double(page) || many > double(most_))
		return false;
	return cost_of_pages(many) - cost_of_pages(few) > 0.5 * k.rise;
}

// Measures rings of several kinds, one for each x of a curve.
curve cache_search::rings(const std::string &name, size_t from, size_t to,
			  const std::function<ring(size_t x, random_stream &r)> &make)
{
	curve found;
	for (size_t x = from; x <= to; x *= 2) {
		c_.progress(name + ", " + bench::amount_text(x) + " apart");
		point at{double(x), {}};
		w_.begin_again();
		const figure f = w_.measure([&](random_stream &r) { return make(x, r); }, at);
		c_.out.add(format("%s/%zu", name.c_str(), x), "ns", f);
		if (f.there())
			found.push_back(std::move(at));
	}
	return found;
}

// Measures pairs of loads in blocks, at distances that grow, and the same loads that are not paired: how much is missed
// depends on the distance too. Returns what the second load of a pair takes, if the first takes what a single one does,
// or one of a ring of first loads alone: where both go to one line, single ones may find it, as they come at different
// times.
curve cache_search::pairs(const std::string &level, size_t footprint)
{
	constexpr size_t block = 512, least_apart = 8, most_apart = 256;
	const size_t whole = footprint / block * block;
	const curve paired = rings("fetch/" + level, least_apart, most_apart,
				   [&](size_t apart, random_stream &r) { return paired_ring(whole, block, apart, r); });
	const curve single = rings("single/" + level, least_apart, most_apart, [&](size_t apart, random_stream &r) {
		return unpaired_ring(whole, block, apart, r);
	});
	point first;
	w_.begin_again();
	w_.measure([&](random_stream &r) { return random_ring(whole, block, r); }, first);
	curve second;
	for (const point &p : paired) {
		const auto other =
			std::find_if(single.begin(), single.end(), [&](const point &q) { return q.x == p.x; });
		if (other == single.end())
			continue;
		// Each three lie at one place, so that how many of its lines share sets makes no difference.
		point of_second{p.x, {}};
		const size_t n = std::min({p.samples.size(), other->samples.size(), first.samples.size()});
		for (size_t i = 0; i < n; i++)
			of_second.samples.push_back(2 * p.samples[i] - std::max(first.samples[i], other->samples[i]));
		if (n > 0)
			second.push_back(std::move(of_second));
	}
	return second;
}

// Looks for what a miss of the cache of a knee brings.
void cache_search::find_fetch(const levels &l, const std::vector<owner> &owners, size_t i, const std::string &level)
{
	size_t behind = i + 1;
	while (behind < l.knees.size() && owners[behind] == owner::far_segments)
		behind++;
	// Pairs have one or two lines of a block of eight, so a cache may hold those of a footprint of eight times its
	// size.
	const double here = l.knees[i].size, next = behind < l.knees.size() ? l.knees[behind].size : 256 * here;
	const curve found = pairs(level, size_t(std::min(std::max(8 * here, std::sqrt(here * next)), double(most_))));
	const std::string name = level + ".fetch";
	const double hit = l.heights[i].height.median, missed = l.heights[behind].height.median;
	c_.out.add(
		fetch_fact(name, found, std::pow(hit, 0.7) * std::pow(missed, 0.3), std::sqrt(hit * missed), c_.seed),
		c_.claim(name));
}

// Looks for how much a line of that cache takes up, at a footprint that it holds two thirds of.
void cache_search::find_line(const levels &l, size_t i, const std::string &level)
{
	constexpr size_t most_block = 1024, apart = 16, most_places = 1 << 21;
	const size_t footprint = size_t(std::min(1.5 * l.knees[i].size, double(most_))) / most_block * most_block;
	const size_t least_block = std::max<size_t>(apart, std::bit_ceil(footprint / most_places));
	const curve found = rings("line/" + level, least_block, most_block, [&](size_t block, random_stream &r) {
		return sparse_ring(footprint, block, apart, r);
	});
	const std::string name = level + ".line";
	c_.out.add(line_fact(name, found, l.heights[i].height.median, c_.seed), c_.claim(name));
}

// Where the last cache goes on to serve some of all loads, they are had from places that it can't have.
void cache_search::find_memory(const levels &l)
{
	point cold{double(most_), {}};
	if (!l.heights.empty() && !l.heights.back().flat) {
		c_.progress("loads that no cache serves");
		const figure f =
			w_.measure_first_visits([&](random_stream &r) { return random_ring(most_, spacing_, r); },
						[this] { w_.put_cold(); }, cold);
		c_.out.add(format("latency/cold/%zu", most_), "ns", f);
		cold.samples = f.there() ? f.samples : bench::series(); // where the ring lies makes no difference
	}
	c_.out.add(memory_fact(curve_, l, cold), c_.claim("memory.latency"));
}

// Data that a group of another unit has brought into a cache lie in that unit's segment of it. Returns how many
// there are, or 1.
unsigned cache_search::find_segments(const levels &l, size_t i, const std::string &level)
{
	const unsigned units = c_.dut.what().units, n = std::min(units, most_groups);
	if (n < least_groups)
		return 1;
	const auto footprint = size_t(0.5 * std::min(l.knees[i].size, double(most_))) / page * page;
	const auto make = [&](random_stream &r) { return random_ring(footprint, spacing_, r); };
	curve found;
	// One placement of each is enough, as there are many.
	const unsigned placements = std::exchange(c_.placements, 1);
	for (unsigned k = 0; k < n; k++) {
		const unsigned group = unsigned(uint64_t{k} * units / n);
		c_.progress(format("what group %u has brought", group));
		point at{double(group), {}};
		const auto prepare = [&] {
			w_.put_cold();
			w_.fill(group, units);
		};
		const figure f = w_.measure_first_visits(make, prepare, at);
		c_.out.add(format("brought/%s/%u", level.c_str(), group), "ns", f);
		if (f.there())
			found.push_back(std::move(at));
	}
	c_.placements = placements;
	const fact f =
		segments_fact(level + ".segments", found, l.heights[i].height.median, l.heights[i + 1].height.median);
	c_.out.add(f, c_.claim(f.name));
	return f.is == verdict::found ? unsigned(f.value) : 1;
}

// Says of each knee whose it is. A cache of one unit alone shows nothing of what others bring, so segments are looked
// for from the second one on. Their far ones hold as much as the near one each, and a knee at that is no other cache.
std::vector<owner> cache_search::find_owners(const levels &l)
{
	constexpr double about = 1.35;
	std::vector<owner> all;
	unsigned level = 0, segments = 1;
	double all_segments = 0; // bytes
	for (size_t i = 0; i < l.knees.size(); i++) {
		const knee &k = l.knees[i];
		const bool far = segments > 1 && std::abs(std::log(k.size / all_segments)) < std::log(about);
		all.push_back(far ? owner::far_segments : is_tlb(k) ? owner::tlb : owner::cache);
		if (all.back() != owner::cache || ++level == 1 || k.disturbed || c_.dut.what().cpu || segments > 1)
			continue;
		segments = find_segments(l, i, format("l%u", level));
		all_segments = segments * k.size;
	}
	return all;
}

void cache_search::run()
{
	// Of several caches the last one counts, whose loads are nearest to those that find nothing.
	const curve second = pairs("all", most_);
	const double nothing = second.empty() ? 0 : second.back().median();
	const fact fetch = fetch_fact("fetch", second, 0.75 * nothing, 0.8 * nothing, c_.seed);
	if (fetch.is == verdict::found)
		spacing_ = std::max(least_spacing, size_t(fetch.value));
	curve_ = sweep_footprints(
		c_, "latency/global", {least_footprint, most_, spacing_, c_.quick ? 3u : 6u},
		[&](size_t footprint, point &p) {
			return w_.measure([&](random_stream &r) { return random_ring(footprint, spacing_, r); }, p);
		});
	const levels l = find_levels(curve_, c_.seed);
	const std::vector<owner> owners = find_owners(l);
	for (const fact &f : cache_facts(curve_, l, owners))
		c_.out.add(f, c_.claim(f.name));
	find_memory(l);
	unsigned level = 0;
	for (size_t i = 0; i < l.knees.size(); i++) {
		if (owners[i] != owner::cache)
			continue;
		level++;
		if (l.knees[i].disturbed)
			continue;
		find_fetch(l, owners, i, format("l%u", level));
		find_line(l, i, format("l%u", level));
	}
}

} // namespace

void test_latency(context &c)
{
	cache_search(c).run();
}

void test_local_latency(context &c)
{
	const size_t words = std::min(chase_local_words, c.dut.what().local_memory / sizeof(uint32_t));
	if (words == 0) {
		c.out.refuse("latency/local", "the device has no local memory", "nothing: there is none to measure");
		return;
	}
	random_stream random(c.seed, 2);
	memory buffer(c.dut, words * sizeof(uint32_t)), out(c.dut, sizeof(uint32_t));
	c.how.least_work = 256;
	for (size_t n : {words / 8, words / 2, words}) {
		const ring r = random_ring(n * sizeof(uint32_t), sizeof(uint32_t), random);
		c.dut.write(buffer.get(), 0, r.words().data(), n * sizeof(uint32_t));
		const figure f = c.per_unit([&](uint64_t steps) {
			const argument a[] = {buffer.get(), out.get(), int(r.order[0]), int(n), int(steps)};
			const double took = c.dut.run(chase_local, 1, 1, a);
			uint32_t end = 0;
			c.dut.read(out.get(), 0, &end, sizeof(end));
			if (end != r.after(steps))
				throw wrong_result("a walk in local memory ended at the wrong place");
			return took;
		});
		c.out.add(format("latency/local/%zu", n * sizeof(uint32_t)), "ns", f);
	}
}

} // namespace micro
