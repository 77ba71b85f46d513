// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/group.h"

#include <algorithm>

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

enum class deed { add, most, exchange };

template <deed d, typename M> void one_of_changers(M &m, arguments a, uint32_t t)
{
	const auto sharers = uint32_t(a[1].integer);
	uint32_t *mine = static_cast<uint32_t *>(a[0].buffer) + t / sharers * 32;
	for (uint32_t i = 0; i < uint32_t(a[2].integer); i++)
		m.store(mine, d == deed::add    ? *mine + 1
			      : d == deed::most ? std::max(*mine, i * sharers + t % sharers)
						: i + 1);
}

// What a group has in local memory is of its own, and is 0 at first.
template <typename M> void one_of_local(M &m, arguments a, uint32_t t)
{
	const auto sharers = uint32_t(a[1].integer), steps = uint32_t(a[2].integer);
	uint32_t *mine = static_cast<uint32_t *>(a[0].buffer) + t / sharers * 32;
	for (uint32_t i = 0; i < steps; i++)
		m.local(t % 64 / sharers * uint32_t(sizeof(uint32_t)));
	*mine = sharers * steps;
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

void local_host(arguments a, size_t first, size_t end)
{
	plain m;
	for (size_t t = first; t < end; t++)
		one_of_local(m, a, uint32_t(t));
}

void local_traced(arguments a, size_t item, tracer &to)
{
	one_of_local(to, a, uint32_t(item));
}

template <deed d> constexpr kernel changer(const char *name)
{
	return {{name, bench::group_kernels, change_host<d>}, change_traced<d>};
}

const kernel plain_global = changer<deed::add>("plain_global"), add_global = changer<deed::add>("add_global"),
	     max_global = changer<deed::most>("max_global"),
	     exchange_global = changer<deed::exchange>("exchange_global"),
	     compare_global = changer<deed::add>("compare_global"),
	     plain_local = {{"plain_local", bench::group_kernels, local_host}, local_traced},
	     add_local = {{"add_local", bench::group_kernels, local_host}, local_traced};

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

// Who comes last has done all others before.
bool is_last(uint32_t found, uint32_t, uint32_t steps)
{
	return found == steps;
}

} // namespace

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
		{.name = "plain local", .run = plain_local, .local = true, .right = one_counts},
		{.name = "add local", .run = add_local, .local = true, .right = all_count},
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
