// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "apps/common/app.h"
#include "apps/common/sharing.h"

#include "common/clock.h"
#include "common/format.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <gpuvm.h>
#include <random>

namespace bench
{

void add_app_options(command_line &line, app_options &o)
{
	add_common_options(line, o.common);
	line.flag("--small", o.small, "the smallest sizes and one round: a test");
	line.flag("--split", o.split, "share each launch out among all devices, where the kernel allows it");
	line.flag("--sharing", o.sharing, "compare that with each device by itself, instead of by hand");
	line.flag("--twins", o.twins, "with --sharing: also where nothing tells what work-items write");
	line.flag("--place", o.place, "compute once, and tell which devices the runtime chose for the launches");
	line.number("--rounds", o.rounds, "computations each way");
}

het_side::het_side(const std::vector<het::device> &devices, way how, const app_kernels &kernels)
    : devices_(how == way::alone ? std::vector{devices.front()} : devices), how_(how), queue_(devices_),
      program_(het::sources()
		       .opencl(kernels.text->opencl)
		       .functions(kernels.functions)
		       .images(std::array{het_image{HET_IMAGE_PTX, 0, kernels.text->ptx, strlen(kernels.text->ptx)}}))
{
}

het::argument het_side::told(const het::argument &a)
{
	const het_arg plain = a.get();
	if (how_ != way::blind || plain.access == HET_READ_ONLY)
		return a;
	blind_bytes_ += plain.nbytes;
	return a.anywhere();
}

void het_side::count_parts()
{
	for (const het::event &e : launched_) {
		for (const het_event_part_info &part : e.parts())
			done_[part.device] += part.count;
	}
	launched_.clear();
}

std::map<std::string, double> het_side::shares() const
{
	double all = 0;
	for (const auto &[device, items] : done_)
		all += double(items);
	std::map<std::string, double> shares;
	for (size_t i = 0; i < devices_.size(); i++)
		if (const auto done = done_.find(devices_[i].get()); done != done_.end())
			shares[format("%zu %s", i, devices_[i].name())] = double(done->second) / all;
	return shares;
}

const het::kernel &het_side::find(const char *name)
{
	auto k = kernels_.find(name);
	if (k == kernels_.end())
		k = kernels_.emplace(name, het::kernel(program_, name)).first;
	return k->second;
}

std::vector<float> random_floats(size_t n, unsigned seed, float low, float high)
{
	std::minstd_rand source(seed);
	std::vector<float> v(n);
	for (float &f : v)
		f = low + (high - low) * float(source() & 0xffff) / 0x10000;
	return v;
}

namespace
{

// A side has its problem, and the worst of its results.
struct side {
	std::unique_ptr<problem> p;
	double error = 0;

	// Runs one round, with what the host writes and reads. @return µs.
	template <class F> double time(unsigned input, F compute)
	{
		stopwatch watch;
		p->write(input);
		compute(*p);
		error = std::max(error, p->error(input));
		return watch.lap();
	}
};

// Tells what the runtime has moved so far.
struct movement {
	uint64_t to_device = 0, to_host = 0;

