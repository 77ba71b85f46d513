// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/cuda.h"

#include "base/cuda_driver.h"
#include "info/profile.h"

namespace info
{

using namespace het;

namespace
{

int attribute(const cuda_driver &d, cu_device device, int which)
{
	int value = 0;
	return d.device_attribute(&value, which, device) ? 0 : value;
}

json device(const cuda_driver &d, int ordinal, const std::string &driver)
{
	cu_device device = 0;
	char name[128] = "?";
	if (!d.get_device(&device, ordinal))
		d.device_name(name, sizeof(name), device);
	return {{"name", name},
		{"profile", profile_of(name, driver)},
		{"capability", std::to_string(attribute(d, device, cu_attribute_compute_capability_major)) + "." +
				       std::to_string(attribute(d, device, cu_attribute_compute_capability_minor))},
		{"copy_engines", attribute(d, device, cu_attribute_async_engine_count)}};
}

json look_at_driver()
{
	const cuda_driver d(cuda_calls::device);
	if (!d.why_not().empty())
		return {{"driver", false}, {"error", d.why_not()}};
	int version = 0, count = 0;
	d.driver_version(&version);
	int err = d.init(0);
	if (!err)
		err = d.device_count(&count);
	if (err)
		return {{"driver", false}, {"error", "the driver does not start: CUDA error " + std::to_string(err)}};
	const std::string driver = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
	json devices = json::array();
	for (int i = 0; i < count; i++)
		devices.push_back(device(d, i, driver));
	return {{"driver", true}, {"cuda", driver}, {"devices", devices}};
}

} // namespace

json cuda()
{
	finding f = in_child(look_at_driver);
	if (f.answer.is_null())
		return {{"driver", false}, {"error", "the driver could not be asked: " + f.ending}};
	return f.answer;
}

} // namespace info
