// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// het-info tells what libhet would use on this machine, why, and what could be better.
#include "fatbin/list.h"
#include "info/advice.h"
#include "info/cuda.h"
#include "info/module.h"
#include "info/opencl.h"
#include "info/report.h"
#include "info/runtime.h"
#include "info/system.h"
#include "info/traps.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iostream>

#ifndef HET_VERSION
#define HET_VERSION "(unknown version)"
#endif

using info::json;

namespace
{

json library()
{
	Dl_info found{};
	void *function = dlsym(RTLD_DEFAULT, "gpuvm_init");
	if (!function || !dladdr(function, &found))
		return {{"version", HET_VERSION}};
	char *path = realpath(found.dli_fname, nullptr);
	json l = {{"version", HET_VERSION}, {"file", path ? path : found.dli_fname}};
	free(path);
	return l;
}

json make_report()
{
	json report;
	report["library"] = library();
	report["machine"] = info::machine();
	report["settings"] = info::settings();
	report["trap"] = info::chosen_trap();
	report["traps"] = info::all_traps();
	report["module"] = info::module();
	report["userfaultfd"] = info::userfaultfd_ways();
	report["memory"] = info::memory();
	report["devices"] = {{"host", true}, {"opencl", info::opencl()}, {"cuda", info::cuda()}};
	report["runtime"] = info::runtime();
	report["advice"] = info::advice(report);
	return report;
}

json describe_file(const tool::fat::document &d, const std::string &file, const std::string &section)
{
	json report = tool::fat::describe(d);
	report["devices"] = info::builds(file, section);
	return report;
}

int show_file(const std::string &file, const std::string &section, bool as_json)
{
	const auto d = tool::fat::read_document(file, section);
	const json report = describe_file(d, file, section);
	if (as_json) {
		std::cout << report.dump("  ") << '\n';
	} else {
		tool::fat::print(d);
		std::cout << std::flush;
		info::print_builds(report["devices"]);
	}
	return 0;
}

int show_machine(bool as_json)
{
	json report = make_report();
	if (as_json)
		std::cout << report.dump("  ") << '\n';
	else
		info::print_report(report);
	return report["trap"]["works"] ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	CLI::App app{"Shows what libhet would use on this machine, why, and what could be better."};
	std::string file, section;
	bool as_json = false;
	app.add_option("file", file, "a fat binary: show what is in it, and which devices here can use it");
	app.add_option("--section", section, "of an executable, that is a fat binary");
	app.add_flag("--json", as_json, "print one JSON document");
	app.set_version_flag("--version", "het-info " HET_VERSION);
	CLI11_PARSE(app, argc, argv);

	try {
		return file.empty() ? show_machine(as_json) : show_file(file, section, as_json);
	} catch (const std::exception &wrong) {
		fprintf(stderr, "het-info: %s\n", wrong.what());
		return 1;
	}
}
