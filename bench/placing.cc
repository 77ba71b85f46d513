// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what several devices on the same processors are worth: launches that name no device, and shared ones, with
// all of them and with each one alone. Each list of devices lives in a process of its own, which is stopped while the
// others are measured.
#include "common/child.h"
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <cstdlib>
#include <het.hpp>
#include <memory>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned elements = 4096, launches = 500, rounds = 30;
};

constexpr double patience_s = 120;
const char *const lists[] = {"opencl,host", "opencl", "host"};

const char text[] = "kernel void add(global const float *x, global float *y, float a)\n"
		    "{ size_t i = get_global_id(0); y[i] += a * x[i]; }\n";

void add_on_host(const het_group *g, void *const *args)
{
	const auto *x = static_cast<const float *>(args[0]);
	auto *y = static_cast<float *>(args[1]);
	const float a = *static_cast<const float *>(args[2]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		y[i] += a * x[i];
}

enum class way : uint8_t { one_by_one, batch, split };
const char *const way_names[] = {"waited for one by one", "in a batch", "shared (HET_SPLIT)"};

class launcher
{
      public:
	explicit launcher(size_t elements)
	    : program_(het::sources().opencl(text).functions(functions_)), add_(program_, "add"), x_(elements, 1),
	      y_(elements)
	{
	}

	// @return µs a launch.
	double run(way how, unsigned launches)
	{
		stopwatch watch;
		for (unsigned i = 0; i < launches; i++) {
			het::event e = how == way::split ? share()
							 : queue_.launch(add_, x_.size(), het::read(x_),
									 het::read_write(y_), 1.0f);
			if (how == way::one_by_one)
				e.wait();
		}
		queue_.finish();
		return watch.lap() / launches;
	}

      private:
	het::event share()
	{
		return queue_.launch(add_, het::work(x_.size()).with(HET_SPLIT), het::read(x_).each(sizeof(float)),
				     het::read_write(y_).each(sizeof(float)), 1.0f);
	}

	const het_function functions_[1] = {{"add", add_on_host, 3}};
	het::queue queue_;
	het::program program_;
	het::kernel add_;
	std::vector<float> x_, y_;
};

std::unique_ptr<child> start(const char *list, size_t elements)
{
	return std::make_unique<child>([=]() -> answer_fn {
		setenv("HET_DEVICES", list, 1);
		auto l = std::make_shared<launcher>(elements);
		return [l](const json &q) -> json {
			return l->run(way(q.at("way").get<unsigned>()), q.at("launches").get<unsigned>());
		};
	});
}

// Returns times of each list, round by round; the first rounds learn.
std::vector<series> measure(std::vector<std::unique_ptr<child>> &all, way how, const options &o)
{
	constexpr unsigned untimed = 2;
	std::vector<series> times(all.size());
	for (unsigned round = 0; round < o.rounds + untimed; round++)
		for (size_t i = 0; i < all.size(); i++) {
			const size_t turn = (i + round) % all.size();
			const json question = {{"way", unsigned(how)}, {"launches", o.launches}};
			const double us = all[turn]->ask(question, patience_s).get<double>();
			if (round >= untimed)
				times[turn].push_back(us);
		}
	return times;
}

int run(options o)
{
	if (o.common.quick) {
		o.launches = std::min(o.launches, 100u);
		o.rounds = std::min(o.rounds, 3u);
	}
	std::vector<std::unique_ptr<child>> all;
	for (const char *list : lists)
		all.push_back(start(list, o.elements));
	report out("placing", {{"elements", o.elements}, {"launches", o.launches}, {"rounds", o.rounds}});
	table shown(format("Launches on %u elements; goal of the last column at least 0.95", o.elements),
		    {"µs a launch", lists[0], lists[1], lists[2], "best alone / all"});
	for (way how : {way::one_by_one, way::batch, way::split}) {
		const std::vector<series> times = measure(all, how, o);
		std::vector<std::string> cells = {way_names[size_t(how)]};
		for (size_t i = 0; i < all.size(); i++) {
			out.result(format("%s/%s", way_names[size_t(how)], lists[i]), "us", summarise(times[i]));
			cells.push_back(format("%.1f", median(times[i])));
		}
		const ratio r = paired_ratio(times[median(times[1]) < median(times[2]) ? 1 : 2], times[0]);
		out.ratio_of(format("%s/best alone / all", way_names[size_t(how)]), r);
		cells.push_back(format("%.2f (%.2f to %.2f)", r.median, r.low, r.high));
		shown.row(cells);
	}
	shown.print();
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Launches on devices that share processors, against each device alone.");
	add_common_options(line, o.common);
	line.number("--elements", o.elements, "floats that a launch works on");
	line.number("--launches", o.launches, "of each round");
	line.number("--rounds", o.rounds, "of each list of devices");
	return line.run(argc, argv, [&] { return run(o); });
}
