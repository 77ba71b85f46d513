// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// <gpuvm.h> must not be included here: the kernel's names are other than the library's, save some that are the same.
#include "info/module.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/gpuvm.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace info
{

namespace
{

constexpr char device_file[] = "/dev/gpuvm";

// A feature's name stands at its bit, as in <linux/gpuvm.h>.
constexpr const char *module_features[] = {"SHARED", "HUGE", "NODE", "ACCESSED"};

json names_of(uint64_t features)
{
	json names = json::array();
	for (unsigned bit = 0; bit < 64; bit++) {
		if (!(features >> bit & 1))
			continue;
		bool known = bit < std::size(module_features);
		names.push_back(known ? std::string(module_features[bit]) : "bit " + std::to_string(bit));
	}
	return names;
}

json parameters()
{
	json values = json::object();
	for (const char *name : {"spin_us", "max_mb", "memlock"}) {
		std::ifstream f(std::string("/sys/module/gpuvm/parameters/") + name);
		std::string line;
		if (std::getline(f, line))
			values[name] = line;
	}
	return values;
}

// Returns 0 or an error number.
int ask(json &features)
{
	int fd = open(device_file, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return errno;
	gpuvm_hello hello{};
	hello.size = sizeof(hello);
	int error = ioctl(fd, GPUVM_IOC_HELLO, &hello) ? errno : 0;
	if (!error) {
		features = names_of(hello.offered);
		close(hello.event_fd);
	}
	close(fd);
	return error;
}

} // namespace

json module()
{
	json features;
	int error = ask(features);
	json m = {{"file", device_file}, {"opens", !error}, {"parameters", parameters()}};
	if (error) {
		m["errno"] = error;
		m["error"] = strerror(error);
	} else {
		m["features"] = features;
	}
	return m;
}

} // namespace info
