// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/group.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace bench
{
extern const kernel_text group_kernels;
}

namespace micro
{

namespace
{

template <typename M> void one_of_banks(M &m, arguments a, uint32_t t)
{
	const auto *numbers = static_cast<const uint32_t *>(a[0].buffer);
	uint32_t at = t * uint32_t(a[2].integer) % bank_words;
	for (uint32_t i = 0; i < uint32_t(a[3].integer); i++) {
		m.local(at * uint32_t(sizeof(uint32_t)));
		at = numbers[at];
	}
	static_cast<uint32_t *>(a[1].buffer)[t] = at;
}

void banks_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_banks(m, a, uint32_t(t));
}

void banks_traced(arguments a, size_t item, tracer &to)
{
	one_of_banks(to, a, uint32_t(item));
}

uint32_t way_of(arguments a, uint32_t t)
{
	return t / uint32_t(a[1].integer) & 1;
}

void ways_host(arguments a, size_t first, size_t end)
{
	for (size_t t = first; t < end; t++)
		static_cast<uint32_t *>(a[0].buffer)[t] =
			end_of_way(uint32_t(t), uint32_t(a[1].integer), uint32_t(a[2].integer));
}

void ways_traced(arguments a, size_t item, tracer &to)
{
	to.work(way_of(a, uint32_t(item)), uint32_t(a[2].integer));
	ways_host(a, item, item + 1);
}

enum class deed { add, most, exchange, add_float };

uint32_t after(deed d, uint32_t found, uint32_t i, uint32_t sharers, uint32_t t)
{
	switch (d) {
	case deed::add:
		return found + 1;
	case deed::most:
		return std::max(found, i * sharers + t % sharers);
	case deed::exchange:
		return i + 1;
	case deed::add_float:
		return std::bit_cast<uint32_t>(std::bit_cast<float>(found) + 1);
	}
	return found;
}

template <deed d, typename M> void one_of_changers(M &m, arguments a, uint32_t t)
{
	const auto sharers = uint32_t(a[1].integer);
	uint32_t *mine = static_cast<uint32_t *>(a[0].buffer) + t / sharers * 32;
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++)
		m.store(mine, after(d, *mine, i, sharers, t));
}

// What a group has in local memory is of its own, and is 0 at first.
template <deed d, typename M> void one_of_local(M &m, arguments a, uint32_t t)
{
	const auto sharers = uint32_t(a[1].integer), steps = uint32_t(a[2].integer);
	uint32_t *mine = static_cast<uint32_t *>(a[0].buffer) + t / sharers * 32;
	for (uint32_t i = 0; i < steps; i++)
		m.local(t % 64 / sharers * uint32_t(sizeof(uint32_t)));
	*mine = d == deed::add ? sharers * steps : d == deed::most ? sharers * steps - 1 : steps;
}

// Sums @steps times four vectors of four words.
template <typename M> void one_of_local_reads(M &m, arguments a, uint32_t t)
{
	const auto *numbers = static_cast<const uint32_t *>(a[0].buffer);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++) {
		for (uint32_t k = 0; k < 4; k++) {
			const uint32_t at = 4 * ((t + i) % 128 + 128 * k);
			m.local(at * uint32_t(sizeof(uint32_t)));
			for (uint32_t j = 0; j < 4; j++)
				sum += numbers[at + j];
		}
	}
	static_cast<uint32_t *>(a[1].buffer)[t] = sum;
}

void local_reads_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_local_reads(m, a, uint32_t(t));
}

void local_reads_traced(arguments a, size_t item, tracer &to)
{
	one_of_local_reads(to, a, uint32_t(item));
}

template <typename M> void one_of_stayers(M &m, arguments a, uint32_t t)
{
	const auto group = uint32_t(a[3].integer);
	if (t % group)
		return;
	const auto *ring = static_cast<const uint32_t *>(a[0].buffer);
	uint32_t at = first_place_of_group(t / group, uint32_t(a[4].integer));
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++)
		at = m.next(ring + at);
	static_cast<uint32_t *>(a[1].buffer)[t / group] = at;
}

void stay_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_stayers(m, a, uint32_t(t));
}

void stay_traced(arguments a, size_t item, tracer &to)
{
	one_of_stayers(to, a, uint32_t(item));
}

template <deed d> void change_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_changers<d>(m, a, uint32_t(t));
}

