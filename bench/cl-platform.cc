// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what OpenCL programs pay for going through the platform libhet, and what they get: launches, transfers and
// whole programs on one device, beside the same device without the platform; and the programs that compute on its
// device of all devices, beside each of these by itself. It knows nothing of libhet but what any OpenCL program sees.
#include "common/clock.h"
#include "common/format.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/cl_way.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

namespace bench
{
extern const kernel_text empty_kernels, change_kernels;
} // namespace bench

using namespace bench;

namespace
{

struct options {
	common_options common;
	unsigned rounds = 11, launches = 10000;
	std::string size = "usual", binaries;
	std::vector<std::string> what, programs;
};

constexpr char platform[] = "libhet";
constexpr size_t transferred = 64 << 20;
constexpr unsigned waits_a_round = 100; // launches that are waited for

bool is_wanted(const std::vector<std::string> &list, const std::string &name)
{
	return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

bool is_joint(const cl_device_info_text &d)
{
	return d.name.find(" joint") != std::string::npos;
}

// The devices of the machine as the loader shows them.
struct machine {
	std::vector<cl_device_info_text> members; // of the platform, each by itself
	std::vector<cl_device_info_text> joint;   // one, or none
	std::vector<cl_device_info_text> direct;  // those of other platforms
};

machine find_devices()
{
	machine m;
	for (const cl_device_info_text &d : list_cl_devices())
		(d.platform != platform ? m.direct : is_joint(d) ? m.joint : m.members).push_back(d);
	return m;
}

// The same device, with the platform and without it.
struct both_ways {
	cl_way through, direct;
};

both_ways find_both_ways(const machine &m)
{
	for (const cl_device_info_text &t : m.members)
		for (const cl_device_info_text &d : m.direct)
			if (t.name.starts_with(d.name))
				return {cl_way(t), cl_way(d)};
	throw std::runtime_error("the loader does not show one device with libhet and without: OCL_ICD_VENDORS=folder/ "
				 "with het.icd and the driver's file in it");
}

// What is measured takes turns, in changing order. The first round builds, links and warms up.
template <size_t n> std::array<series, n> take_turns(unsigned rounds, const std::array<std::function<double()>, n> &all)
{
	std::array<series, n> times;
	for (unsigned round = 0; round <= rounds; round++) {
		for (size_t i = 0; i < n; i++) {
			const size_t turn = (i + round) % n;
			const double us = all[turn]();
			if (round)
				times[turn].push_back(us);
		}
	}
	return times;
}

std::string interval(const ratio &r)
{
	return format("%.3f (%.3f to %.3f)", r.median, r.low, r.high);
}

// --- one kernel that does nothing, waited for or not ------------------------------------

class empty_kernel
{
      public:
	explicit empty_kernel(const cl_way &w)
	    : way_(w), program_(build_cl_program(w.context.get(), w.device, empty_kernels.opencl, ""))
	{
		cl_int err;
		kernel_.reset(clCreateKernel(program_.get(), "ranges1", &err));
		cl_check(err, "clCreateKernel");
		buffer_.reset(clCreateBuffer(w.context.get(), CL_MEM_READ_WRITE, 4096, nullptr, &err));
		cl_check(err, "clCreateBuffer");
		const cl_mem m = buffer_.get();
		cl_check(clSetKernelArg(kernel_.get(), 0, sizeof(cl_mem), &m), "clSetKernelArg");
	}

	// Each launch may write what the one before has written. Returns the time of one.
	double run(unsigned launches) const
	{
		const size_t items = 64;
		stopwatch watch;
		for (unsigned i = 0; i < launches; i++)
			cl_check(clEnqueueNDRangeKernel(way_.queue.get(), kernel_.get(), 1, nullptr, &items, &items, 0,
							nullptr, nullptr),
				 "clEnqueueNDRangeKernel");
		cl_check(clFinish(way_.queue.get()), "clFinish");
		return watch.lap() / launches;
	}
	double run_each(unsigned launches) const
	{
		series times;
		for (unsigned i = 0; i < launches; i++)
			times.push_back(run(1));
		return midmean(times);
	}

      private:
	const cl_way &way_;
	const cl_program_owner program_;
	cl_kernel_owner kernel_;
	cl_memory_owner buffer_;
};

void measure_launches(const both_ways &w, const options &o, table &shown, report &out)
{
	const empty_kernel through(w.through), direct(w.direct);
	const auto [t, d] = take_turns<2>(o.rounds, {[&] { return through.run_each(waits_a_round); },
						     [&] { return direct.run_each(waits_a_round); }});
	const ratio more = paired_difference(t, d);
	out.result("launch/through", "us", summarise(t));
	out.result("launch/direct", "us", summarise(d));
	out.difference_of("launch/through - direct", "us", more, {{"must", 5}});
	shown.row({"an empty kernel and clFinish(), us", format("%.2f", median(d)), format("%.2f", median(t)),
		   "+ " + interval(more), "+ 5"});
}

void measure_chain(const both_ways &w, const options &o, table &shown, report &out)
{
	const empty_kernel through(w.through), direct(w.direct);
	const auto [t, d] = take_turns<2>(
		o.rounds, {[&] { return through.run(o.launches); }, [&] { return direct.run(o.launches); }});
	const ratio r = paired_ratio(t, d);
	out.result("chain/through", "us", summarise(t));
	out.result("chain/direct", "us", summarise(d));
	out.ratio_of("chain/through / direct", r, {{"must", 1.2}, {"launches", o.launches}});
	shown.row({format("one of %u in a row, us", o.launches), format("%.2f", median(d)), format("%.2f", median(t)),
		   interval(r), "1.2"});
}

// --- programs ----------------------------------------------------------------------------

cl_program_text written_changed_and_read()
{
	cl_program_text p;
	p.name = "64 MiB written, changed and read";
	p.text = &change_kernels;
	p.kernel = "change";
	p.arrays = {{transferred, std::vector<char>(transferred, 1), true}};
	p.arguments = {size_t{0}};
	p.global[0] = transferred / 8;
	p.local[0] = 256;
	return p;
}

double time_of(cl_running &r)
{
	stopwatch watch;
	r.run();
	return watch.lap();
}

using results = std::vector<std::vector<char>>;

// Tells of the words in which an array differs from another, as text; it is empty if it does not. Another rounding
// looks otherwise than bytes that never came.
std::string difference(const std::vector<char> &one, const std::vector<char> &other)
{
	size_t count = 0, first = 0, last = 0;
	for (size_t at = 0; at + sizeof(float) <= one.size(); at += sizeof(float)) {
		if (!memcmp(&one[at], &other[at], sizeof(float)))
			continue;
		first = count++ ? first : at;
		last = at;
	}
	if (!count)
		return "";
	float a, b;
	memcpy(&a, &one[first], sizeof(a));
	memcpy(&b, &other[first], sizeof(b));
	return format("; %zu of %zu words of an array, from byte %zu to %zu, the first is %a and %a as a float", count,
		      one.size() / sizeof(float), first, last, double(a), double(b));
}

void check_same(const std::string &what, const results &one, const results &other)
{
	std::string where;
	for (size_t i = 0; i < one.size(); i++)
		where += difference(one[i], other[i]);
	if (one != other)
		throw std::runtime_error(what + ": the results are not the same" + where);
}

ratio compare(const both_ways &w, const cl_program_text &p, const options &o, double must, table &shown, report &out)
{
	cl_running through(w.through, p), direct(w.direct, p);
	const auto [t, d] =
		take_turns<2>(o.rounds, {[&] { return time_of(through); }, [&] { return time_of(direct); }});
	check_same(p.name + ", with the platform and without", through.results(), direct.results());
	const ratio r = paired_ratio(t, d);
	out.result(p.name + "/through", "us", summarise(t));
	out.result(p.name + "/direct", "us", summarise(d));
	out.ratio_of(p.name + "/through / direct", r, {{"must", must}});
	shown.row({p.name + ", ms", format("%.2f", median(d) * 1e-3), format("%.2f", median(t) * 1e-3), interval(r),
		   format("%.2f", must)});
	return r;
}

cl_size size_of(const options &o)
{
	return o.size == "small" ? cl_size::small : o.size == "usual" ? cl_size::usual : cl_size::large;
}

void measure_programs(const both_ways &w, const options &o, table &shown, report &out)
{
	series logs;
	for (const cl_program_maker &p : cl_programs())
		if (is_wanted(o.programs, p.name))
			logs.push_back(std::log(compare(w, p.make(size_of(o)), o, 1.05, shown, out).median));
	if (logs.empty())
		throw std::runtime_error("none of the programs has such a name");
	const double mean = std::exp(std::accumulate(logs.begin(), logs.end(), 0.0) / double(logs.size()));
	out.value("programs/geometric mean", "", mean, {{"must", 1.02}});
	shown.row({"their geometric mean", "", "", format("%.3f", mean), "1.02"});
}

void measure_one_device(const machine &m, const options &o, report &out)
{
	const both_ways w = find_both_ways(m);
	table shown(w.direct.name + ", with the platform and without",
		    {"what", "without", "with", "with / without", "at most"});
	if (is_wanted(o.what, "launch"))
		measure_launches(w, o, shown, out);
	if (is_wanted(o.what, "chain"))
		measure_chain(w, o, shown, out);
	if (is_wanted(o.what, "transfer"))
		compare(w, written_changed_and_read(), o, 1.02, shown, out);
	if (is_wanted(o.what, "programs"))
		measure_programs(w, o, shown, out);
	shown.print();
}

// --- all devices as one ---------------------------------------------------------------------

// The time in which all would have done it, if each did its part as fast as alone.
double ideal_of(const std::vector<series> &alone, size_t round)
{
	double speed = 0;
	for (const series &s : alone)
		speed += 1 / s[round];
	return 1 / speed;
}

void measure_joint(const machine &m, const cl_way &joint, const std::vector<std::unique_ptr<cl_way>> &members,
		   const cl_program_text &p, const options &o, table &shown, report &out)
{
	cl_running together(joint, p, o.binaries);
	std::vector<std::unique_ptr<cl_running>> each;
	for (const auto &w : members)
		each.push_back(std::make_unique<cl_running>(*w, p, o.binaries));
	series all, ideals;
	std::vector<series> alone(each.size());
	unsigned shared = 0;
	for (unsigned round = 0; round <= o.rounds; round++) {
		const double us = time_of(together);
		for (size_t i = 0; i < each.size(); i++)
			alone[i].push_back(time_of(*each[i]));
		if (!round) // it tells the platform how fast the devices are
			for (series &s : alone)
				s.clear();
		else
			all.push_back(us);
		shared += together.parts() > 1;
	}
	for (size_t i = 0; i < each.size(); i++)
		check_same(p.name + format(", device %zu of all and all as one", i), each[i]->results(),
			   together.results());
	for (size_t round = 0; round < all.size(); round++)
		ideals.push_back(ideal_of(alone, round));
	const ratio r = paired_ratio(ideals, all);
	std::vector<std::string> cells = {p.name, format("%.2f", median(all) * 1e-3),
					  format("%.2f", median(ideals) * 1e-3), interval(r),
					  format("%u of %u", shared, o.rounds + 1)};
	out.result(p.name + "/joint", "us", summarise(all));
	for (size_t i = 0; i < alone.size(); i++) {
		out.result(p.name + format("/alone/%zu", i), "us", summarise(alone[i]),
			   {{"device", m.members[i].name}});
		cells.push_back(format("%.2f", median(alone[i]) * 1e-3));
	}
	out.ratio_of(p.name + "/ideal / joint", r, {{"must", 0.9}, {"shared", shared}});
	shown.row(cells);
}

void measure_joint_device(const machine &m, const options &o, report &out)
{
	const cl_way joint(m.joint[0]);
	std::vector<std::unique_ptr<cl_way>> members;
	std::vector<std::string> head = {"ms", "joint", "ideal", "ideal / joint (goal 0.90)", "shared"};
	for (const cl_device_info_text &d : m.members) {
		members.push_back(std::make_unique<cl_way>(d));
		head.push_back(format("alone %zu", members.size() - 1));
	}
	table shown(joint.name, head);
	for (const cl_program_maker &p : cl_programs())
		if (o.programs.empty() ? p.computes : is_wanted(o.programs, p.name))
			measure_joint(m, joint, members, p.make(size_of(o)), o, shown, out);
	shown.print();
}

int run(options o)
{
	if (o.common.quick) {
		o.rounds = std::min(o.rounds, 2u);
		o.launches = std::min(o.launches, 100u);
		o.size = "small";
	}
	const machine m = find_devices();
	if (m.members.empty()) {
		fprintf(stderr,
			"the loader does not show the platform libhet: OCL_ICD_VENDORS=folder/ names het.icd\n");
		return 4;
	}
	report out("cl-platform", {{"rounds", o.rounds}, {"launches", o.launches}, {"size", o.size}});
	if (is_wanted(o.what, "joint") && !m.joint.empty() && m.members.size() > 1)
		measure_joint_device(m, o, out);
	if (o.what.empty() || o.what != std::vector<std::string>{"joint"})
		measure_one_device(m, o, out);
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("What OpenCL programs pay for the platform libhet, and what they get.");
	add_common_options(line, o.common);
	line.number("--rounds", o.rounds, "rounds, in which each way has a turn");
	line.number("--launches", o.launches, "launches in a row");
	line.text("--size", o.size, "how large the programs are", {"small", "usual", "large"});
	line.list("--what", o.what, "what is measured, otherwise all",
		  {"launch", "chain", "transfer", "programs", "joint"});
	line.text("--binaries", o.binaries, "a folder with PROGRAM.het of each program, for the device of all devices");
	line.list("--programs", o.programs, "some of the ten programs", {});
	return line.run(argc, argv, [&] { return run(o); });
}
