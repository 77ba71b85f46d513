// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/chase.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bench
{
extern const kernel_text chase_kernels, chase_constant_kernels;
}

namespace micro
{

namespace
{

constexpr size_t word = sizeof(uint32_t);

template <typename M> const uint32_t *next_of(M &m, const uint32_t *at)
{
	return reinterpret_cast<const uint32_t *>(uintptr_t(m.next(reinterpret_cast<const uint64_t *>(at))));
}

template <typename M> void walk_global(M &m, arguments a)
{
	const auto *words = static_cast<const uint32_t *>(a[0].buffer), *at = words + uint32_t(a[2].integer);
	const uint64_t steps = uint64_t(uint32_t(a[3].integer)) + uint32_t(a[4].integer);
	for (uint64_t i = 0; i < steps; i++)
		at = next_of(m, at);
	*static_cast<uint32_t *>(a[1].buffer) = uint32_t(at - words);
}

template <typename M> void walk_constant(M &m, arguments a)
{
	const auto *words = static_cast<const uint32_t *>(a[0].buffer);
	auto at = uint32_t(a[2].integer);
	const uint64_t steps = uint64_t(uint32_t(a[3].integer)) + uint32_t(a[4].integer);
	for (uint64_t i = 0; i < steps; i++)
		at = m.constant(words + at);
	*static_cast<uint32_t *>(a[1].buffer) = at;
}

template <typename M> void walk_local(M &m, arguments a)
{
	uint32_t mine[chase_local_words];
	const auto *words = static_cast<const uint32_t *>(a[0].buffer);
	for (int i = 0; i < a[3].integer; i++)
		mine[i] = words[i];
	auto at = uint32_t(a[2].integer);
	for (uint32_t i = 0; i < uint32_t(a[4].integer); i++) {
		m.local(at * uint32_t(word));
		at = mine[at];
	}
	*static_cast<uint32_t *>(a[1].buffer) = at;
}

// Calls @walk with the first of a thread's places, and with how many it has, if the thread is one of those that fill.
void fill(arguments a, uint32_t t, const auto &walk)
{
	const auto *order = static_cast<const uint32_t *>(a[1].buffer);
	const auto n = uint32_t(a[3].integer), base = uint32_t(a[4].integer), threads = uint32_t(a[5].integer);
	if (t / threads != uint32_t(a[6].integer))
		return;
	const uint32_t part = (n + threads - 1) / threads, first = t % threads * part;
	if (first < n)
		walk(static_cast<const uint32_t *>(a[0].buffer), base + order[first], std::min(part, n - first));
}

template <typename M> void fill_global(M &m, arguments a, uint32_t t)
{
	fill(a, t, [&](const uint32_t *words, uint32_t first, uint32_t places) {
		const uint32_t *at = words + first;
		for (uint32_t i = 0; i < places; i++)
			at = next_of(m, at);
	});
}

template <typename M> void fill_numbers(M &m, arguments a, uint32_t t)
{
	fill(a, t, [&](const uint32_t *words, uint32_t first, uint32_t places) {
		uint32_t at = first;
		for (uint32_t i = 0; i < places; i++)
			at = m.next(words + at);
	});
}

template <typename M> void link_global(M &m, arguments a, uint32_t t)
{
	auto *words = static_cast<uint32_t *>(a[0].buffer);
	const auto *order = static_cast<const uint32_t *>(a[1].buffer);
	const auto n = uint32_t(a[2].integer), base = uint32_t(a[3].integer), threads = uint32_t(a[4].integer);
	for (uint32_t i = t; i < n; i += threads)
		m.store(reinterpret_cast<uint64_t *>(words + base + order[i]),
			reinterpret_cast<uintptr_t>(words + base + order[i + 1 < n ? i + 1 : 0]));
}

template <typename M> void link(M &m, arguments a, uint32_t t)
{
	auto *words = static_cast<uint32_t *>(a[0].buffer);
	const auto *order = static_cast<const uint32_t *>(a[1].buffer);
	const auto n = uint32_t(a[2].integer), base = uint32_t(a[3].integer), threads = uint32_t(a[4].integer);
	for (uint32_t i = t; i < n; i += threads)
		m.store(words + base + order[i], base + order[i + 1 < n ? i + 1 : 0]);
}

void chase_link_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		link(m, a, uint32_t(t));
}

void chase_link_traced(arguments a, size_t item, tracer &to)
{
	link(to, a, uint32_t(item));
}

void chase_link_global_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		link_global(m, a, uint32_t(t));
}

