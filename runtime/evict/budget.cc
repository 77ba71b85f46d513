// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "evict/budget.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace het::rt
{

namespace
{

// The driver itself needs memory for kernels, and so do other processes.
constexpr uint64_t least_reserve = uint64_t{64} << 20, part_of_reserve = 32;

bool read_percent(uint64_t value, budget_setting &found)
{
	found = {budget_setting::percent, value};
	return value >= 1 && value <= 100;
}

bool read_entry(std::string_view entry, budget_setting &found)
{
	found = {};
	if (entry.empty())
		return true;
	uint64_t value = 0;
	const char *end = entry.data() + entry.size();
	auto [at, error] = std::from_chars(entry.data(), end, value);
	if (error != std::errc())
		return false;
	std::string_view unit(at, size_t(end - at));
	if (unit == "%")
		return read_percent(value, found);
	constexpr std::string_view units = "KMG";
	size_t place = unit.empty() ? 0 : units.find(unit) + 1;
	if (unit.size() > 1 || (!unit.empty() && !place) || value > UINT64_MAX >> (10 * place))
		return false;
	found = {budget_setting::bytes, value << (10 * place)};
	return true;
}

} // namespace

bool find_budget(const char *text, unsigned number, budget_setting &found)
{
	found = {};
	std::string_view rest = text ? text : "";
	const bool for_all = rest.find(',') == std::string_view::npos;
	for (unsigned i = 0;; i++) {
		size_t comma = rest.find(',');
		budget_setting s;
		if (!read_entry(rest.substr(0, comma), s))
			return false;
		if (for_all || i == number)
			found = s;
		if (comma == std::string_view::npos)
			return true;
		rest.remove_prefix(comma + 1);
	}
}

uint64_t bytes_of(const budget_setting &s, uint64_t total, uint64_t free)
{
	if (s.kind == budget_setting::bytes)
		return s.value;
	if (s.kind == budget_setting::percent)
		return total ? total / 100 * s.value + total % 100 * s.value / 100 : no_limit;
	if (free == no_limit)
		return no_limit;
	uint64_t reserve = std::max(least_reserve, free / part_of_reserve);
	return free > 2 * reserve ? free - reserve : free / 2;
}

} // namespace het::rt
