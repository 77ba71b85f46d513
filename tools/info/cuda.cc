// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "info/cuda.h"

#include "base/cuda_driver.h"
#include "info/profile.h"
#include "os/settings.h"
#include "paths/request.h"

#include <fstream>

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

// Returns a line of what the system says of the device's PCIe link, or null.
json said_of_link(const std::string &address, const char *what)
{
	std::ifstream file("/sys/bus/pci/devices/" + address + "/" + what);
	std::string line;
	return std::getline(file, line) ? json(line) : json();
}

json pcie_link(const cuda_driver &d, cu_device device)
{
	char address[32];
	snprintf(address, sizeof(address), "%04x:%02x:%02x.0",
		 unsigned(attribute(d, device, cu_attribute_pci_domain_id)),
		 unsigned(attribute(d, device, cu_attribute_pci_bus_id)),
		 unsigned(attribute(d, device, cu_attribute_pci_device_id)));
	return {{"address", address},
		{"speed", said_of_link(address, "current_link_speed")},
		{"lanes", said_of_link(address, "current_link_width")}};
}

// Returns the devices through which bulk copies of this one may go: those that reach its memory.
json relays_of(const cuda_driver &d, cu_device device, int count)
{
	json relays = json::array();
	for (int i = 0; i < count; i++) {
		cu_device peer = 0;
		int can = 0;
		if (!d.get_device(&peer, i) && peer != device && !d.can_access_peer(&can, peer, device) && can)
			relays.push_back(i);
	}
	return relays;
}

json device(const cuda_driver &d, int ordinal, int count, const std::string &driver)
{
	cu_device device = 0;
	char name[128] = "?";
	if (!d.get_device(&device, ordinal))
		d.device_name(name, sizeof(name), device);
	return {{"name", name},
		{"profile", profile_of(name, driver)},
		{"capability", std::to_string(attribute(d, device, cu_attribute_compute_capability_major)) + "." +
				       std::to_string(attribute(d, device, cu_attribute_compute_capability_minor))},
		{"copy_engines", attribute(d, device, cu_attribute_async_engine_count)},
		{"pcie_link", pcie_link(d, device)},
		{"relays", relays_of(d, device, count)}};
}

// Returns what HET_PATHS asks of bulk copies, and which GPUs help with them that a process does not use.
json paths_asked_for(int count)
{
	const paths::request asked = paths::read_request(settings().paths);
	json helpers = json::array();
	for (int i = 0; i < count; i++) {
		if (asked.asks_for(unsigned(i)))
			helpers.push_back(i);
	}
	return {{"policy", asked.chosen->name()}, {"understood", asked.is_understood}, {"helpers", helpers}};
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
		devices.push_back(device(d, i, count, driver));
	return {{"driver", true}, {"cuda", driver}, {"devices", devices}, {"paths", paths_asked_for(count)}};
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
