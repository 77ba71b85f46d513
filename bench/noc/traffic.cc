// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/traffic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace noc
{

namespace
{

const char *const names_of_patterns[] = {"uniform", "transpose", "bit-complement", "bit-reversal", "shuffle",
					 "tornado", "neighbour", "hot-spot",       "pairs"};

constexpr uint64_t pairs_seed = 64; // the same pairs in every run

unsigned bits_of(unsigned cores)
{
	if (!std::has_single_bit(cores))
		throw std::invalid_argument("this pattern needs a power of 2 of cores");
	return unsigned(std::countr_zero(cores));
}

unsigned reversed(unsigned v, unsigned bits)
{
	unsigned r = 0;
	for (unsigned i = 0; i < bits; i++)
		r |= (v >> i & 1) << (bits - 1 - i);
	return r;
}

std::vector<uint16_t> random_pairs(unsigned cores)
{
	std::vector<uint16_t> order(cores), to(cores);
	std::iota(order.begin(), order.end(), 0);
	random_stream random(pairs_seed);
	for (unsigned i = cores; i > 1; i--)
		std::swap(order[i - 1], order[random.below(i)]);
	std::iota(to.begin(), to.end(), 0);
	for (unsigned i = 0; i + 1 < cores; i += 2) {
		to[order[i]] = order[i + 1];
		to[order[i + 1]] = order[i];
	}
	return to;
}

} // namespace

pattern pattern_named(const std::string &name)
{
	const auto *at = std::find(std::begin(names_of_patterns), std::end(names_of_patterns), name);
	if (at == std::end(names_of_patterns))
		throw std::invalid_argument("no pattern is called " + name);
	return pattern(at - std::begin(names_of_patterns));
}

std::vector<std::string> pattern_names()
{
	return {std::begin(names_of_patterns), std::end(names_of_patterns)};
}

std::vector<uint16_t> permutation(pattern what, unsigned width, unsigned height)
{
	const unsigned cores = width * height;
	if (what == pattern::uniform || what == pattern::hot_spot)
		return {};
	if (what == pattern::pairs)
		return random_pairs(cores);
	if (what == pattern::transpose && width != height)
		throw std::invalid_argument("transpose needs a square");
	std::vector<uint16_t> to(cores);
	for (unsigned c = 0; c < cores; c++) {
		const unsigned x = c % width, y = c / width;
		unsigned d = 0;
		switch (what) {
		case pattern::transpose:
			d = x * width + y;
			break;
		case pattern::bit_complement:
			bits_of(cores);
			d = ~c & (cores - 1);
			break;
		case pattern::bit_reversal:
			d = reversed(c, bits_of(cores));
			break;
		case pattern::shuffle:
			d = (c << 1 | c >> (bits_of(cores) - 1)) & (cores - 1);
			break;
		case pattern::tornado:
			d = (y + (height - 1) / 2) % height * width + (x + (width - 1) / 2) % width;
			break;
		default: // neighbour
			d = (y + 1) % height * width + (x + 1) % width;
		}
		to[c] = uint16_t(d);
	}
	return to;
}

double mean_length(const traffic_options &o)
{
	if (o.uniform_lengths)
		return (o.length + o.long_length) / 2.0;
	return o.long_length ? o.long_share * o.long_length + (1 - o.long_share) * o.length : o.length;
}

double highest_rate(const traffic_options &o)
{
	return mean_length(o) * (o.burst ? o.burst_share : 1);
}

core_traffic::failures::failures(double p) : scale_(p < 1 ? 1 / std::log1p(-p) : 0) {}

uint64_t core_traffic::failures::draw(random_stream &random) const
{
	return scale_ != 0 ? uint64_t(std::log1p(-random.unit()) * scale_) : 0;
}

core_traffic::core_traffic(const traffic_options &o, const topology &t, unsigned core)
    : o_(o), core_(core), burst_end_(~0ull), random_(o.seed, core)
{
	phases_.push_back({o.what, permutation(o.what, o.width, o.height)});
	for (pattern p : o.then)
		phases_.push_back({p, permutation(p, o.width, o.height)});
	for (size_t i = 0; i < t.terminals.size(); i++)
		if (t.terminals[i].memory)
			controllers_.push_back(uint16_t(i));
	if (o.memory_share > 0 && controllers_.empty())
		throw std::invalid_argument("there are no memory controllers in this network");
	if (o.uniform_lengths && o.long_length < o.length)
		throw std::invalid_argument(
			"uniform lengths need the longest one, which is not shorter than the shortest");
	const double share = o.burst ? o.burst_share : 1;
	if (share <= 0 || share > 1)
		throw std::invalid_argument("bursts take a share of the cycles above 0 and up to 1");
	const double p = o.rate / highest_rate(o); // packets a cycle, while it sends
	if (p < 0 || p > 1)
		throw std::invalid_argument("a core can't start more than one packet in a cycle");
	silent_ = p == 0;
	if (!silent_)
		gap_ = failures(p);
	next_.created = ~0ull; // the cycle before the first
	if (o.burst) {
		more_of_burst_ = failures(1.0 / o.burst);
		silence_ = failures(1 / (1 + o.burst * (1 - share) / share));
		begin_burst(random_.unit() < share ? 0 : 1 + silence_.draw(random_));
	}
	pop();
}

// Whoever is in a burst, or in the silence between two, can't tell how long ago it began: so the first cycle is as any.
void core_traffic::begin_burst(uint64_t at)
{
	next_.created = at - 1;
	burst_end_ = at + 1 + more_of_burst_.draw(random_);
}

void core_traffic::pop()
{
	if (silent_) {
		next_.created = ~0ull;
		return;
	}
	next_.created += 1 + gap_.draw(random_);
	while (o_.burst && next_.created >= burst_end_) {
		begin_burst(burst_end_ + silence_.draw(random_));
		next_.created += 1 + gap_.draw(random_);
	}
	next_.memory = o_.memory_share > 0 && random_.unit() < o_.memory_share;
	next_.length = length();
	next_.destination = destination();
}

uint16_t core_traffic::length()
{
	if (o_.uniform_lengths)
		return uint16_t(o_.length + random_.below(o_.long_length - o_.length + 1));
	return uint16_t(o_.long_length && random_.unit() < o_.long_share ? o_.long_length : o_.length);
}

uint16_t core_traffic::destination()
{
	if (next_.memory)
		return controllers_[random_.below(uint32_t(controllers_.size()))];
	const phase &now = phases_.size() == 1 ? phases_[0] : phases_[next_.created / o_.period % phases_.size()];
	if (now.what == pattern::hot_spot && random_.unit() < o_.hot_share) {
		const unsigned i = random_.below(4);
		return uint16_t((o_.height / 2 - i / 2) * o_.width + o_.width / 2 - i % 2);
	}
	return now.to.empty() ? uint16_t(random_.below(o_.width * o_.height)) : now.to[core_];
}

} // namespace noc
