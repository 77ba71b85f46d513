// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/advice.h"

#include <cerrno>

namespace info
{

namespace
{

// Returns what chooses the trap, or how it works, in place of the library.
std::string setting_in_the_way(const json &settings)
{
	for (const char *name : {"GPUVM_TRAP", "GPUVM_UFFD_OPEN", "GPUVM_UFFD_FEATURES"})
		if (settings.contains(name))
			return std::string(name) + "=" + settings[name].get<std::string>();
	return "";
}

bool full_userfaultfd_opens(const json &ways)
{
	for (const json &w : ways)
		if (w["opens"] && w["kernel_touches"])
			return true;
	return false;
}

int error_of(const json &ways, const char *way)
{
	for (const json &w : ways)
		if (w["way"] == way && !w["opens"])
			return w["errno"].get<int>();
	return 0;
}

// Tells how to get a userfaultfd that also sees touches made by the kernel.
std::string cure_for_rights(const json &ways)
{
	std::string cure;
	switch (error_of(ways, "/dev/userfaultfd")) {
	case EACCES:
	case EPERM:
		cure = "run 'make setup' as root and 'adduser NAME gpuvm', which opens /dev/userfaultfd to NAME";
		break;
	case ENOENT:
		cure = "let this process see /dev/userfaultfd (Linux 6.1 has it; a container must be given it)";
		break;
	default:
		cure = "use a kernel with CONFIG_USERFAULTFD";
		break;
	}
	if (error_of(ways, "userfaultfd(2)") == EPERM)
		cure += "; or set vm.unprivileged_userfaultfd=1 (sysctl), which opens it to everyone, unless a seccomp "
			"filter forbids the system call";
	return cure;
}

void advise_on_trap(const json &report, json &list)
{
	const json &trap = report["trap"], &ways = report["userfaultfd"];
	std::string setting = setting_in_the_way(report["settings"]);
	bool works(trap["works"]), full = works && trap["kernel_touches"];
	if (!full) {
		std::string lost =
			works ? "System calls on arrays that are on a device fail with EFAULT: " : "No trap works: ";
		if (!setting.empty())
			list.push_back(lost + "unset " + setting + ".");
		else if (full_userfaultfd_opens(ways))
			list.push_back(lost +
				       "use a newer kernel; Linux 5.19 has the features that the library needs.");
		else
			list.push_back(lost + cure_for_rights(ways) + ".");
	}
	if (works && !trap["shared_reads"])
		list.push_back("After a host read the data must travel to the device again: " +
			       (setting.empty() ? "use Linux 6.4 or newer." : "unset " + setting + "."));
}

// The module is loaded, and something keeps this user from it.
void advise_on_module(const json &module, const json &trap, json &list)
{
	if (!module["opens"] && (module["errno"] == EACCES || module["errno"] == EPERM))
		list.push_back(
			"The trap kmod is not for this user: run 'adduser NAME gpuvm', which opens /dev/gpuvm to "
			"NAME.");
	if (trap["reason"].get<std::string>().find("kmod: its arrays count as locked memory") != std::string::npos)
		list.push_back("The trap kmod is not taken: raise 'ulimit -l' to a quarter of the memory at least, or "
			       "write N to /sys/module/gpuvm/parameters/memlock.");
}

void advise_on_memory(const json &memory, const json &trap, json &list)
{
	const json &huge = memory["shmem_huge_pages"];
	if (trap["works"] && !trap["huge_pages"])
		list.push_back(huge == "deny"
				       ? "GPUVM_HUGE has no effect: write 'advise' to "
					 "/sys/kernel/mm/transparent_hugepage/shmem_enabled."
				       : "GPUVM_HUGE has no effect: use Linux 6.1 or newer, with memory to spare.");
	if (trap["works"] && trap["name"] != "kmod" && memory["hugetlb_free"] == 0)
		list.push_back("GPUVM_HUGE has no reserved pages, in which arrays come and go two megabytes at a time: "
			       "write their number to /proc/sys/vm/nr_hugepages.");
	if (huge == "never" || huge == "deny" || huge == "advise")
		list.push_back("Adopted arrays (malloc) are in small pages: write 'within_size' to "
			       "/sys/kernel/mm/transparent_hugepage/shmem_enabled.");
	constexpr int usual_map_count = 65530;
	if (memory["max_map_count"].is_number() && memory["max_map_count"].get<int64_t>() < usual_map_count)
		list.push_back("Each linked array needs up to four mappings: raise vm.max_map_count (sysctl).");
}

} // namespace

json advice(const json &report)
{
	json list = json::array();
	advise_on_trap(report, list);
	advise_on_module(report["module"], report["trap"], list);
	advise_on_memory(report["memory"], report["trap"], list);
	if (report["machine"]["cores"].get<int>() < 3)
		list.push_back("With one or two cores resolvers never spin, so each touch costs a wake.");
	return list;
}

} // namespace info
