// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/figures.h"

#include "common/child.h"
#include "common/format.h"
#include "common/library.h"
#include "measure/calls.h"

#include <stdexcept>

namespace bench
{

namespace
{

constexpr double patience_s = 300;
constexpr size_t mebibyte = 1 << 20;

std::unique_ptr<device> start_device(const std::string &name)
{
	auto d = open_device(name);
	start_library({d.get()});
	return d;
}

figure amount(const std::string &what, const std::string &unit, double value, double limit)
{
	figure f;
	f.what = what;
	f.unit = unit;
	f.value.median = f.value.low = f.value.high = value;
	f.value.rounds = 1;
	f.must_be = figure::bound::at_most;
	f.limit = limit;
	return f;
}

figure missing(const std::string &what, const std::string &why)
{
	figure f;
	f.what = what;
	f.why_missing = why;
	return f;
}

figure begin_end_figure(const std::string &device, size_t nbytes, int access, unsigned rounds, report &out)
{
	const std::string mode = access == GPUVM_READ_ONLY ? "read-only" : "read-write";
	const std::string what =
		"kernel_begin + kernel_end, " + mode + ", " + size_text(nbytes) + " valid on " + device;
	try {
		const json costs =
			in_child([&] { return json(begin_end_cost(*start_device(device), nbytes, access, rounds)); },
				 patience_s);
		const summary s = summarise(costs.get<series>());
		out.result(format("begin-end/%s/%s/%zu", device.c_str(), mode.c_str(), nbytes), "us", s);
		return amount(what, "us", s.median, 0.5);
	} catch (const std::exception &e) {
		return missing(what, e.what());
	}
}

figure link_figure(const std::string &device, unsigned rounds, report &out)
{
	const size_t nbytes = 64 * mebibyte;
	const std::string what = "link + unlink of 64 MiB / two memcpy into fresh 4 KiB pages, " + device;
	try {
		json costs = in_child(
			[&] {
				link_cost c = measure_link(*start_device(device), nbytes, rounds);
				return json{{"link", c.link_unlink}, {"copies", c.two_copies}};
			},
			patience_s);
		const auto linking = costs["link"].get<series>(), copies = costs["copies"].get<series>();
		out.result("link-unlink/" + device, "us", summarise(linking), {{"rounds", linking}});
		out.result("two-copies/" + device, "us", summarise(copies), {{"rounds", copies}});
		figure f = amount(what, "x", 0, 1.5);
		f.value = paired_ratio(linking, copies);
		return f;
	} catch (const std::exception &e) {
		return missing(what, e.what());
	}
}

// The limit counts the library's own memory as a whole, so what was there before the link counts too.
figure bookkeeping_figure(size_t nbytes, report &out)
{
	const std::string what = "bookkeeping with " + size_text(nbytes) + " linked";
	try {
		json c = in_child(
			[&] {
				auto d = start_device("host");
				bookkeeping_cost b = measure_bookkeeping(nbytes);
				return json{{"before", b.before}, {"after", b.after}};
			},
			patience_s);
		out.value(format("bookkeeping/%zu", nbytes), "B", c["after"].get<double>(), {{"before", c["before"]}});
		return amount(what, "KiB", c["after"].get<double>() / 1024, (double(nbytes) / 1000 + mebibyte) / 1024);
	} catch (const std::exception &e) {
		return missing(what, e.what());
	}
}

} // namespace

std::vector<figure> call_figures(const figure_options &o, report &out)
{
	std::vector<figure> figures;
	const std::string device = o.device.empty() ? "host" : o.device;
	for (int access : {GPUVM_READ_WRITE, GPUVM_READ_ONLY})
		for (size_t nbytes : {size_t(64) << 10, mebibyte, 64 * mebibyte})
			figures.push_back(begin_end_figure(device, nbytes, access, o.quick ? 20 : 200, out));
	figures.push_back(link_figure(device, o.quick ? 5 : 25, out));
	return figures;
}

std::vector<figure> memory_figures(const figure_options &, report &out)
{
	return {bookkeeping_figure(64 * mebibyte, out), bookkeeping_figure(1024 * mebibyte, out)};
}

} // namespace bench
