// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/report.h"

#include <cstdint>
#include <cstdio>

namespace info
{

namespace
{

std::string text(const json &value)
{
	if (value.is_null())
		return "unknown";
	return value.is_string() ? value.get<std::string>() : value.dump();
}

const char *yes_or_no(const json &value)
{
	return value.get<bool>() ? "yes" : "no";
}

// An amount of -1 means that there is no limit.
std::string amount_of(const json &bytes)
{
	if (!bytes.is_number())
		return text(bytes);
	auto value = bytes.get<double>();
	if (value < 0)
		return "no limit";
	constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	unsigned unit = 0;
	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	char out[32];
	snprintf(out, sizeof(out), value == double(long(value)) ? "%.0f %s" : "%.1f %s", value, units[unit]);
	return out;
}

// A long value goes on in further lines, broken at spaces.
void print_line(const char *what, std::string value)
{
	constexpr size_t width = 86;
	while (value.size() > width) {
		size_t at = value.rfind(' ', width);
		if (at == std::string::npos || at == 0)
			break;
		printf("  %-30s %s\n", what, value.substr(0, at).c_str());
		value.erase(0, at + 1);
		what = "";
	}
	printf("  %-30s %s\n", what, value.c_str());
}

// The library begins its reason with the trap's name.
std::string reason_of(const json &trap)
{
	auto reason = text(trap["reason"]), name = trap.contains("name") ? text(trap["name"]) : "";
	if (reason == name)
		return "the best there is";
	return reason.compare(0, name.size() + 2, name + "; ") ? reason : reason.substr(name.size() + 2);
}

// Returns the words of "OpenCL 3.0 PoCL 3.1+debian  Linux, …" without what the driver adds.
std::string first_words(const std::string &version, unsigned words)
{
	size_t at = 0;
	while (words-- && at != std::string::npos)
		at = version.find(' ', at ? at + 1 : 0);
	return version.substr(0, at);
}

void print_head(const json &r)
{
	printf("libhet %s  %s\n", text(r["library"]["version"]).c_str(), text(r["library"]["file"]).c_str());
	const json &m = r["machine"];
	printf("Linux %s, %s cores, %s of memory, pages of %s\n", text(m["kernel"]).c_str(), text(m["cores"]).c_str(),
	       amount_of(m["memory_bytes"]).c_str(), amount_of(m["page_bytes"]).c_str());
	for (const auto &[name, value] : r["settings"].items())
		printf("%s=%s is set\n", name.c_str(), text(value).c_str());
}

void print_traps(const json &r)
{
	const json &chosen = r["trap"];
	bool works(chosen["works"]);
	printf("\nTrap: %s\n", works ? text(chosen["name"]).c_str() : "none works");
	print_line("why", reason_of(chosen));
	if (works)
		print_line("resolver threads", text(chosen["resolvers"]));
	printf("\n  %-14s %-7s %-14s %s\n", "", "works", "system calls", "reads shared");
	for (const json &t : r["traps"]) {
		if (t["works"])
			printf("  %-14s %-7s %-14s %s\n", text(t["name"]).c_str(), "yes",
			       t["kernel_touches"] ? "yes" : "EFAULT", yes_or_no(t["shared_reads"]));
		else
			printf("  %-14s %-7s %s\n", text(t["name"]).c_str(), "no", text(t["reason"]).c_str());
	}
}

std::string joined(const json &list)
{
	std::string all;
	for (const json &word : list)
		all += (all.empty() ? "" : " ") + text(word);
	return all;
}

void print_module(const json &m)
{
	printf("\nKernel module\n");
	print_line(text(m["file"]).c_str(), m["opens"] ? "opens" : text(m["error"]));
	if (m["opens"])
		print_line("features", joined(m["features"]));
	for (const auto &[name, value] : m["parameters"].items())
		print_line(("gpuvm." + name).c_str(), text(value));
}

void print_userfaultfd(const json &ways)
{
	printf("\nuserfaultfd\n");
	const json *features = nullptr;
	for (const json &w : ways) {
		print_line(text(w["way"]).c_str(), w["opens"] ? "opens" : text(w["error"]));
		if (w["opens"] && !features)
			features = &w["features"];
	}
	if (features)
		print_line("features", joined(*features));
}

void print_memory(const json &m, const json &trap)
{
	printf("\nMemory\n");
	if (trap["works"])
		print_line("gpuvm_malloc(GPUVM_HUGE)",
			   trap["huge_pages"] ? "huge pages, " + text(trap["huge_pages_from"]) : "small pages");
	print_line("huge pages, shared memory", text(m["shmem_huge_pages"]));
	print_line("huge pages, private memory", text(m["huge_pages"]));
	print_line("reserved hugetlb pages", text(m["hugetlb_pages"]) + ", free " + text(m["hugetlb_free"]));
	print_line("vm.max_map_count", text(m["max_map_count"]));
	print_line("locked memory (ulimit -l)", amount_of(m["locked_memory_limit"]));
	print_line("open files (ulimit -n)", text(m["open_files_limit"]));
}

// Says how old the profile of a device is, or how to get one.
void print_profile(const json &profile)
{
	if (profile.is_null()) {
		print_line("", "no profile; het-bench profile makes one");
		return;
	}
	char age[64];
	snprintf(age, sizeof(age), "profile of %zu figures, %.1f days old", profile["figures"].size(),
		 profile["days"].get<double>());
	print_line("", age);
}

// Returns what het-bench has measured of the device's copies of pinned memory, or nothing.
std::string rates_of(const json &profile)
{
	const char *const names[] = {"transfer.pinned to device", "transfer.pinned to host"};
	if (profile.is_null() || !profile["figures"].contains(names[0]) || !profile["figures"].contains(names[1]))
		return "";
	char said[64];
	snprintf(said, sizeof(said), ", %.1f GB/s to it and %.1f from it", profile["figures"][names[0]].get<double>(),
		 profile["figures"][names[1]].get<double>());
	return said;
}

// Says by which links bulk copies between the host and the device may go.
void print_paths(const json &device)
{
	const json &link = device["pcie_link"], &relays = device["relays"];
	std::string line = "PCIe link " + text(link["address"]);
	if (!link["speed"].is_null())
		line += ", " + text(link["speed"]) + " x" + text(link["lanes"]);
	line += rates_of(device["profile"]);
	for (size_t i = 0; i < relays.size(); i++)
		line += (i ? ", " : "; bulk copies also by those of CUDA devices ") + text(relays[i]);
	print_line("", line);
}

// Says how bulk copies of several CUDA devices choose their way.
void print_paths_asked_for(const json &asked)
{
	std::string line = "bulk copies: " + text(asked["policy"]);
	for (size_t i = 0; i < asked["helpers"].size(); i++)
		line += (i ? ", " : "; unused, these help as well: CUDA devices ") + text(asked["helpers"][i]);
	if (!asked["understood"])
		line += "; HET_PATHS is not understood";
	print_line("", line);
}

void print_devices(const json &d)
{
	printf("\nDevices\n");
	print_line("host", "always");
	const json &cl = d["opencl"];
	if (!cl["loader"])
		print_line("OpenCL", text(cl["error"]));
	else if (cl["platforms"].empty())
		print_line("OpenCL", "no platform; install a driver, such as pocl-opencl-icd");
	for (const json &p : cl["platforms"]) {
		const char *none = p["devices"].empty() ? ", no device" : "";
		print_line("OpenCL", text(p["name"]) + ", " + first_words(text(p["version"]), 2) + none);
		for (const json &dev : p["devices"]) {
			print_line("", text(dev["type"]) + " " + text(dev["name"]) + ", " + text(dev["compute_units"]) +
					       " units, " + amount_of(dev["memory_bytes"]) + ", driver " +
					       text(dev["driver"]));
			print_profile(dev["profile"]);
		}
	}
	const json &cuda = d["cuda"];
	print_line("CUDA", cuda["driver"] ? "driver for CUDA " + text(cuda["cuda"]) : text(cuda["error"]));
	for (const json &dev : cuda["devices"]) {
		print_line("", text(dev["name"]) + ", compute capability " + text(dev["capability"]) + ", " +
				       text(dev["copy_engines"]) + " copy engines");
		print_paths(dev);
		print_profile(dev["profile"]);
	}
	if (cuda["devices"].size() > 1)
		print_paths_asked_for(cuda["paths"]);
}

std::string describe_device(const json &d)
{
	bool any_size = d["group_size"].get<uint64_t>() == UINT64_MAX;
	std::string all = text(d["name"]) + ", " + text(d["kind"]) + ", " + text(d["units"]) + " units, " +
			  amount_of(d["memory_bytes"]) +
			  (d.contains("budget_bytes") ? " (" + amount_of(d["budget_bytes"]) + " for arrays)" : "") +
			  ", groups of " + (any_size ? "any size" : "up to " + text(d["group_size"]));
	for (const char *ability : {"addresses", "textures", "offsets"})
		all += std::string(d[ability] ? ", " : ", no ") + ability;
	return all + ", slices of " + text(d["slices_of"]);
}

void print_runtime(const json &r)
{
	printf("\nThe runtime\n");
	if (r.contains("error"))
		print_line("no device", text(r["error"]));
	size_t number = 0;
	for (const json &d : r["devices"]) {
		std::string name = "device " + std::to_string(number++);
		print_line(name.c_str(), d["launches"] ? describe_device(d) : "does not work: " + text(d["error"]));
	}
	print_line("policies", joined(r["policies"]));
	const json &c = r["cache"];
	print_line("cache", text(c["folder"]).empty() ? "off"
						      : text(c["folder"]) + ", " + text(c["entries"]) + " entries, " +
								amount_of(c["bytes"]) + " of " + amount_of(c["most"]));
}

} // namespace

void print_report(const json &r)
{
	print_head(r);
	print_traps(r);
	print_module(r["module"]);
	print_userfaultfd(r["userfaultfd"]);
	print_memory(r["memory"], r["trap"]);
	print_devices(r["devices"]);
	print_runtime(r["runtime"]);
	printf("\n%s\n", r["advice"].empty() ? "Nothing here could be better." : "What could be better");
	for (const json &sentence : r["advice"])
		printf("- %s\n", text(sentence).c_str());
}

void print_builds(const json &devices)
{
	for (const json &d : devices)
		printf("device %s: %s\n", text(d["name"]).c_str(),
		       d["builds"] ? "builds" : ("no: " + text(d["error"])).c_str());
}

} // namespace info
