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
	while (!list.empty()) {
		std::string_view word = list.substr(0, list.find(','));
		list.remove_prefix(std::min(list.size(), word.size() + 1));
		if (!append(word, made, count))
			return fail(
				HET_EARG,
				"HET_DEVICES: %.*s: want a list of opencl, cuda, host, apart with at most %u devices",
				int(word.size()), word.data(), most_devices);
	}
	return *count ? 0 : fail(HET_EARG, "HET_DEVICES names no device that is here: add host");
}

} // namespace het::rt
