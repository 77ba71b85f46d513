// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/tables.h"

#include "common/format.h"
#include "common/table.h"
#include "micro/shown.h"

#include <map>
#include <set>
#include <vector>

namespace micro
{

namespace
{

using bench::format;
using bench::short_number;
using het::json;

constexpr size_t most_named = 4; // of those that lack for one reason

std::string cell(const shown_point &p)
{
	const double half = (p.high - p.low) / 2;
	return short_number(p.median) + (p.median != 0 ? format(" ±%.1f%%", 100 * half / p.median) : "");
}

std::string curves_text(const shown &s, const json &document)
{
	const shown_curves all = curves_of(document, s.prefix);
	if (all.curves.empty())
		return "";
	std::vector<std::string> head = {s.x};
	std::set<double> places;
	for (const auto &[name, points] : all.curves) {
		head.push_back(name.empty() ? all.unit : name);
		for (const auto &[x, p] : points)
			places.insert(x);
	}
	bench::table t(std::string(s.title) + ", " + all.unit, head);
	for (double x : places) {
		std::vector<std::string> row = {s.x_is_bytes ? bench::amount_text(uint64_t(x)) : short_number(x)};
		for (const auto &[name, points] : all.curves)
			row.push_back(points.contains(x) ? cell(points.at(x)) : "");
		t.row(row);
	}
	return t.text();
}

std::string number_of(double value, const std::string &unit)
{
	return unit == "bytes" && value >= 1024 ? bench::amount_text(uint64_t(value)) : short_number(value);
}

std::string claim_of(const json &fact)
{
	const json &claim = fact["claim"];
	if (claim.is_null())
		return "";
	return claim.is_number() ? number_of(claim.get<double>(), fact.at("unit").get<std::string>()) : claim.dump();
}

// Returns the GHz at which a busy device was found to run, or 0.
double clock_in(const json &document)
{
	for (const json &f : document["facts"])
		if (f.at("name").get<std::string>() == "clock.busy" && f.contains("value"))
			return f["value"].get<double>();
	return 0;
}

std::string value_of(const json &fact, double ghz)
{
	const double value = fact["value"].get<double>();
	const std::string text = number_of(value, fact.at("unit").get<std::string>());
	const bool has_clocks = ghz > 0 && fact.at("name").get<std::string>().ends_with(".latency");
	return has_clocks ? text + format(" (%.0f clocks)", value * ghz) : text;
}

std::string facts_text(const json &document)
{
	if (document["facts"].empty())
		return "";
	bench::table t("What was found, with intervals of 95 %",
		       {"", "unit", "value", "from", "to", "confidence", "the device says", "why"});
	t.left_columns(2);
	const double ghz = clock_in(document);
	for (const json &f : document["facts"]) {
		const std::string unit = f.at("unit").get<std::string>();
		if (!f.contains("value")) {
			t.row({f.at("name").get<std::string>(), unit, f.at("verdict").get<std::string>(), "", "", "",
			       claim_of(f), f.at("why").get<std::string>()});
			continue;
		}
		t.row({f.at("name").get<std::string>(), unit, value_of(f, ghz), number_of(f["low"].get<double>(), unit),
		       number_of(f["high"].get<double>(), unit), format("%.2f", f["confidence"].get<double>()),
		       claim_of(f), f.at("why").get<std::string>()});
	}
	return t.text();
}

// Says of each stage what was predicted of it, and how much of the device it has.
std::string examples_text(const json &document)
{
	if (!document.contains("examples"))
		return "";
	bench::table t("Examples: what the figures predict, and what was measured",
		       {"", "stage", "unit", "measured", "predicted", "measured / predicted", "of the ceiling"});
	t.left_columns(3);
	for (const json &e : document["examples"]) {
		const double measured = e.at("measured").get<double>();
		const auto over = [&](const char *what) {
			return e.contains(what) ? format("%.2f", measured / e[what].get<double>()) : "";
		};
		t.row({e.at("example").get<std::string>(), e.at("stage").get<std::string>(),
		       e.at("unit").get<std::string>(), short_number(measured),
		       e.contains("predicted") ? short_number(e["predicted"].get<double>()) : "not known",
		       over("predicted"), over("ceiling")});
	}
	return t.text();
}

// Tests whose figures lack for one reason are named together.
std::string together_text(const char *title, const json &all_of_it)
{
	std::map<std::string, std::vector<const json *>> by_cure;
	for (const json &r : all_of_it)
		by_cure[r.at("cure").get<std::string>()].push_back(&r);
	std::string text;
	for (const auto &[cure, all] : by_cure) {
		for (size_t i = 0; i < all.size() && i < most_named; i++)
			text += "  " + all[i]->at("name").get<std::string>() + ": " +
				all[i]->at("reason").get<std::string>() + "\n";
		if (all.size() > most_named)
			text += format("  and %zu more\n", all.size() - most_named);
		text += "    cure: " + cure + "\n";
	}
	return text.empty() ? "" : std::string("\n") + title + "\n" + text;
}

} // namespace

std::string tables_of(const json &document)
{
	std::string text;
	for (const shown &s : all_shown())
		text += curves_text(s, document);
	return text + examples_text(document) + facts_text(document) + together_text("No figure", document["refused"]) +
	       together_text("To be doubted", document["warnings"]);
}

} // namespace micro
