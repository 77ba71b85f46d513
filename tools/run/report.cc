// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/report.h"

#include "fatbin/checksum.h"
#include "run/devices.h"
#include "run/memory.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <map>

namespace tool::run
{

namespace
{

std::string format_hex(uint64_t n)
{
	char text[20];
	snprintf(text, sizeof(text), "%016" PRIx64, n);
	return text;
}

double median(std::vector<double> all)
{
	std::sort(all.begin(), all.end());
	size_t half = all.size() / 2;
	return all.size() % 2 ? all[half] : (all[half - 1] + all[half]) / 2;
}

struct work_done {
	size_t parts = 0;
	uint64_t work_items = 0, busy_ns = 0;
	uint64_t until = 0; // the end of what was counted as busy
};

// What a device has at a time may overlap: one part travels while another runs.
void add(work_done &w, const part &p)
{
	w.parts++;
	w.work_items += p.work_items;
	w.busy_ns += p.ended > w.until ? p.ended - std::max(p.started, w.until) : 0;
	w.until = std::max(w.until, p.ended);
}

json describe_devices(const outcome &o)
{
	std::map<std::string, work_done> by_device;
	uint64_t all = 0;
	for (const launched &l : o.launches) {
		auto parts = l.parts;
		std::ranges::sort(parts, {}, &part::started);
		for (const part &p : parts) {
			add(by_device[title_of(p.device)], p);
			all += p.work_items;
		}
	}
	json devices = json::array();
	for (const auto &[title, w] : by_device)
		devices.push_back({{"device", title},
				   {"parts", w.parts},
				   {"work_items", w.work_items},
				   {"share", double(w.work_items) / double(all)},
				   {"busy_ms", double(w.busy_ns) * 1e-6}});
	return devices;
}

json describe_launches(const outcome &o)
{
	std::vector<double> ms;
	for (const launched &l : o.launches)
		ms.push_back(double(l.times.ended - l.times.queued) * 1e-6);
	return {{"count", ms.size()}, {"first_ms", ms[0]}, {"median_ms", median(ms)}};
}

json describe_deadline(const request &r, const outcome &o)
{
	uint64_t late = 0, most = 0;
	for (const launched &l : o.launches) {
		late += l.preemption.late_ns > 0;
		most = std::max(most, l.preemption.late_ns);
	}
	return {{"ms", double(r.deadline_ns) * 1e-6}, {"late", late}, {"most_late_ms", double(most) * 1e-6}};
}

json describe_output(const argument &a, const std::vector<std::byte> &bytes)
{
	json first = json::array();
	for (uint64_t n = 0; n < std::min<uint64_t>(a.show, bytes.size() / a.of.size); n++)
		first.push_back(text_of(a.of, bytes.data() + n * a.of.size));
	return {{"name", a.name},
		{"type", a.of.name},
		{"elements", bytes.size() / a.of.size},
		{"xxh64", format_hex(het::fatbin::checksum(bytes))},
		{"first", first}};
}

} // namespace

json describe(const request &r, const std::vector<argument> &arguments, const outcome &o)
{
	json outputs = json::array();
	for (size_t n = 0; n < arguments.size(); n++)
		if (arguments[n].is_written())
			outputs.push_back(describe_output(arguments[n], o.bytes[n]));
	const copied all = copied_so_far(); // counts what came when the outputs were looked at, too
	json report = {{"kernel", r.kernel.info().name},
		       {"work_items", r.work_items()},
		       {"launches", describe_launches(o)},
		       {"devices", describe_devices(o)},
		       {"bytes_to_devices", all.to_devices},
		       {"bytes_to_host", all.to_host},
		       {"outputs", outputs}};
	if (r.deadline_ns)
		report["deadline"] = describe_deadline(r, o);
	return report;
}

std::vector<std::string> compare(const std::vector<argument> &arguments, const outcome &a, const outcome &b)
{
	std::vector<std::string> sentences;
	for (size_t n = 0; n < arguments.size(); n++) {
		const auto &mine = a.bytes[n], &other = b.bytes[n];
		auto [at, there] = std::mismatch(mine.begin(), mine.end(), other.begin());
		if (!arguments[n].is_written() || at == mine.end())
			continue;
		const element &of = arguments[n].of;
		size_t number = size_t(at - mine.begin()) / of.size;
		sentences.push_back(arguments[n].name + "[" + std::to_string(number) + "] is " +
				    text_of(of, &mine[number * of.size]) + ", on one device " +
				    text_of(of, &other[number * of.size]));
	}
	return sentences;
}

void print(const json &report)
{
	const json &launches = report["launches"];
	auto count = launches["count"].get<unsigned long>();
	printf("%s, %lu work-items\n", report["kernel"].get<std::string>().c_str(),
	       report["work_items"].get<unsigned long>());
	printf("%lu launch%s: the first %.3f ms, median %.3f ms\n\n", count, count == 1 ? "" : "es",
	       launches["first_ms"].get<double>(), launches["median_ms"].get<double>());
	if (report.contains("deadline")) {
		const json &d = report["deadline"];
		printf("%lu later than the deadline of %.3f ms, by %.3f ms at most\n\n", d["late"].get<unsigned long>(),
		       d["ms"].get<double>(), d["most_late_ms"].get<double>());
	}
	printf("%6s %13s %8s %12s  %s\n", "parts", "work-items", "share", "busy, ms", "device");
	for (const json &d : report["devices"])
		printf("%6lu %13lu %6.1f %% %12.3f  %s\n", d["parts"].get<unsigned long>(),
		       d["work_items"].get<unsigned long>(), 100 * d["share"].get<double>(), d["busy_ms"].get<double>(),
		       d["device"].get<std::string>().c_str());
	printf("copied: %lu bytes to devices, %lu to the host\n", report["bytes_to_devices"].get<unsigned long>(),
	       report["bytes_to_host"].get<unsigned long>());
	if (report.contains("memory"))
		print_memory(report["memory"]);
	if (report.contains("memory_uses"))
		print_uses(report["memory_uses"]);
	for (const json &out : report["outputs"]) {
		std::string first;
		for (const json &value : out["first"])
			first += " " + value.get<std::string>();
		printf("\n%s: %lu %s, XXH64 %s\n ", out["name"].get<std::string>().c_str(),
		       out["elements"].get<unsigned long>(), out["type"].get<std::string>().c_str(),
		       out["xxh64"].get<std::string>().c_str());
		printf("%s\n", first.c_str());
	}
}

} // namespace tool::run
