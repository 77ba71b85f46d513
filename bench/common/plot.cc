// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/plot.h"

#include "base/process.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace bench
{

std::string gnuplot_string(const std::string &text)
{
	std::string out = "'";
	for (char c : text)
		out += c == '\'' ? std::string("''") : std::string(1, c);
	return out + "'";
}

bool plot(const std::string &base, const std::string &script, unsigned width, unsigned height)
{
	const std::string path = base + ".gnuplot";
	const std::string size = " size " + std::to_string(width) + "," + std::to_string(height);
	auto folder = std::filesystem::path(base).parent_path();
	if (!folder.empty())
		std::filesystem::create_directories(folder);
	std::ofstream f(path);
	f << "set encoding utf8\n"
	  << "set terminal svg" << size << " background 'white'\nset output " << gnuplot_string(base + ".svg") << "\n"
	  << script << "unset output\nreset\n"
	  << "set terminal pngcairo" << size << "\nset output " << gnuplot_string(base + ".png") << "\n"
	  << script << "unset output\n";
	f.close();
	if (!f) {
		fprintf(stderr, "no plot: can't write %s\n", path.c_str());
		return false;
	}
	const het::program_end end = het::run_program({"gnuplot", path});
	if (end.error)
		fprintf(stderr, "no plot: gnuplot can't be started (%s); install gnuplot-nox\n", strerror(end.error));
	else if (end.status)
		fprintf(stderr, "%sno plot: gnuplot %s on %s\n", end.printed.c_str(),
			het::text_of_status(end.status).c_str(), path.c_str());
	else
		printf("plot: %s.svg, %s.png\n", base.c_str(), base.c_str());
	return end.well();
}

} // namespace bench
