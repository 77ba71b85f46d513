// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/page_plot.h"

#include "common/format.h"
#include "common/plot.h"

namespace micro
{

namespace
{

using bench::format;

// Curves differ by dashes and points too, for those who see no colours.
std::string style_of(unsigned n)
{
	static const char *const colours[] = {"#0060ad", "#c23b22", "#2e7d32", "#6a3d9a", "#b35900", "#333333"};
	static const unsigned points[] = {7, 4, 8, 5, 10, 1};
	return format("with linespoints lw 2 ps 0.7 dt %u pt %u lc rgb '%s'", n % 5 + 1, points[n % 6], colours[n % 6]);
}

// Sizes are labelled by powers of two, each fourth of which is enough.
std::string ticks_of_bytes()
{
	return "set xtics ('1K' 2**10, '4K' 2**12, '16K' 2**14, '64K' 2**16, '256K' 2**18, '1M' 2**20, '4M' 2**22, "
	       "'16M' 2**24, '64M' 2**26, '256M' 2**28, '1G' 2**30)\n";
}

} // namespace

std::string script_of(const shown &s, const shown_curves &curves)
{
	std::string data, plots;
	unsigned n = 0;
	for (const auto &[name, points] : curves.curves) {
		data += format("$c%u << END\n", n);
		for (const auto &[x, p] : points)
			data += format("%.10g %.6g\n", x, p.median);
		data += "END\n";
		const std::string title = name.empty() ? "notitle" : "title " + bench::gnuplot_string(name);
		plots += format("%s$c%u using 1:2 %s ", n ? ", " : "plot ", n, title.c_str()) + style_of(n);
		n++;
	}
	// A phone shows plots at two thirds of their size.
	const std::string large =
		"set key above font ',13'\nset tics font ',13'\nset xlabel font ',13'\nset ylabel font ',13'\n";
	return data + "set logscale x 2\nset logscale y\nset grid\n" + large + "set xlabel " +
	       bench::gnuplot_string(s.x) + "\nset ylabel " + bench::gnuplot_string(curves.unit) + "\n" +
	       (s.x_is_bytes ? ticks_of_bytes() : "set format x '%.0f'\n") + plots + "\n";
}

} // namespace micro
