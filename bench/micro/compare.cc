// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/compare.h"

#include "common/format.h"
#include "common/table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace micro
{

namespace
{

using bench::format;
using bench::short_number;
using het::json;

struct interval {
	std::string unit;
	double median = 0, low = 0, high = 0;
};

std::map<std::string, interval> intervals_of(const json &document)
{
	std::map<std::string, interval> all;
	for (const json &r : document.at("results")) {
		interval i{r.at("unit").get<std::string>(), r.at("median").get<double>()};
		i.low = r.contains("low") ? r["low"].get<double>() : i.median;
		i.high = r.contains("high") ? r["high"].get<double>() : i.median;
		all[r.at("name").get<std::string>()] = i;
	}
	return all;
}

// Latencies of levels are better if less, their sizes are neither.
double worse_by(const interval &a, const interval &b)
{
	if (a.median <= 0 || b.median <= 0)
		return 0;
	if (a.unit == "ns")
		return b.median / a.median - 1;
	const bool rate = a.unit.find("/s") != std::string::npos;
	return rate ? a.median / b.median - 1 : 0;
}

std::string names_text(const char *title, const std::vector<std::string> &names)
{
	constexpr size_t most = 8;
	if (names.empty())
		return "";
	std::string text = format("%s (%zu):", title, names.size());
	for (size_t i = 0; i < std::min(most, names.size()); i++)
		text += (i ? ", " : " ") + names[i];
	return text + (names.size() > most ? ", ...\n" : "\n");
}

} // namespace

comparison compare(const json &first, const json &second)
{
	const auto a = intervals_of(first), b = intervals_of(second);
	comparison c;
	for (const auto &[name, before] : a) {
		const auto it = b.find(name);
		if (it == b.end()) {
			c.only_first.push_back(name);
			continue;
		}
		const interval &after = it->second;
		difference d{name, before.unit, before.median, after.median};
		d.beyond = before.high < after.low || after.high < before.low;
		d.worse = worse_by(before, after);
		c.all.push_back(d);
	}
	for (const auto &[name, after] : b)
		if (!a.contains(name))
			c.only_second.push_back(name);
	return c;
}

std::string comparison_text(const comparison &c, const std::string &first, const std::string &second)
{
	bench::table t("Beyond both spreads, from " + first + " to " + second,
		       {"", "unit", "first", "second", "second / first", ""});
	t.left_columns(2);
	size_t differ = 0;
	for (const difference &d : c.all) {
		if (!d.beyond)
			continue;
		differ++;
		t.row({d.name, d.unit, short_number(d.first), short_number(d.second),
		       d.first != 0 ? format("%.3f", d.second / d.first) : "-",
		       d.worse > 0   ? "worse"
		       : d.worse < 0 ? "better"
				     : "other"});
	}
	const std::string same =
		format("%zu figures are the same within their spreads, %zu differ\n", c.all.size() - differ, differ);
	return (differ ? t.text() : "\n") + same + names_text("only in the first", c.only_first) +
	       names_text("only in the second", c.only_second);
}

size_t count_worse(const comparison &c, double share)
{
	return size_t(std::count_if(c.all.begin(), c.all.end(),
				    [&](const difference &d) { return d.beyond && d.worse > share; }));
}

double share_of_text(const std::string &text)
{
	size_t end = 0;
	double value = -1;
	try {
		value = std::stod(text, &end);
	} catch (const std::exception &) {
		end = 0;
	}
	const bool percent = end + 1 == text.size() && text.back() == '%';
	if (end == 0 || !(value >= 0) || (end != text.size() && !percent))
		throw std::runtime_error("--fail-above '" + text + "' is no share: give 5% or 0.05");
	return percent ? value / 100 : value;
}

} // namespace micro
