// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes the devices that HET_DEVICES lists, in its order.
#include "dev/compute_device.h"
#include "os/log.h"
#include "os/settings.h"

#include <charconv>
#include <string_view>

namespace het::rt
{

namespace
{

// A GPU with both drivers is there through the one that compiles OpenCL C; a context of the other takes time and
// memory.
constexpr std::string_view opencl_and_host = "opencl,host";
constexpr std::string_view local_rank = "local-rank";

// Reads "host", "apart" or "apart/8", which takes so many times as long.
bool parse_host(std::string_view word, unsigned *slower)
{
	constexpr std::string_view slow = "apart/";
	if (word == "host" || word == "apart")
		return true;
	if (!word.starts_with(slow))
		return false;
	const char *end = word.data() + word.size();
	auto [at, error] = std::from_chars(word.data() + slow.size(), end, *slower);
	return error == std::errc() && at == end && *slower;
}

// Each process that a launcher has started on a machine keeps one of the devices, the next rank the next one.
int keep_that_of_rank(std::span<std::unique_ptr<compute_device>> devices, unsigned *count)
{
	if (settings().local_rank < 0)
		return fail(HET_EARG,
			    "HET_DEVICES: local-rank: no launcher has told this process its rank on the machine; "
			    "start it by mpirun or srun, or name devices");
	if (!*count)
		return 0;
	std::swap(devices[0], devices[size_t(settings().local_rank) % *count]);
	for (auto &other : devices.subspan(1, *count - 1))
		other.reset();
	*count = 1;
	return 0;
}

// Appends the devices of one word of the list. Returns false if there is no such word, or no memory.
bool append(std::string_view word, std::span<std::unique_ptr<compute_device>> room, unsigned *count)
{
	auto rest = room.subspan(*count);
	if (word == "opencl" || word == "cuda") {
		*count += word == "cuda" ? make_cuda_compute(rest) : make_opencl_compute(rest);
		return true;
	}
	unsigned slower = 1;
	if (!parse_host(word, &slower) || rest.empty())
		return false;
	rest[0] = make_host_compute(word == "host", slower);
	*count += rest[0] != nullptr;
	return rest[0] != nullptr;
}

} // namespace

int make_compute_devices(std::unique_ptr<compute_device> (&made)[most_devices], unsigned *count)
{
	std::string_view list = settings().devices ? settings().devices : opencl_and_host;
	*count = 0;
	// The host is for machines without another device.
	if (list == local_rank && !append("opencl", made, count))
		return HET_ENOMEM;
	if (list == local_rank && !*count)
		list = "host";
	while (!list.empty()) {
		std::string_view word = list.substr(0, list.find(','));
		list.remove_prefix(std::min(list.size(), word.size() + 1));
		if (word == local_rank) {
			if (int err = keep_that_of_rank(made, count))
				return err;
		} else if (!append(word, made, count)) {
			return fail(
				HET_EARG,
				"HET_DEVICES: %.*s: want a list of opencl, cuda, host, apart with at most %u devices, "
				"behind them local-rank",
				int(word.size()), word.data(), most_devices);
		}
	}
	return *count ? 0 : fail(HET_EARG, "HET_DEVICES names no device that is here: add host");
}

} // namespace het::rt
