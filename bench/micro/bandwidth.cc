// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/format.h"
#include "micro/growth.h"
#include "micro/random.h"
#include "micro/stream.h"
#include "micro/tests.h"
#include "micro/texture.h"

#include <algorithm>
#include <bit>

namespace micro
{

namespace
{

using bench::format;

constexpr size_t group = 64;

// A launch goes over an array once at most: else the caches near a thread would have what it reads again. So a GPU,
// which is fast, needs a large one.
size_t elements_of(const context &c)
{
	const size_t last = c.claimed_cache();
	const bool cpu = c.dut.what().cpu;
	const size_t least = cpu ? (c.quick ? 16 << 20 : 64 << 20) : c.quick ? 1 << 30 : size_t{4} << 30;
	const size_t can = std::min({c.dut.what().largest, c.dut.what().memory / 8, c.most_bytes});
	const size_t bytes = std::min({std::max(least, 4 * last), size_t{4} << 30, can});
	return std::bit_floor(bytes) / sizeof(uint32_t);
}

class streamer
{
      public:
	streamer(context &c, size_t elements, size_t most_threads)
	    : c_(c), mask_(uint32_t(elements - 1)), from_(c.dut, elements * word), to_(c.dut, elements * word),
	      sums_(c.dut, most_threads * word), random_(c.seed, 3)
	{
		const argument a[] = {from_.get(), int(elements), int(most_threads)};
		c.dut.run(fill_words, most_threads, std::min(group, most_threads), a);
	}

	double run(deed d, order o, uint32_t threads, uint32_t rounds)
	{
		salt_++;
		const argument a[] = {from_.get(),  to_.get(),   sums_.get(), int(mask_),
				      int(threads), int(first_), int(rounds), int(salt_)};
		const double took = c_.dut.run(stream_kernel(d, o), threads, std::min<size_t>(group, threads), a);
		for (int i = 0; i < 4; i++)
			check(d, o, random_.below(threads), threads, rounds);
		first_ += rounds;
		return took;
	}

	// Reads through a texture.
	double read_textured(order o, uint32_t threads, uint32_t rounds)
	{
		if (!texture_)
			texture_ = std::make_unique<texture>(c_.dut, from_, (size_t{mask_} + 1) * word);
		const argument a[] = {texture_->get(), sums_.get(), int(mask_), int(threads), int(first_), int(rounds)};
		const double took = c_.dut.run(texture_kernel(o), threads, std::min<size_t>(group, threads), a);
		for (int i = 0; i < 4; i++)
			check(deed::read, o, random_.below(threads), threads, rounds);
		first_ += rounds;
		return took;
	}

	// Reads vectors of the width at a place of the list.
	double read_vectors(size_t which, uint32_t threads, uint32_t rounds)
	{
		const uint32_t width = vector_widths[which], mask = std::bit_floor((mask_ + 1) / width) - 1;
		const argument a[] = {from_.get(), sums_.get(), int(mask), int(threads), int(first_), int(rounds)};
		const double took = c_.dut.run(vector_kernel(which), threads, std::min<size_t>(group, threads), a);
		const uint32_t t = random_.below(threads);
		uint32_t expected = 0, found = 0;
		for (uint32_t k = 0; k < rounds; k++)
			for (uint32_t i = 0; i < width; i++)
				expected += content_of(((t + (first_ + k) * threads) & mask) * width + i);
		c_.dut.read(sums_.get(), t * word, &found, word);
		if (found != expected)
			throw wrong_result(format("vectors of %u words: a thread's sum is wrong", width));
		first_ += rounds;
		return took;
	}

