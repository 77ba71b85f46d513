// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/figures_output.h"

#include "common/format.h"
#include "common/table.h"

namespace bench
{

namespace
{

std::string number(double v, const std::string &unit)
{
	if (unit == "x")
		return format("%.3f", v);
	return short_number(v) + " " + unit;
}

std::string measured_text(const figure &f)
{
	std::string text = number(f.value.median, f.unit);
	if (f.value.rounds > 1)
		text += " (" + number(f.value.low, f.unit) + " to " + number(f.value.high, f.unit) + ")";
	return text;
}

std::string must_text(const figure &f)
{
	if (f.must_be == figure::bound::none)
		return "-";
	return (f.must_be == figure::bound::at_most ? "<= " : ">= ") + number(f.limit, f.unit);
}

std::string verdict(const figure &f)
{
	if (!f.why_missing.empty())
		return "not measured";
	if (f.must_be == figure::bound::none)
		return "";
	return f.ok() ? "ok" : "missed";
}

void report_figure(report &out, const figure &f)
{
	json more = {{"verdict", verdict(f)}, {"must", must_text(f)}, {"unit", f.unit}};
	if (f.why_missing.empty())
		out.ratio_of(f.what, f.value, more);
	else
		out.note(f.what + ": " + f.why_missing);
}

} // namespace

bool figure::ok() const
{
	return must_be == bound::at_least ? value.median >= limit : value.median <= limit;
}

size_t show_figures(const std::string &title, const std::vector<figure> &figures, report &out)
{
	table t(title, {"what", "measured", "must be", ""});
	size_t missed = 0;
	for (const auto &f : figures) {
		t.row({f.what, f.why_missing.empty() ? measured_text(f) : f.why_missing, must_text(f), verdict(f)});
		report_figure(out, f);
		missed += verdict(f) == "missed";
	}
	t.note("ratios: median of interleaved rounds, with its 95 % interval");
	t.print();
	return missed;
}

} // namespace bench
