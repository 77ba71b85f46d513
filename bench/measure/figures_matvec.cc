// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/figures.h"

#include "common/child.h"
#include "common/library.h"
#include "measure/matvec.h"

#include <algorithm>
#include <stdexcept>

namespace bench
{

namespace
{

constexpr double patience_s = 900;

json matvec_in_child(const std::string &name, const matvec_options &options)
{
	auto d = open_device(name);
	start_library({d.get()});
	json all = json::array();
	for (const auto &r : run_matvec(*d, 0, options)) {
		if (!(r.error <= matvec_tolerance))
			throw std::runtime_error(r.variant + " computed a wrong result");
		all.push_back({{"variant", r.variant}, {"totals", r.totals()}});
	}
	return all;
}

std::vector<figure> figures_of(const json &measured, const std::string &kind, bool edges)
{
	std::vector<figure> figures;
	for (const auto &which : matvec_ratios(edges)) {
		figure f;
		f.what = "matvec " + which.name + ", " + kind;
		f.unit = "x";
		f.value = paired_ratio(measured[which.variant]["totals"].get<series>(),
				       measured[which.reference]["totals"].get<series>());
		f.must_be = figure::bound::at_most;
		f.limit = which.must;
		figures.push_back(f);
	}
	return figures;
}

} // namespace

std::vector<figure> matvec_figures(const figure_options &o, report &out)
{
	std::vector<figure> figures;
	const std::string device = o.device.empty() ? "host" : o.device;
	for (bool edges : {false, true}) {
		matvec_options options;
		options.iterations = o.quick ? 200 : 1000;
		options.edges = edges;
		const std::string kind = edges ? "heap arrays with edges" : "arrays without edges";
		try {
			const json measured = in_child([&] { return matvec_in_child(device, options); }, patience_s);
			for (const auto &m : measured)
				out.result("matvec/" + device + (edges ? "/heap/" : "/aligned/") +
						   m["variant"].get<std::string>(),
					   "us", summarise(m["totals"].get<series>()), {{"rounds", m["totals"]}});
			for (const auto &f : figures_of(measured, kind, edges))
				figures.push_back(f);
		} catch (const std::exception &e) {
			figure f;
			f.what = "matvec, " + kind;
			f.why_missing = e.what();
			figures.push_back(f);
		}
	}
	return figures;
}

} // namespace bench
