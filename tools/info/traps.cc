// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/traps.h"

#include <cstring>
#include <fstream>
#include <gpuvm.h>
#include <unistd.h>
#include <vector>

namespace info
{

namespace
{

template <typename T> T statistic(int parameter)
{
	T value{};
	gpuvm_stat(parameter, &value);
	return value;
}

// Holds one array on one device whose memory is the host's.
class sample
{
      public:
	sample() : host_(static_cast<char *>(gpuvm_malloc(size, 0, GPUVM_NONE))), buffer_(size)
	{
		ok_ = host_ && !gpuvm_link(host_, size, 0, buffer_.data(), GPUVM_ON_HOST);
	}
	sample(const sample &) = delete;
	sample &operator=(const sample &) = delete;
	~sample() { gpuvm_free(host_); }

	char *host() const { return host_; }
	bool ok() const { return ok_; }
	bool kernel(int flags) { return !gpuvm_kernel_begin(host_, 0, flags) && !gpuvm_kernel_end(host_, 0); }

      private:
	static constexpr size_t size = 64 << 10;
	char *host_;
	std::vector<char> buffer_;
	bool ok_;
};

// Tells whether a system call can read from an array that is on the device.
bool serves_kernel_touches(sample &s)
{
	int ends[2];
	if (!s.kernel(GPUVM_WRITE_ONLY) || pipe(ends))
		return false;
	ssize_t n = write(ends[1], s.host(), 1);
	close(ends[0]);
	close(ends[1]);
	return n == 1;
}

// Tells whether the device's copy is still good after the host has read.
bool shares_reads(sample &s)
{
	if (!s.kernel(GPUVM_WRITE_ONLY))
		return false;
	(void)*static_cast<volatile char *>(s.host());
	auto before = statistic<unsigned long long>(GPUVM_STAT_BYTES_TO_DEVICE);
	return s.kernel(GPUVM_READ_ONLY) && statistic<unsigned long long>(GPUVM_STAT_BYTES_TO_DEVICE) == before;
}

// Returns where huge pages come from that this process has mapped of the library's memory, or "" if it has none.
std::string source_of_huge_pages()
{
	const std::pair<std::string, const char *> kinds[] = {{"Shared_Hugetlb:", "reserved ones (hugetlbfs)"},
							      {"Private_Hugetlb:", "reserved ones (hugetlbfs)"},
							      {"ShmemPmdMapped:", "collapsed shared memory"},
							      {"FilePmdMapped:", "the module's"}};
	std::ifstream smaps("/proc/self/smaps");
	for (std::string line; std::getline(smaps, line);)
		for (const auto &[key, source] : kinds)
			if (line.compare(0, key.size(), key) == 0 && std::stoul(line.substr(key.size())) > 0)
				return source;
	return "";
}

std::string allocates_huge_pages()
{
	constexpr size_t size = 4 << 20;
	void *p = gpuvm_malloc(size, 0, GPUVM_HUGE);
	if (!p)
		return "";
	memset(p, 1, size);
	std::string source = source_of_huge_pages();
	gpuvm_free(p);
	return source;
}

json look_at_trap(int flag)
{
	if (int err = gpuvm_init(1, nullptr, GPUVM_HOST | flag))
		return {{"works", false}, {"reason", gpuvm_strerror(err)}};
	sample s;
	if (!s.ok())
		return {{"works", false}, {"reason", "an array can't be linked"}};
	std::string huge = allocates_huge_pages();
	return {{"name", statistic<const char *>(GPUVM_STAT_TRAP)},
		{"works", true},
		{"reason", statistic<const char *>(GPUVM_STAT_TRAP_REASON)},
		{"kernel_touches", serves_kernel_touches(s)},
		{"shared_reads", shares_reads(s)},
		{"huge_pages", !huge.empty()},
		{"huge_pages_from", huge},
		{"resolvers", statistic<unsigned>(GPUVM_STAT_RESOLVERS)}};
}

json trap_in_child(int flag)
{
	finding f = in_child([flag] { return look_at_trap(flag); });
	if (f.answer.is_null())
		return {{"works", false}, {"reason", f.ending}};
	// The library says more on stderr than its error code does.
	if (!f.answer["works"] && !f.printed.empty())
		f.answer["reason"] = f.last_message();
	return f.answer;
}

} // namespace

json chosen_trap()
{
	return trap_in_child(GPUVM_NONE);
}

json all_traps()
{
	constexpr struct {
		const char *name;
		int flag;
	} known[] = {{"kmod", GPUVM_TRAP_KMOD},
		     {"uffd", GPUVM_TRAP_UFFD},
		     {"uffd-sigbus", GPUVM_TRAP_UFFD_SIGBUS},
		     {"sigsegv", GPUVM_TRAP_SIGSEGV},
		     {"sigsegv-stop", GPUVM_TRAP_SIGSEGV_STOP}};
	json list = json::array();
	for (const auto &t : known) {
		json found = {{"name", t.name}};
		found.update(trap_in_child(t.flag));
		list.push_back(found);
	}
	return list;
}

} // namespace info
