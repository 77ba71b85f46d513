// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/checkpoint_units.h"

#include <algorithm>
#include <map>

namespace het::ptx
{

namespace
{

// Is a register of whole words.
struct placed_register {
	uint32_t words, place;
	std::vector<bool> points; // where it is saved
};

bool share_a_point(const placed_register &a, const placed_register &b)
{
	for (size_t k = 0; k < a.points.size(); k++)
		if (a.points[k] && b.points[k])
			return true;
	return false;
}

uint32_t first_free(const placed_register &r, const std::vector<placed_register> &placed)
{
	std::vector<bool> taken;
	for (const placed_register &other : placed) {
		if (!share_a_point(r, other))
			continue;
		taken.resize(std::max<size_t>(taken.size(), other.place + other.words));
		std::fill_n(taken.begin() + other.place, other.words, true);
	}
	taken.resize(taken.size() + r.words);
	uint32_t place = 0;
	while (std::find(taken.begin() + place, taken.begin() + place + r.words, true) !=
	       taken.begin() + place + r.words)
		place++;
	return place;
}

} // namespace

bool saved_unit::is_same(const saved_unit &other) const
{
	return place == other.place &&
	       std::equal(values.begin(), values.end(), other.values.begin(), other.values.end(),
			  [](const saved_value &a, const saved_value &b) { return a.name == b.name; });
}

std::vector<saved_unit> units_of(const std::vector<saved_value> &values)
{
	std::vector<saved_unit> units;
	for (auto [bits, most] : {std::pair{64u, 1u}, {32u, 1u}, {16u, 2u}, {1u, 32u}}) {
		size_t room = 0;
		for (const saved_value &v : values) {
			if (bits_of(v.type) != bits)
				continue;
			if (!room) {
				units.emplace_back().words = std::max(bits / 32, 1u);
				room = most;
			}
			units.back().values.push_back(v);
			room--;
		}
	}
	return units;
}

uint32_t place_units(const std::vector<std::vector<saved_unit> *> &points)
{
	std::vector<placed_register> placed;
	std::map<std::string_view, placed_register> wanted;
	for (size_t k = 0; k < points.size(); k++) {
		for (const saved_unit &u : *points[k]) {
			if (u.is_packed())
				continue;
			auto &r = wanted[u.values[0].name];
			r.words = u.words;
			r.points.resize(points.size());
			r.points[k] = true;
		}
	}
	uint32_t whole = 0, all = 0;
	for (auto &[name, r] : wanted) {
		r.place = first_free(r, placed);
		whole = std::max(whole, r.place + r.words);
		placed.push_back(r);
	}
	all = whole;
	for (auto *units : points) {
		uint32_t packed = whole;
		for (saved_unit &u : *units)
			u.place = u.is_packed() ? packed++ : wanted[u.values[0].name].place;
		all = std::max(all, packed);
	}
	return all;
}

} // namespace het::ptx