	static movement so_far()
	{
		unsigned long long to_device = 0, to_host = 0;
		if (gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &to_device) ||
		    gpuvm_stat(GPUVM_STAT_BYTES_TO_HOST, &to_host))
			return {};
		return {to_device, to_host};
	}
};

// Each round does both, in changing order, so that whatever disturbs the machine for longer than a round concerns both.
app_times measure(side &mine, side &theirs, het_side &het, plain_device *plain, unsigned rounds)
{
	app_times t;
	for (unsigned round = 0; round <= rounds; round++) {
		const unsigned input = (rounds - round) % problem::inputs; // gives the last round the first input
		double h = 0, p = 0;
		const bool counts = round && plain; // the memory core has started, and has a device
		const movement before = counts ? movement::so_far() : movement();
		auto with_het = [&] { h = mine.time(input, [&](problem &m) { m.with_het(het); }); };
		auto by_hand = [&] { p = theirs.time(input, [&](problem &m) { m.by_hand(*plain); }); };
		if (round & 2)
			with_het();
		if (plain)
			by_hand();
		if (!(round & 2))
			with_het();
		het.count_parts();
		if (!round)
			continue; // the first round compiles and links
		t.het.push_back(h);
		const movement after = counts ? movement::so_far() : movement();
		t.to_device += after.to_device - before.to_device;
		t.to_host += after.to_host - before.to_host;
		if (plain)
			t.plain.push_back(p);
	}
	return t;
}

void tell_times(table &shown, report &out, const std::string &name, const app_times &t)
{
	const double het = median(t.het);
	const double rounds = double(t.het.size());
	out.result(name + "/het", "us", summarise(t.het),
		   {{"bytes_to_device", double(t.to_device) / rounds}, {"bytes_to_host", double(t.to_host) / rounds}});
	if (t.plain.empty()) {
		shown.row({name, format("%.1f", het), "-", "-", "-"});
		return;
	}
	const double plain = median(t.plain);
	const ratio r = paired_ratio(t.het, t.plain);
	out.result(name + "/plain", "us", summarise(t.plain));
	out.ratio_of(name + "/het / plain", r);
	shown.row({name, format("%.1f", het), format("%.1f", plain), format("%+.1f", het - plain),
		   format("%.3f (%.3f to %.3f)", r.median, r.low, r.high)});
}

bool tell_error(const application &a, table &t, report &out, const std::string &name, double error)
{
	const bool right = error <= a.tolerance;
	t.note(format("%s: %s, error %.2g, allowed %.2g", name.c_str(), right ? "right" : "WRONG", error, a.tolerance));
	out.value(name + "/error", "", std::isinf(error) ? 1e300 : error); // JSON has no infinity
	return right;
}

// Returns no device where HET_DEVICES names none that is here.
std::vector<het::device> find_devices()
{
	try {
		return het::devices();
	} catch (const het::error &e) {
		if (e.code() != HET_EARG)
			throw;
		printf("%s\n", e.what());
		return {};
	}
}

// First each device computes alone, the second time with all that drivers do once behind it. That is another program
// for the runtime, so that nothing is known of the kernels that it places.
int tell_places(const application &a, const app_options &o, const std::vector<het::device> &devices)
{
	report out(a.name + "-placed", a.settings);
	const auto compute = [](side &on, het_side &het) {
		return on.time(0, [&](problem &p) {
			p.with_het(het);
			het.finish();
		});
	};
	for (size_t i = 0; i < devices.size(); i++) {
		het_side alone({devices[i]}, het_side::way::alone, a.kernels);
		side on{a.make(nullptr)};
		compute(on, alone);
		out.value(format("alone/%zu", i), "us", compute(on, alone));
	}
	het_side het(devices, het_side::way::placed, a.kernels);
	side mine{a.make(nullptr)};
	const double us = compute(mine, het);
	het.count_parts();
	out.value("first", "us", us);
	table shown(format("%s, placed; %.1f µs", a.title.c_str(), us), {"device", "share of the work-items"});
	for (const auto &[name, share] : het.shares()) {
		shown.row({name, format("%.1f %%", 100 * share)});
		out.value("share/" + name, "", share);
	}
	shown.print();
	out.write(o.common.json);
	return mine.error <= a.tolerance ? 0 : 1;
}

} // namespace

int run_application(const application &a, const app_options &o)
{
	const std::vector<het::device> devices = find_devices();
	if (devices.empty())
		return no_device_status;
	if (o.sharing)
		return measure_sharing(a, o, devices);
	if (o.place)
		return tell_places(a, o, devices);
	const het::device device = devices.front();
	const unsigned rounds = o.small ? 1 : o.common.quick ? std::min(o.rounds, 3u) : o.rounds;

	het_side het(devices, o.split ? het_side::way::split : het_side::way::alone, a.kernels);
	const auto plain = open_plain(device, a.kernels);
	side mine{a.make(nullptr)}, theirs{plain ? a.make(plain.get()) : nullptr};
	json settings = a.settings;
	settings["rounds"] = rounds;
	settings["split"] = o.split;
	report out(a.name, std::move(settings));
	out.document()["device"] = device.name();
	table shown(format("%s, on %s", a.title.c_str(), device.name()),
		    {"µs", "het", "by hand", "more", "het / by hand"});
	const std::string row = a.row.empty() ? a.name : a.row;
	tell_times(shown, out, row, measure(mine, theirs, het, plain.get(), rounds));
	bool right = tell_error(a, shown, out, row + "/het", mine.error);
	if (plain)
		right &= tell_error(a, shown, out, row + "/plain", theirs.error);
	for (const app_extra &e : a.extras)
		if (plain)
			tell_times(shown, out, e.name, e.measure(het, *plain));
	const auto shares = het.shares();
	if (o.split && shares.empty())
		shown.note("its kernels can't be split");
	for (const auto &[name, share] : shares) {
		shown.note(format("device %s: %.1f %% of the work-items", name.c_str(), 100 * share));
		out.value(format("%s/share/%s", row.c_str(), name.c_str()), "", share);
	}
	shown.print();
	if (a.afterwards)
		a.afterwards(*mine.p);
	out.write(o.common.json);
	return right ? 0 : 1;
}

} // namespace bench
