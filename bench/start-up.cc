// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures from a process's start to a queue, and to the end of the first kernel on it: through the runtime, and with
// OpenCL by hand. Each is a small program (bench/start-up/), started anew for every sample.
#include "base/process.h"
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned rounds = 60;
};

constexpr double goal = 1.1;

struct start {
	double queue = 0, kernel = 0; // µs
};

// The program is started without a shell, which would be a part of what is measured.
start measure(const std::string &name)
{
	const std::string path = std::filesystem::read_symlink("/proc/self/exe").replace_filename(name);
	const double begin = now_us();
	const het::program_end end = het::run_program({path}, het::errors::shown);
	if (!end.well())
		throw std::runtime_error(path + (end.error ? " can't be started" : " failed"));
	double queue = 0, kernel = 0;
	if (sscanf(end.printed.c_str(), "queue %lf kernel %lf", &queue, &kernel) != 2)
		throw std::runtime_error(path + " did not say when it was ready");
	return {queue * 1e-3 - begin, kernel * 1e-3 - begin};
}

struct starts {
	series queue, kernel;

	void add(const start &s)
	{
		queue.push_back(s.queue);
		kernel.push_back(s.kernel);
	}
};

int run(options o)
{
	if (o.common.quick)
		o.rounds = std::min(o.rounds, 3u);
	starts het, plain;
	for (unsigned round = 0; round <= o.rounds; round++) {
		start h, p;
		if (round & 1)
			h = measure("start-up-with_het");
		p = measure("start-up-with_opencl");
		if (!(round & 1))
			h = measure("start-up-with_het");
		if (!round)
			continue; // the first start fills caches, the driver's own, too
		het.add(h);
		plain.add(p);
	}
	report out("start-up", {{"rounds", o.rounds}});
	table shown(format("From a process's start; goal at most %.1f", goal), {"ms", "het", "OpenCL", "het / OpenCL"});
	auto tell = [&](const std::string &what, const series &h, const series &p) {
		const ratio r = paired_ratio(h, p);
		out.result(what + "/het", "us", summarise(h));
		out.result(what + "/opencl", "us", summarise(p));
		out.ratio_of(what + "/het / opencl", r, {{"must", goal}});
		shown.row({"to " + what, format("%.2f", median(h) * 1e-3), format("%.2f", median(p) * 1e-3),
			   format("%.3f (%.3f to %.3f)", r.median, r.low, r.high)});
	};
	tell("a queue", het.queue, plain.queue);
	tell("the end of a kernel", het.kernel, plain.kernel);
	shown.print();
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("A program's start through het, and with OpenCL by hand.");
	add_common_options(line, o.common);
	line.number("--rounds", o.rounds, "starts each way");
	return line.run(argc, argv, [&] { return run(o); });
}
