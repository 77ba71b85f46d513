// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "measure/devices.h"

#include "common/child.h"
#include "common/device.h"

#include <cstdio>

namespace bench
{

namespace
{

constexpr double patience_s = 60;

} // namespace

device_choice choose_devices(const std::vector<std::string> &wanted)
{
	device_choice choice;
	if (wanted.empty() || wanted[0] == "all") {
		auto found = in_child([] { return json(opencl_device_names()); }, patience_s)
				     .get<std::vector<std::string>>();
		if (found.empty())
			fprintf(stderr, "no OpenCL device (no ICD installed?): only the host device is measured\n");
		if (wanted.empty() && found.size() > 1)
			found.resize(1);
		choice.names = {"host"};
		choice.names.insert(choice.names.end(), found.begin(), found.end());
		if (!wanted.empty()) {
			auto gpus = in_child([] { return json(cuda_device_names()); }, patience_s)
					    .get<std::vector<std::string>>();
			choice.names.insert(choice.names.end(), gpus.begin(), gpus.end());
		}
	} else {
		choice.names = wanted;
	}
	for (const auto &name : choice.names)
		choice.descriptions.push_back(in_child([&] { return open_device(name)->describe(); }, patience_s));
	return choice;
}

} // namespace bench