	// Copies such vectors.
	double copy_vectors(size_t which, uint32_t threads, uint32_t rounds)
	{
		const uint32_t width = vector_widths[which], mask = std::bit_floor((mask_ + 1) / width) - 1;
		salt_++;
		const argument a[] = {from_.get(), to_.get(),   int(mask), int(threads),
				      int(first_), int(rounds), int(salt_)};
		const double took = c_.dut.run(copy_kernel(which), threads, std::min<size_t>(group, threads), a);
		const uint32_t round = first_ + random_.below(rounds), place = random_.below(threads) + round * threads,
			       at = (place & mask) * width + random_.below(width);
		uint32_t found = 0;
		c_.dut.read(to_.get(), at * word, &found, word);
		if (found != (content_of(at) ^ salt_))
			throw wrong_result(format("copies of vectors of %u words: a word is wrong", width));
		first_ += rounds;
		return took;
	}

      private:
	static constexpr size_t word = sizeof(uint32_t);

	// Looks at what one thread must have done.
	void check(deed d, order o, uint32_t t, uint32_t threads, uint32_t rounds)
	{
		uint32_t expected = 0, found = 0;
		if (d == deed::read) {
			for (uint32_t k = 0; k < rounds; k++)
				expected += content_of(element_at(o, t + (first_ + k) * threads, mask_));
			c_.dut.read(sums_.get(), t * word, &found, word);
		} else {
			const uint32_t at = element_at(o, t + (first_ + random_.below(rounds)) * threads, mask_);
			expected = (d == deed::both ? content_of(at) : at) ^ salt_;
			c_.dut.read(to_.get(), at * word, &found, word);
		}
		if (found != expected)
			throw wrong_result(format("%s %s: a thread's result is wrong", name_of(d), name_of(o)));
	}

