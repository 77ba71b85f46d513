// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/explain.h"

#include "common/format.h"
#include "common/stats.h"
#include "common/table.h"

#include <algorithm>
#include <stdexcept>

namespace micro
{

namespace
{

using bench::format;
using bench::short_number;
using het::json;

std::string text(const json &value)
{
	return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string points_text(const json &points)
{
	bench::table t("Points, the samples of each at several places", {"x", "median", "least", "most", "samples"});
	for (const json &p : points) {
		const auto samples = p.at("samples").get<bench::series>();
		if (samples.empty())
			continue;
		const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
		t.row({format("%.0f", p.at("x").get<double>()), short_number(bench::median(samples)),
		       short_number(*least), short_number(*most), format("%zu", samples.size())});
	}
	return t.text();
}

std::string alternatives_text(const json &all)
{
	bench::table t("What else was tried; more badness fits worse", {"model", "size", "badness"});
	for (const json &a : all)
		t.row({text(a.at("model")), format("%.0f", a.at("size").get<double>()),
		       short_number(a.at("badness").get<double>())});
	return t.text();
}

} // namespace

std::string explain(const json &document, const std::string &fact)
{
	std::string names;
	for (const json &f : document["facts"]) {
		names += " " + text(f.at("name"));
		if (text(f.at("name")) != fact)
			continue;
		std::string out = fact + ": " + text(f.at("verdict"));
		if (f.contains("value"))
			out += format(", %.6g %s, from %.6g to %.6g, confidence %.2f", f["value"].get<double>(),
				      text(f.at("unit")).c_str(), f.at("low").get<double>(), f.at("high").get<double>(),
				      f.at("confidence").get<double>());
		out += "\nwhy: " + text(f.at("why")) + "\n";
		if (!f["claim"].is_null())
			out += "the device says: " + text(f["claim"]) + "\n";
		const json &basis = f["basis"];
		if (basis.contains("fit"))
			out += "fit: " + text(basis["fit"]["model"]) +
			       format(", off by %.2f of what the scatter allows\n",
				      basis["fit"].at("misfit").get<double>());
		if (!basis["points"].empty())
			out += points_text(basis["points"]);
		if (!basis["alternatives"].empty())
			out += alternatives_text(basis["alternatives"]);
		return out;
	}
	throw std::runtime_error("no fact '" + fact + "' in these results; they have" +
				 (names.empty() ? " none" : names));
}

} // namespace micro
