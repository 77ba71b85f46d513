// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This takes the place of runtime/dev/devices.cc, where a device that is to stay gets its word for HET_DEVICES.
#include "example_device/device.h"
#include "os/log.h"

namespace het::rt
{

int make_compute_devices(std::unique_ptr<compute_device> (&made)[most_devices], unsigned *count)
{
	made[0] = example::make_device();
	made[1] = make_host_compute(false, 1);
	*count = 2;
	return made[0] && made[1] ? 0 : fail(HET_ENOMEM, "no memory for the devices");
}

} // namespace het::rt
