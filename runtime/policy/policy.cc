// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "policy/policy.h"

#include "policy/shares.h"

#include <cstring>
#include <iterator>

namespace het::rt
{

namespace
{

struct {
	const char *name;
	policy_maker make;
} constexpr known[] = {{"steal", make_steal_policy},
		       {"single", make_single_policy},
		       {"static", make_static_policy},
		       {"dynamic", make_dynamic_policy},
		       {"hguided", make_hguided_policy}};

} // namespace

bool is_worth_sharing(size_t rows, std::span<const double> speeds, double cost)
{
	double fastest = *std::max_element(speeds.begin(), speeds.end());
	return double(rows) / sum_of(speeds) + cost < double(rows) / fastest;
}

const char *policy_name(size_t n)
{
	return n < std::size(known) ? known[n].name : nullptr;
}

policy_maker find_policy(const char *name)
{
	for (const auto &k : known) {
		if (!strcmp(name, k.name))
			return k.make;
	}
	return nullptr;
}

} // namespace het::rt
