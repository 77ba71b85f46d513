// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "common/device.h"

#include "common/opencl.h"

#include <cstdio>
#include <stdexcept>

namespace bench
{

namespace
{

// Returns the number in a name such as "opencl1", 0 if it has none, or -1 if the name is of another kind.
int number_in(const std::string &name, const std::string &kind)
{
	if (name.rfind(kind, 0) != 0 || name.find_first_not_of("0123456789", kind.size()) != std::string::npos)
		return -1;
	return name.size() > kind.size() ? std::stoi(name.substr(kind.size())) : 0;
}

} // namespace

std::unique_ptr<device> open_device(const std::string &name)
{
	if (name == "host" || name == "hostcb")
		return make_host_device(name == "hostcb");
	if (int n = number_in(name, "opencl"); n >= 0)
		return make_opencl_device(unsigned(n));
	if (int n = number_in(name, "cuda"); n >= 0)
		return make_cuda_device(unsigned(n));
	throw std::runtime_error("no device '" + name + "': say host, hostcb, opencl0, cuda0, opencl1, ...");
}

std::vector<std::string> opencl_device_names()
{
	std::vector<std::string> names;
	for (size_t i = 0; i < list_cl_devices().size(); ++i)
		names.push_back("opencl" + std::to_string(i));
	return names;
}

std::vector<std::unique_ptr<device>> open_all_devices()
{
	std::vector<std::unique_ptr<device>> all;
	for (const auto &name : opencl_device_names())
		all.push_back(open_device(name));
	if (all.empty()) {
		fprintf(stderr, "no OpenCL device (no ICD installed?): the host device is used\n");
		all.push_back(open_device("host"));
	}
	return all;
}

} // namespace bench
