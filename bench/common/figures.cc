// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/figures.h"

#include "common/format.h"
#include "common/plot.h"
#include "common/table.h"

#include <cmath>
#include <filesystem>
#include <fstream>

namespace bench
{

void show(const figure &f, const char *number)
{
	std::vector<std::string> head = {""};
	head.insert(head.end(), f.bars.begin(), f.bars.end());
	table shown("Figure " + f.id + ": " + f.title + " (" + f.what + ")", head);
	for (const figure::group &g : f.groups) {
		std::vector<std::string> row = {g.name};
		for (const double v : g.values)
			row.push_back(std::isnan(v) ? "-" : format(number, v));
		shown.row(row);
	}
	shown.print();
}

void show(const std::vector<statement> &all)
{
	table shown("The thesis, as the notes have it, and the model", {"figure", "what", "thesis", "model"});
	shown.left_columns(4);
	for (const statement &t : all)
		shown.row({t.figure, t.what, t.thesis, t.here});
	shown.print();
}

het::json to_json(const std::vector<statement> &all)
{
	het::json made = het::json::array();
	for (const statement &t : all)
		made.push_back({{"figure", t.figure}, {"what", t.what}, {"thesis", t.thesis}, {"model", t.here}});
	return made;
}

void draw(const figure &f, const std::string &base_of_all)
{
	const std::string base = base_of_all + "-" + f.id;
	if (const auto folder = std::filesystem::path(base).parent_path(); !folder.empty())
		std::filesystem::create_directories(folder);
	std::ofstream data(base + ".dat");
	for (const figure::group &g : f.groups) {
		// Places along an axis are numbers to gnuplot, names are not.
		data << (f.lines ? g.name : '"' + g.name + '"');
		for (const double v : g.values)
			data << ' ' << (std::isnan(v) ? "NaN" : format("%g", v));
		data << '\n';
	}
	data.close();
	std::string script = "set title " + gnuplot_string(f.title) + " noenhanced\nset ylabel " +
			     gnuplot_string(f.what) +
			     "\nset key outside right noenhanced\nset grid y\nset yrange [0:]\n";
	script += f.lines ? "set style data linespoints\n"
			  : "set style data histograms\nset style fill solid 0.8\nset xtics rotate by -30 noenhanced\n";
	script += "plot ";
	for (size_t b = 0; b < f.bars.size(); b++)
		script += format("%s%s using %s title %s", b ? ", " : "", gnuplot_string(base + ".dat").c_str(),
				 f.lines ? format("1:%zu", b + 2).c_str() : format("%zu:xtic(1)", b + 2).c_str(),
				 gnuplot_string(f.bars[b]).c_str());
	plot(base, script + "\n", 1100, 500);
}

} // namespace bench