	context &c_;
	const uint32_t mask_;
	memory from_, to_, sums_;
	std::unique_ptr<texture> texture_;
	random_stream random_;
	uint32_t salt_ = 0;
	uint32_t first_ = 0; // launches go on where the last one ended: else short ones would stay in the caches
};

// Threads grow from one group to more than any device holds at once.
std::vector<uint32_t> thread_numbers(const context &c)
{
	const traits &w = c.dut.what();
	const size_t most = w.cpu ? size_t{w.units} * 1024 : size_t{w.units} * 4096;
	std::vector<uint32_t> all;
	for (size_t t = group; t <= std::min(std::bit_ceil(most), c.most_threads); t *= c.quick ? 4 : 2)
		all.push_back(uint32_t(t));
	// Fewer threads than the last four numbers have never been the fastest.
	if (c.rates_only && all.size() > 4)
		all.erase(all.begin(), all.end() - 4);
	return all;
}

// A copy counts as what is read and what is written.
void sweep_vectors(context &c, streamer &s, size_t elements, const std::vector<uint32_t> &numbers, bool copied)
{
	const char *name = copied ? "copies" : "vectors";
	curve best;
	double highest = 0;
	for (size_t which = 0; which < vector_widths.size(); which++) {
		const uint32_t width = vector_widths[which];
		c.progress(format("%s of %u words", name, width));
		curve rates;
		for (uint32_t threads : numbers) {
			c.how.most_work = std::max<size_t>(1, std::bit_floor(elements / width) / threads / 4);
			const figure f = c.per_unit([&](uint64_t rounds) {
				return copied ? s.copy_vectors(which, threads, uint32_t(rounds))
					      : s.read_vectors(which, threads, uint32_t(rounds));
			});
			const double bytes = double(threads) * width * sizeof(uint32_t) * (copied ? 2 : 1);
			c.out.add(format("%s/%u/%u", name, width, threads), "GB/s", f.there() ? rate_of(f, bytes) : f);
			point p{double(threads), {}};
			for (double ns : f.samples)
				p.samples.push_back(bytes / ns);
			if (f.there())
				rates.push_back(std::move(p));
		}
		const double most = rates.empty() ? 0 : std::ranges::max(rates, {}, &point::median).median();
		if (most > highest) {
			highest = most;
			best = std::move(rates);
		}
	}
	if (!copied)
		c.out.add(where_most_is_reached("memory.threads", best, c.seed), nullptr);
}

// Textures may be smaller than buffers: then the array is as large as they are.
void sweep_textures(context &c, size_t elements, const std::vector<uint32_t> &numbers)
{
	const size_t most = std::bit_floor(c.dut.what().texture_memory) / sizeof(uint32_t);
	elements = std::min(elements, most);
	if (elements < group) {
		c.out.refuse("bandwidth/texture", "the device has no textures over buffers of words",
			     "nothing: there is none to measure");
		return;
	}
	streamer s(c, elements, numbers.back());
	for (order o : orders) {
		c.progress(format("textures, read %s", name_of(o)));
		for (uint32_t threads : numbers) {
			c.how.most_work = std::max<size_t>(1, elements / threads / 4);
			const figure f = c.per_unit(
				[&](uint64_t rounds) { return s.read_textured(o, threads, uint32_t(rounds)); });
			const double bytes = double(threads) * sizeof(uint32_t);
			c.out.add(format("bandwidth/texture/read/%s/%u", name_of(o), threads), "GB/s",
				  f.there() ? rate_of(f, bytes) : f);
		}
	}
}

// Half of the last cache that was found has room in it with nothing else. Where one behind it was looked for and has no
// size, the last one that the device tells of counts, and it does where none is found. Returns 0 if none is known.
size_t bytes_of_last_cache(const context &c)
{
	size_t found = 0;
	bool is_last = true;
	for (const fact &f : c.out.facts()) {
		if (!f.name.starts_with("l") || !f.name.ends_with(".size"))
			continue;
		is_last = f.is == verdict::found;
		if (is_last)
			found = std::max(found, size_t(f.value));
	}
	return std::bit_floor((is_last && found ? found : std::max(found, c.claimed_cache())) / 2);
}

} // namespace

void test_bandwidth(context &c)
{
	const std::vector<uint32_t> numbers = thread_numbers(c);
	const size_t elements = elements_of(c);
	streamer s(c, elements, numbers.back());
	for (deed d : deeds) {
		for (order o : orders) {
			c.progress(format("bandwidth, %s %s", name_of(d), name_of(o)));
			for (uint32_t threads : numbers) {
				c.how.most_work = std::max<size_t>(1, elements / threads / 4);
				const figure f = c.per_unit(
					[&](uint64_t rounds) { return s.run(d, o, threads, uint32_t(rounds)); });
				const double bytes = double(threads) * sizeof(uint32_t) * (d == deed::both ? 2 : 1);
				c.out.add(format("bandwidth/global/%s/%s/%u", name_of(d), name_of(o), threads), "GB/s",
					  f.there() ? rate_of(f, bytes) : f);
			}
		}
	}
	sweep_vectors(c, s, elements, numbers, false);
	if (!c.rates_only)
		sweep_vectors(c, s, elements, numbers, true);
}

void test_texture_bandwidth(context &c)
{
	sweep_textures(c, elements_of(c), thread_numbers(c));
}

// Random words, as the caches of single units hold a part of what goes round in a row.
void test_cache_bandwidth(context &c)
{
	const size_t bytes = std::min(bytes_of_last_cache(c), c.most_bytes);
	const std::vector<uint32_t> numbers = thread_numbers(c);
	if (bytes / sizeof(uint32_t) < group) {
		c.out.refuse("cache-bandwidth", "no cache is known",
			     "the test latency before it, where the device has a cache");
		return;
	}
	streamer s(c, bytes / sizeof(uint32_t), numbers.back());
	for (deed d : {deed::read, deed::write}) {
		c.progress(format("cache, %s", name_of(d)));
		for (uint32_t threads : numbers) {
			const figure f = c.per_unit(
				[&](uint64_t rounds) { return s.run(d, order::random, threads, uint32_t(rounds)); });
			const double moved = double(threads) * sizeof(uint32_t);
			c.out.add(format("bandwidth/cache/%s/random/%u", name_of(d), threads), "GB/s",
				  f.there() ? rate_of(f, moved) : f);
		}
	}
}

} // namespace micro