void chase_link_global_traced(arguments a, size_t item, tracer &to)
{
	link_global(to, a, uint32_t(item));
}

void chase_fill_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		fill_numbers(m, a, uint32_t(t));
}

void chase_fill_traced(arguments a, size_t item, tracer &to)
{
	fill_numbers(to, a, uint32_t(item));
}

void chase_fill_global_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		fill_global(m, a, uint32_t(t));
}

void chase_fill_global_traced(arguments a, size_t item, tracer &to)
{
	fill_global(to, a, uint32_t(item));
}

void chase_global_host(arguments a, size_t, size_t)
{
	plain m;
	walk_global(m, a);
}

void chase_global_traced(arguments a, size_t, tracer &to)
{
	walk_global(to, a);
}

void chase_constant_host(arguments a, size_t, size_t)
{
	plain m;
	walk_constant(m, a);
}

void chase_constant_traced(arguments a, size_t, tracer &to)
{
	walk_constant(to, a);
}

void chase_local_host(arguments a, size_t, size_t)
{
	plain m;
	walk_local(m, a);
}

void chase_local_traced(arguments a, size_t, tracer &to)
{
	walk_local(to, a);
}

std::vector<uint32_t> shuffled(size_t n, random_stream &random)
{
	std::vector<uint32_t> all(n);
	std::iota(all.begin(), all.end(), 0u);
	for (size_t i = n; i > 1; i--)
		std::swap(all[i - 1], all[random.below(uint32_t(i))]);
	return all;
}

} // namespace

const kernel chase_global = {{"chase_global", bench::chase_kernels, chase_global_host}, chase_global_traced};
const kernel chase_local = {{"chase_local", bench::chase_kernels, chase_local_host}, chase_local_traced};
const kernel chase_constant = {{"chase_constant", bench::chase_constant_kernels, chase_constant_host},
			       chase_constant_traced};
const kernel chase_link = {{"chase_link", bench::chase_kernels, chase_link_host}, chase_link_traced};
const kernel chase_fill = {{"chase_fill", bench::chase_kernels, chase_fill_host}, chase_fill_traced};
const kernel chase_link_global = {{"chase_link_global", bench::chase_kernels, chase_link_global_host},
				  chase_link_global_traced};
const kernel chase_fill_global = {{"chase_fill_global", bench::chase_kernels, chase_fill_global_host},
				  chase_fill_global_traced};

std::vector<uint32_t> ring::words() const
{
	std::vector<uint32_t> all(bytes / word);
	for (size_t i = 0; i < order.size(); i++)
		all[order[i]] = after(i + 1);
	return all;
}

ring random_ring(size_t footprint, size_t spacing, random_stream &random)
{
	ring r;
	r.bytes = footprint;
	r.order = shuffled(footprint / spacing, random);
	for (uint32_t &place : r.order)
		place *= uint32_t(spacing / word);
	return r;
}

ring sparse_ring(size_t footprint, size_t block, size_t apart, random_stream &random)
{
	ring r;
	r.bytes = footprint;
	r.order = shuffled(footprint / block, random);
	const auto places = uint32_t(std::max<size_t>(1, block / apart));
	for (uint32_t &place : r.order)
		place = uint32_t((place * block + random.below(places) * apart) / word);
	return r;
}

ring ring_of_pages(size_t pages, size_t page, size_t spacing, random_stream &random)
{
	ring r;
	r.bytes = pages * page;
	r.order = shuffled(pages, random);
	std::vector<uint32_t> places; // within pages, to be taken from the end on
	std::vector<uint32_t> within(pages);
	for (uint32_t &w : within) {
		if (places.empty())
			places = shuffled(page / spacing, random);
		w = places.back() * uint32_t(spacing);
		places.pop_back();
	}
	for (uint32_t &place : r.order)
		place = uint32_t((place * page + within[place]) / word);
	return r;
}

ring paired_ring(size_t footprint, size_t block, size_t apart, random_stream &random)
{
	ring r;
	r.bytes = footprint;
	for (uint32_t b : shuffled(footprint / block, random)) {
		const auto first = uint32_t(b * block / word);
		r.order.push_back(first);
		r.order.push_back(first + uint32_t(apart / word));
	}
	return r;
}

ring unpaired_ring(size_t footprint, size_t block, size_t apart, random_stream &random)
{
	ring r;
	r.bytes = footprint;
	r.order = shuffled(footprint / block * 2, random);
	for (uint32_t &place : r.order)
		place = uint32_t((place / 2 * block + place % 2 * apart) / word);
	return r;
}

} // namespace micro
