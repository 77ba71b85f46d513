// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Compares a host read sweep over an array that a kernel has just written with one raw read of the whole buffer.
#include "measure/sweep.h"

#include "common/child.h"
#include "common/format.h"
#include "common/library.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"
#include "measure/devices.h"

using namespace bench;

namespace
{

constexpr double patience_s = 300;
constexpr sweep_memory kinds[] = {sweep_memory::adopted, sweep_memory::library, sweep_memory::library_huge};

struct options {
	common_options common;
	std::vector<std::string> devices;
	size_t mebibytes = 64;
	unsigned rounds = 30;
	size_t nbytes() const { return mebibytes << 20; }
};

json sweep_in_child(const std::string &device_name, sweep_memory kind, const options &o)
{
	auto d = open_device(device_name);
	start_library({d.get()}, GPUVM_NO_FORESIGHT);
	sweep_samples s = measure_sweep(*d, kind, o.nbytes(), o.rounds);
	return {{"sweep", s.sweep},
		{"plain", s.plain},
		{"touches", s.touches},
		{"fetches", s.fetches},
		{"library", describe_library()}};
}

std::string speed_text(size_t nbytes, double us)
{
	return format("%.0f", double(nbytes) / us); // B/µs is MB/s
}

void sweep_device(report &out, const std::string &name, const options &o)
{
	table t(format("Read sweep of %s after a kernel, device %s", size_text(o.nbytes()).c_str(), name.c_str()),
		{"memory", "MB/s", "touches", "fetches", "plain MB/s", "time / plain"});
	for (sweep_memory kind : kinds) {
		json s = in_child([&] { return sweep_in_child(name, kind, o); }, patience_s);
		const auto sweep = s["sweep"].get<series>(), plain = s["plain"].get<series>();
		const double touches = median(s["touches"].get<series>()), fetches = median(s["fetches"].get<series>());
		const ratio r = paired_ratio(sweep, plain);
		t.row({name_of(kind), speed_text(o.nbytes(), median(sweep)), format("%.0f", touches),
		       format("%.0f", fetches), speed_text(o.nbytes(), median(plain)),
		       format("%.2f (%.2f to %.2f)", r.median, r.low, r.high)});
		const std::string where = name + "/" + name_of(kind);
		out.document()["library"] = s["library"];
		out.result("sweep/" + where, "us", summarise(sweep), {{"touches", touches}, {"fetches", fetches}});
		out.result("plain/" + where, "us", summarise(plain));
		out.ratio_of("sweep / plain/" + where, r);
	}
	t.note("the sweep reads one word in each 4 KiB; plain: one raw read into fresh 4 KiB pages, then the same "
	       "reads");
	t.print();
}

int run(options o)
{
	if (o.common.quick)
		o.rounds = std::min(o.rounds, 5u);
	const device_choice devices = choose_devices(o.devices);
	report out("sweep", {{"bytes", o.nbytes()}, {"rounds", o.rounds}});
	out.document()["devices"] = devices.descriptions;
	for (const auto &name : devices.names)
		sweep_device(out, name, o);
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Read sweep over an array that a kernel has just written: MB/s and touches.");
	add_common_options(line, o.common);
	line.list("--device", o.devices, "host, opencl0, ...; all; default: host and opencl0");
	line.number("--mebibytes", o.mebibytes, "size of the array");
	line.number("--rounds", o.rounds, "sweeps of each kind");
	return line.run(argc, argv, [&] { return run(o); });
}
