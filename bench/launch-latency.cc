// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures how much longer a launch through the runtime takes than one through the device's own API: an empty kernel,
// launched and waited for; and one of a chain of launches, each of which depends on the one before.
#include "common/clock.h"
#include "common/format.h"
#include "common/memory.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/raw_launch.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned rounds = 200, launches = 20;
};

constexpr int no_device_status = 4; // as kselftests have it

// Returns how many µs may be added at most.
double goal_of(het::device d)
{
	return d.kind() == HET_DEVICE_CUDA ? 3 : 5;
}

struct row {
	std::string name;
	empty_arguments arguments;
	uint32_t access = 0; // that of ranges
	bool edges = false;  // travel each time the range is written
	unsigned steps = 1;  // launches before the wait
};

constexpr unsigned chain = 24;

std::vector<row> rows()
{
	return {{"no argument", {0, false}},
		{"1 value", {1, false}},
		{"4 values", {4, false}},
		{"1 range, read", {1, true}, HET_READ_ONLY},
		{"1 range, read and written", {1, true}, HET_READ_WRITE},
		{"4 ranges, read", {4, true}, HET_READ_ONLY},
		{"4 ranges, read and written", {4, true}, HET_READ_WRITE},
		{"1 range with edges, read", {1, true}, HET_READ_ONLY, true},
		{"1 range with edges, read and written", {1, true}, HET_READ_WRITE, true},
		{"1 range, read and written, a step of 24", {1, true}, HET_READ_WRITE, false, chain},
		{"4 ranges, read and written, a step of 24", {4, true}, HET_READ_WRITE, false, chain},
		{"1 range with edges, read and written, a step of 24", {1, true}, HET_READ_WRITE, true, chain}};
}

het::program make_program()
{
	const std::array images = {het_image{HET_IMAGE_PTX, 0, empty_kernels.ptx, strlen(empty_kernels.ptx)}};
	return het::program(het::sources().opencl(empty_kernels.opencl).images(images));
}

// Makes the same launch through the runtime.
class het_side
{
      public:
	het_side(const het::queue &q, const het::program &p, const row &r)
	    : queue_(q), kernel_(p, r.arguments.kernel().c_str())
	{
		for (unsigned i = 0; i < r.arguments.count; i++) {
			if (r.arguments.ranges)
				ranges_[i] = host_array(empty_range_bytes, r.edges);
			args_[i] = r.arguments.ranges ? het_arg{HET_ARG_RANGE,     r.access, empty_range_bytes,
								ranges_[i].data(), nullptr,  nullptr}
						      : het_arg{HET_ARG_VALUE, 0,       sizeof(values_[i]),
								&values_[i],   nullptr, nullptr};
		}
		launch_.size = sizeof launch_;
		launch_.kernel = kernel_.get();
		launch_.dimensions = 1;
		launch_.global[0] = launch_.local[0] = empty_group;
		launch_.arg_size = sizeof(het_arg);
		launch_.nargs = r.arguments.count;
		launch_.args = args_.data();
	}
	het_side(const het_side &) = delete;
	het_side &operator=(const het_side &) = delete;

	void run(unsigned launches)
	{
		het_event *e;
		for (unsigned l = 1; l < launches; l++)
			het::check(het_launch(queue_.get(), &launch_, nullptr), "het_launch");
		het::check(het_launch(queue_.get(), &launch_, &e), "het_launch");
		het::check(het_event_wait(1, &e), "het_event_wait");
		het_event_release(e);
	}

      private:
	const het::queue &queue_;
	const het::kernel kernel_;
	std::array<host_array, most_empty_arguments> ranges_;
	std::array<uint32_t, most_empty_arguments> values_ = {};
	std::array<het_arg, most_empty_arguments> args_ = {};
	het_launch_args launch_ = {};
};

// Each time is one launch's share.
template <class S> void time_launches(S &side, unsigned times_each, unsigned steps, series &times)
{
	for (unsigned i = 0; i < times_each; i++) {
		stopwatch watch;
		side.run(steps);
		times.push_back(watch.lap() / steps);
	}
}

struct row_times {
	series het, raw; // one of each round
};

// The two take turns launch by launch, in changing order: a driver with two threads may serve every other launch by the
// one that the system has put where it wakes fast. Where the device would have to change contexts for each launch, they
// take turns round by round.
row_times measure(het_side &mine, raw_launch &theirs, unsigned steps, const options &o)
{
	const unsigned turn = theirs.changes_contexts() ? o.launches : 1;
	row_times t;
	unsigned turns = 0;
	for (unsigned round = 0; round <= o.rounds; round++) {
		row_times all;
		for (unsigned i = 0; i < o.launches; i += turn) {
			const bool first = turns++ & 1;
			if (first)
				time_launches(mine, turn, steps, all.het);
			time_launches(theirs, turn, steps, all.raw);
			if (!first)
				time_launches(mine, turn, steps, all.het);
		}
		if (!round)
			continue; // the first round links, and warms up
		t.het.push_back(midmean(all.het));
		t.raw.push_back(midmean(all.raw));
	}
	return t;
}

void measure_device(het::device d, unsigned ordinal, const std::string &name, const options &o, report &out)
{
	const double goal = goal_of(d);
	const het::queue queue(std::vector{d});
	const het::program program = make_program();
	table shown(
		format("An empty kernel, launched and waited for, on %s; goal at most %.0f µs more", d.name(), goal),
		{"µs", "het", "raw", "more"});
	for (const row &r : rows()) {
		const auto theirs = make_raw_launch(d, ordinal, r.arguments);
		het_side mine(queue, program, r);
		const row_times t = measure(mine, *theirs, r.steps, o);
		const ratio more = paired_difference(t.het, t.raw);
		const std::string path = name + "/" + r.name;
		out.result(path + "/het", "us", summarise(t.het));
		out.result(path + "/raw", "us", summarise(t.raw));
		out.difference_of(path + "/het - raw", "us", more, r.edges ? json::object() : json{{"must", goal}});
		shown.row({r.name, format("%.2f", median(t.het)), format("%.2f", median(t.raw)),
			   format("%+.2f (%+.2f to %+.2f)", more.median, more.low, more.high)});
	}
	shown.print();
}

int run(options o)
{
	if (o.common.quick) {
		o.rounds = std::min(o.rounds, 5u);
		o.launches = std::min(o.launches, 10u);
	}
	report out("launch-latency", {{"rounds", o.rounds}, {"launches", o.launches}});
	json &listed = out.document()["devices"] = json::array();
	unsigned ncuda = 0, nopencl = 0;
	for (het::device d : het::devices()) {
		const bool cuda = d.kind() == HET_DEVICE_CUDA;
		if (!cuda && d.kind() != HET_DEVICE_OPENCL)
			continue;
		const unsigned ordinal = cuda ? ncuda++ : nopencl++;
		const std::string name = format("%s%u", cuda ? "cuda" : "opencl", ordinal);
		listed.push_back({{"name", name}, {"device", d.name()}});
		measure_device(d, ordinal, name, o, out);
	}
	if (listed.empty()) {
		printf("no device here has an API of its own to compare with\n");
		return no_device_status;
	}
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Launch and wait of an empty kernel through het_launch(), against the device's own API.");
	add_common_options(line, o.common);
	line.number("--rounds", o.rounds, "each way");
	line.number("--launches", o.launches, "each way in a round, of which the middle half counts");
	return line.run(argc, argv, [&] { return run(o); });
}
