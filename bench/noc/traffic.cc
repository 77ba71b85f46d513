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

const char *const names[] = {"uniform", "transpose", "bit-complement", "bit-reversal", "shuffle",
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
	const auto *at = std::find(std::begin(names), std::end(names), name);
	if (at == std::end(names))
		throw std::invalid_argument("no pattern is called " + name);
	return pattern(at - std::begin(names));
}

std::vector<std::string> pattern_names()
{
	return {std::begin(names), std::end(names)};
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
	return o.long_length ? o.long_share * o.long_length + (1 - o.long_share) * o.length : o.length;
}

core_traffic::core_traffic(const traffic_options &o, const topology &t, unsigned core)
    : o_(o), to_(permutation(o.what, o.width, o.height)), core_(core), random_(o.seed, core)
{
	for (size_t i = 0; i < t.terminals.size(); i++)
		if (t.terminals[i].memory)
			controllers_.push_back(uint16_t(i));
	if (o.memory_share > 0 && controllers_.empty())
		throw std::invalid_argument("there are no memory controllers in this network");
	const double p = o.rate / mean_length(o); // packets a cycle
	if (p < 0 || p > 1)
		throw std::invalid_argument("a core can't start more than one packet in a cycle");
	silent_ = p == 0;
	gap_scale_ = p < 1 && p > 0 ? 1 / std::log1p(-p) : 0;
	next_.created = ~0ull; // the cycle before the first
	pop();
}

void core_traffic::pop()
{
	if (silent_) {
		next_.created = ~0ull;
		return;
	}
	// Failures before the next success of one trial a cycle.
	const double gap = gap_scale_ != 0 ? std::floor(std::log1p(-random_.unit()) * gap_scale_) : 0;
	next_.created += 1 + uint64_t(gap);
	next_.memory = o_.memory_share > 0 && random_.unit() < o_.memory_share;
	next_.length = uint16_t(o_.long_length && random_.unit() < o_.long_share ? o_.long_length : o_.length);
	next_.destination = destination();
}

uint16_t core_traffic::destination()
{
	if (next_.memory)
		return controllers_[random_.below(uint32_t(controllers_.size()))];
	if (o_.what == pattern::hot_spot && random_.unit() < o_.hot_share) {
		const unsigned i = random_.below(4);
		return uint16_t((o_.height / 2 - i / 2) * o_.width + o_.width / 2 - i % 2);
	}
	return to_.empty() ? uint16_t(random_.below(o_.width * o_.height)) : to_[core_];
}

} // namespace noc
