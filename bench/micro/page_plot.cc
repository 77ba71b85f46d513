// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/page_plot.h"

#include "common/format.h"
#include "common/plot.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

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
	return "set xtics ('4' 4, '16' 16, '64' 64, '256' 256, '1K' 2**10, '4K' 2**12, '16K' 2**14, '64K' 2**16, "
	       "'256K' 2**18, '1M' 2**20, '4M' 2**22, "
	       "'16M' 2**24, '64M' 2**26, '256M' 2**28, '1G' 2**30)\n";
}

// Curves of one point each are bars, with their numbers.
std::string script_of_bars(const shown_curves &curves, const std::string &fonts)
{
	std::string data = "$bars << END\n";
	for (const auto &[name, points] : curves.curves)
		data += "\"" + name + format("\" %.6g\n", points.begin()->second.median);
	return data + "END\nset datafile separator whitespace\nunset key\nset grid y\n" + fonts + "set ylabel " +
	       bench::gnuplot_string(curves.unit) +
	       "\nset yrange [0:*]\nset offsets 0, 0, graph 0.1, 0\nset style fill solid\nset boxwidth 0.6\n" +
	       "set xtics rotate by -30\n" + "plot $bars using 0:2:xtic(1) with boxes lc rgb '#3b7dbd', " +
	       "$bars using 0:2:(sprintf($2 < 100 ? '%.3g' : '%.0f', $2)) with labels offset 0,0.7 font ',12'\n";
}

// Things that are counted stand side by side, each with its interval.
std::string script_of_counted(const shown &s, const shown_curves &curves, const std::string &fonts)
{
	std::string data, plots;
	unsigned n = 0;
	double least = 0, most = 0;
	for (const auto &[name, points] : curves.curves) {
		data += format("$c%u << END\n", n);
		for (const auto &[x, p] : points) {
			data += format("%.10g %.6g %.6g %.6g\n", x, p.median, p.low, p.high);
			least = std::min(least, x);
			most = std::max(most, x);
		}
		const std::string title = name.empty() ? "notitle" : "title " + bench::gnuplot_string(name);
		plots += format("%s$c%u using 1:2:3:4 %s with yerrorbars pt %u ps 1 lw 2", n ? ", " : "plot ", n,
				title.c_str(), n % 2 ? 4 : 7);
		data += "END\n";
		n++;
	}
	return data + "set grid y\nset key above font ',13'\nset yrange [0:*]\n" +
	       format("set xrange [%g:%g]\n", least - 0.5, most + 0.5) + (most - least < 16 ? "set xtics 1\n" : "") +
	       fonts + "set xlabel " + bench::gnuplot_string(s.x) + "\nset ylabel " +
	       bench::gnuplot_string(curves.unit) + "\n" + plots + "\n";
}

// Labels of places on an axis, which are 0, 1, 2, ...
std::string ticks_of(const char *axis, const std::vector<double> &values)
{
	std::string all = format("set %s (", axis);
	for (size_t i = 0; i < values.size(); i++)
		all += format("%s'%g' %zu", i ? ", " : "", values[i], i);
	return all + ")\n";
}

// Each field has its number, so that the map says the same without colours, of which darker ones are more.
std::string script_of_map(const shown &s, const shown_curves &curves)
{
	std::vector<double> xs, ys;
	for (const auto &[name, points] : curves.curves) {
		ys.push_back(strtod(name.c_str(), nullptr));
		for (const auto &[x, p] : points)
			if (std::find(xs.begin(), xs.end(), x) == xs.end())
				xs.push_back(x);
	}
	std::sort(xs.begin(), xs.end());
	std::string data = "$map << END\n";
	size_t y = 0;
	double most = 0;
	for (const auto &[name, points] : curves.curves) {
		for (size_t x = 0; x < xs.size(); x++) {
			const auto it = points.find(xs[x]);
			if (it == points.end())
				continue;
			data += format("%zu %zu %.6g\n", x, y, it->second.median);
			most = std::max(most, it->second.median);
		}
		y++;
	}
	return data +
	       "END\nunset key\nset tics font ',13' out nomirror\nset xlabel font ',13'\nset ylabel font ',13'\n" +
	       "set xlabel " + bench::gnuplot_string(s.x) + "\nset ylabel " + bench::gnuplot_string(s.y_of_map) + "\n" +
	       "set cblabel " + bench::gnuplot_string(curves.unit) + "\n" + ticks_of("xtics", xs) +
	       ticks_of("ytics", ys) +
	       format("set xrange [-0.5:%g]\nset yrange [-0.5:%g]\nset cbrange [0:%g]\n", double(xs.size()) - 0.5,
		      double(ys.size()) - 0.5, most) +
	       "set palette defined (0 'white', 1 '#3b7dbd')\nset style fill solid\n" +
	       "plot $map using 1:2:(0.5):(0.5):3 with boxxyerror lc palette, " +
	       "$map using 1:2:(sprintf($3 < 10 ? '%.1f' : '%.0f', $3)) with labels font ',10'\n";
}

} // namespace

std::string script_of(const shown &s, const shown_curves &curves)
{
	if (s.y_of_map)
		return script_of_map(s, curves);
	// A phone shows plots at two thirds of their size.
	const std::string fonts = "set tics font ',13'\nset xlabel font ',13'\nset ylabel font ',13'\nset rmargin 5\n";
	const bool bars = std::all_of(curves.curves.begin(), curves.curves.end(),
				      [](const auto &curve) { return curve.second.size() == 1; });
	if (bars && curves.curves.size() > 1)
		return script_of_bars(curves, fonts);
	if (s.counts)
		return script_of_counted(s, curves, fonts);
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
	return data + "set logscale x 2\nset logscale y\nset grid\nset key above font ',13'\n" + fonts + "set xlabel " +
	       bench::gnuplot_string(s.x) + "\nset ylabel " + bench::gnuplot_string(curves.unit) + "\n" +
	       (s.x_is_bytes ? ticks_of_bytes() : "set format x '%.0f'\n") + plots + "\n";
}

} // namespace micro
