// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-analyse writes what LLVM's bitcode says about kernels as a fat binary without images. het-fatbin calls it.
#include "analysis/analysis.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <stdexcept>

#ifndef HET_VERSION
#define HET_VERSION "(unknown version)"
#endif

int main(int argc, char **argv)
{
	using namespace tool;
	CLI::App app{
		"Finds out whether launches of kernels may be divided over devices, and which bytes work-items use."};
	app.set_version_flag("--version", "het-analyse " HET_VERSION);
	std::string bitcode, out;
	app.add_option("bitcode", bitcode, "of clang, for SPIR; - for the standard input")->required();
	app.add_option("-o", out, "a fat binary without images, for het-fatbin list")->required();
	try {
		CLI11_PARSE(app, argc, argv);
		fat::document d;
		d.kernels = analysis::analyse(fat::read_file(bitcode));
		fat::replace_file(out, fat::to_elf(d));
	} catch (const std::exception &wrong) {
		fprintf(stderr, "het-analyse: %s\n", wrong.what());
		return 1;
	}
	return 0;
}
