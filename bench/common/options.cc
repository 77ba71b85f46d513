// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/options.h"

#include <cstdio>
#include <exception>

namespace bench
{

void add_common_options(CLI::App &app, common_options &options)
{
	app.add_flag("--quick", options.quick, "fewer samples: a first impression");
	app.add_option("--json", options.json, "write the results to this file");
	app.get_formatter()->column_width(34);
}

int run_program(CLI::App &app, int argc, char **argv, const std::function<int()> &body)
{
	CLI11_PARSE(app, argc, argv);
	try {
		return body();
	} catch (const std::exception &e) {
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", argv[0], e.what());
		return 2;
	}
}

} // namespace bench
