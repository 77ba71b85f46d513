// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/walker.h"

#include "common/format.h"
#include "micro/patterns.h"
#include "micro/texture.h"

#include <algorithm>
#include <bit>

namespace micro
{

namespace
{

constexpr size_t page = 4096, least_line = 64;
// A launch of a GPU begins with an empty L1, and this is more than any has in lines. A processor loses nothing. Where a
// ring has many times as many places, an L1 that is full serves no more of them than one that is empty.
constexpr size_t most_warm = 8192, warm_matters = 8 * most_warm;
constexpr size_t most_walked = 1 << 19;
constexpr size_t most_helpers = 1 << 14; // threads

// Where a ring's pages lie is a matter of chance: if that matters, more places tell more.
bool worth_more_places(const point &p)
{
	const auto [least, most] = std::minmax_element(p.samples.begin(), p.samples.end());
	constexpr double much = 1.08, most_bytes = 4 << 20; // a larger ring takes long
	return p.x <= most_bytes && *most > much * *least;
}

} // namespace

walker::walker(context &c, size_t most, bool textured)
    : c_(c), most_(most), helpers_(uint32_t(std::min(most_helpers, c.most_threads))), buffer_(c.dut, most),
      out_(c.dut, sizeof(uint32_t)), texture_(textured ? std::make_unique<texture>(c.dut, buffer_, most) : nullptr),
      random_(c.seed, 1), places_(c.seed, 33)
{
	c_.how.least_work = 256;
}

void walker::take(ring r)
{
	ring_ = std::move(r);
	const size_t bytes = ring_.order.size() * sizeof(uint32_t);
	if (bytes > order_bytes_) {
		order_.reset();
		order_ = std::make_unique<memory>(c_.dut, bytes);
		order_bytes_ = bytes;
	}
	c_.dut.write(order_->get(), 0, ring_.order.data(), bytes);
}

void walker::link()
{
	base_ = places_.below(uint32_t((most_ - ring_.bytes) / page + 1)) * uint32_t(page / sizeof(uint32_t));
	const argument a[] = {buffer_.get(), order_->get(), int(ring_.order.size()), int(base_), int(helpers_)};
	c_.dut.run(texture_ ? chase_link : chase_link_global, helpers_, 64, a);
	at_ = 0;
}

void walker::put()
{
	link();
	fill();
}

// Reads of twice as much as the largest ring has leave none of it in a cache that the ring outgrows.
void walker::put_cold()
{
	link();
	const size_t bytes = std::bit_ceil(2 * most_);
	const auto step = uint32_t(least_line / sizeof(uint32_t)), elements = uint32_t(bytes / sizeof(uint32_t));
	const uint32_t threads = std::min(std::bit_floor(helpers_), elements / step);
	if (!other_)
		other_ = std::make_unique<memory>(c_.dut, bytes);
	memory sums(c_.dut, threads * sizeof(uint32_t));
	const argument a[] = {other_->get(),
			      sums.get(),
			      int(elements - 1),
			      int(step),
			      int(threads),
			      0,
			      int(elements / step / threads)};
	c_.dut.run(strided_kernel, threads, std::min(64u, threads), a);
}

// Fills the caches by two rounds, since one that does not replace the oldest line first takes more than one. A GPU's
// single thread takes long for that. Its neighbours in a group see the same caches: on a GPU whose last cache has two
// halves, threads of other units would fill the other one. They are so many that each has a part of the ring that is
// shorter than a walk, as the end of a part is more likely to be in a cache than its beginning.
void walker::fill()
{
	const size_t places = ring_.order.size(), walked = std::min(places, most_walked);
	if (c_.dut.what().cpu) {
		walk(walked, walked);
		return;
	}
	fill(0, 1);
	walk(0, std::min<size_t>(places, 256));
}

void walker::fill(unsigned group, unsigned groups)
{
	const size_t threads = std::min({c_.dut.what().largest_group, c_.most_threads, size_t{1024}});
	const argument a[] = {buffer_.get(), order_->get(), out_.get(), int(ring_.order.size()),
			      int(base_),    int(threads),  int(group)};
	for (int round = 0; round < 2; round++)
		c_.dut.run(texture_ ? chase_fill : chase_fill_global, groups * threads, threads, a);
}

double walker::walk(uint64_t steps)
{
	const bool warm = !c_.dut.what().cpu && ring_.order.size() < warm_matters;
	return walk(warm ? std::min(ring_.order.size(), most_warm) : 0, steps);
}

double walker::walk(uint64_t warm, uint64_t steps)
{
	void *seen = texture_ ? texture_->get() : buffer_.get();
	const argument a[] = {seen, out_.get(), int(base_ + ring_.after(at_)), int(warm), int(steps)};
	const double took = c_.dut.run(texture_ ? chase_texture : chase_global, 1, 1, a);
	at_ += warm + steps;
	uint32_t end = 0;
	c_.dut.read(out_.get(), 0, &end, sizeof(end));
	if (end != base_ + ring_.after(at_))
		throw wrong_result(bench::format("a walk of %llu loads ended at the wrong place",
						 static_cast<unsigned long long>(warm + steps)));
	return took;
}

figure walker::measure(const ring_maker &make, point &p)
{
	// Which places a ring has is a matter of chance as well: how many of its lines share a set.
	const auto place = [&] {
		take(make(random_));
		put();
	};
	return measure_places(c_, p, true, place, [this](uint64_t steps) { return walk(steps); });
}

figure walker::measure_first_visits(const ring_maker &make, const std::function<void()> &prepare, point &p)
{
	const rules before = c_.how;
	ring r = make(random_);
	c_.how.most_work = std::max<uint64_t>(1, r.order.size() / 4); // launches have up to four times as much
	c_.how.least_work = std::min(c_.how.least_work, c_.how.most_work);
	take(std::move(r));
	figure f = measure_places(c_, p, false, prepare, [&](uint64_t steps) {
		if (at_ + steps > ring_.order.size())
			prepare();
		return walk(0, steps);
	});
	c_.how = before;
	return f;
}

figure measure_places(context &c, point &p, bool more_places, const std::function<void()> &place,
		      const std::function<double(uint64_t)> &walk)
{
	figure all;
	all.reached = true;
	for (unsigned i = 0; i < c.placements || (more_places && i < 3 * c.placements && worth_more_places(p)); i++) {
		place();
		figure f = c.per_unit(walk);
		if (!f.there()) {
			p.samples.clear();
			return f;
		}
		all.samples.insert(all.samples.end(), f.samples.begin(), f.samples.end());
		all.reached = all.reached && f.reached;
		p.samples.push_back(f.at.median);
	}
	all.at = bench::median_interval(all.samples);
	return all;
}

} // namespace micro
