// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "team_geometry.h"

#include "libgomp.h"

#include <algorithm>
#include <climits>

namespace het_omp
{

namespace
{

constexpr size_t most_threads = 32; // which GCC's device code counts with
constexpr size_t usual_threads = 8;

size_t positive(intptr_t value)
{
	return size_t(std::clamp(value, intptr_t{0}, intptr_t{INT_MAX}));
}

} // namespace

geometry asked_geometry(void *const *arguments)
{
	geometry asked = {};
	while (*arguments) {
		const auto word = reinterpret_cast<intptr_t>(*arguments++);
		const bool has_next = word & argument_has_next;
		const intptr_t value =
			has_next ? reinterpret_cast<intptr_t>(*arguments++) : word >> argument_value_shift;
		if ((word & argument_device) != argument_of_all_devices)
			continue;
		if ((word & argument_name) == argument_teams)
			asked.teams = positive(value);
		if ((word & argument_name) == argument_threads)
			asked.threads = positive(value);
	}
	return asked;
}

geometry fit(geometry asked, const capacity &c)
{
	geometry g = asked;
	if (!g.threads)
		g.threads = usual_threads;
	g.threads = std::max(std::min({g.threads, most_threads, size_t(c.group_size / lanes)}), size_t{1});
	const size_t registers = std::max<size_t>(c.registers, 1) * lanes * g.threads;
	const size_t at_once = std::max<size_t>(c.unit_registers / registers, 1) * std::max<size_t>(c.units, 1);
	g.teams = g.teams ? std::min(g.teams, at_once) : at_once;
	return g;
}

} // namespace het_omp