template <deed d> void change_traced(arguments a, size_t item, tracer &to)
{
	one_of_changers<d>(to, a, uint32_t(item));
}

template <deed d> void local_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_local<d>(m, a, uint32_t(t));
}

template <deed d> void local_traced(arguments a, size_t item, tracer &to)
{
	one_of_local<d>(to, a, uint32_t(item));
}

template <deed d> constexpr kernel changer(const char *name)
{
	return {{name, bench::group_kernels, change_host<d>}, change_traced<d>};
}

template <deed d> constexpr kernel local_changer(const char *name)
{
	return {{name, bench::group_kernels, local_host<d>}, local_traced<d>};
}

const kernel plain_global = changer<deed::add>("plain_global"), add_global = changer<deed::add>("add_global"),
	     max_global = changer<deed::most>("max_global"),
	     exchange_global = changer<deed::exchange>("exchange_global"),
	     compare_global = changer<deed::add>("compare_global"), add_long = changer<deed::add>("add_long_global"),
	     exchange_long = changer<deed::exchange>("exchange_long_global"),
	     compare_long = changer<deed::add>("compare_long_global"),
	     add_float = changer<deed::add_float>("add_float_global"),
	     plain_local = local_changer<deed::add>("plain_local"), add_local = local_changer<deed::add>("add_local"),
	     max_local = local_changer<deed::most>("max_local"),
	     exchange_local = local_changer<deed::exchange>("exchange_local"),
	     compare_local = local_changer<deed::add>("compare_local");

bool all_count(uint32_t found, uint32_t sharers, uint32_t steps)
{
	return found == sharers * steps;
}

// Without an atomic operation, or where one may be in vain, some of those who share a word are lost.
bool one_counts(uint32_t found, uint32_t sharers, uint32_t steps)
{
	return sharers == 1 ? found == steps : found >= 1 && found <= sharers * steps;
}

bool is_largest(uint32_t found, uint32_t sharers, uint32_t steps)
{
	return found == sharers * steps - 1;
}

// Beyond 24 bits one more makes no other float.
bool float_counts(uint32_t found, uint32_t sharers, uint32_t steps)
{
	return std::bit_cast<float>(found) == float(std::min(uint64_t{1} << 24, uint64_t{sharers} * steps));
}

// Who comes last has done all others before.
bool is_last(uint32_t found, uint32_t, uint32_t steps)
{
	return found == steps;
}

} // namespace

const kernel read_local = {{"read_local", bench::group_kernels, local_reads_host}, local_reads_traced};
const kernel stay_kernel = {{"stay", bench::group_kernels, stay_host}, stay_traced};
const kernel banks_kernel = {{"banks", bench::group_kernels, banks_host}, banks_traced};
const kernel ways_kernel = {{"ways", bench::group_kernels, ways_host}, ways_traced};

std::span<const change> all_changes()
{
	static const change all[] = {
		{.name = "plain", .run = plain_global, .right = one_counts},
		{.name = "add", .run = add_global, .right = all_count},
		{.name = "max", .run = max_global, .right = is_largest},
		{.name = "exchange", .run = exchange_global, .right = is_last},
		{.name = "compare", .run = compare_global, .right = one_counts},
		{.name = "add of 64 bits", .run = add_long, .right = all_count, .everywhere = false},
		{.name = "exchange of 64 bits", .run = exchange_long, .right = is_last, .everywhere = false},
		{.name = "compare of 64 bits", .run = compare_long, .right = one_counts, .everywhere = false},
		{.name = "add of floats", .run = add_float, .right = float_counts, .everywhere = false},
		{.name = "plain local", .run = plain_local, .local = true, .right = one_counts},
		{.name = "add local", .run = add_local, .local = true, .right = all_count},
		{.name = "max local", .run = max_local, .local = true, .right = is_largest},
		{.name = "exchange local", .run = exchange_local, .local = true, .right = is_last},
		{.name = "compare local", .run = compare_local, .local = true, .right = one_counts},
	};
	return all;
}

uint32_t end_of_way(uint32_t t, uint32_t width, uint32_t steps)
{
	uint32_t x = t;
	for (uint32_t i = 0; i < steps; i++)
		x = t / width & 1 ? ((x << 5 | x >> 27) ^ 0x85ebca6b) + 0x7ed55d16 : (x ^ x >> 7) + 0x9e3779b9;
	return x;
}

} // namespace micro
