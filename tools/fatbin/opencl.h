// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// OpenCL's drivers know and make these: argument descriptions, and binaries for their devices.
#pragma once

#include "dev/opencl_api.h"
#include "fatbin/conditions.h"
#include "fatbin/document.h"

#include <memory>

namespace tool::fat
{

// These are the loader's functions; it is opened at run time.
struct cl_functions;

struct cl_place {
	cl_device_id id;
	std::string identity; // that of native images
};

class opencl
{
      public:
	// Throws if there is no driver with a device that compiles.
	opencl();
	opencl(const opencl &) = delete;
	opencl &operator=(const opencl &) = delete;
	~opencl();

	const std::vector<cl_place> &devices() const { return devices_; }
	// Describes the kernels of a source, as the first device's compiler sees them. It throws its log if it refuses
	// the source.
	std::vector<kernel> describe(const std::string &source, const std::string &options) const;
	// Returns what the first device's compiler says to these, as kernel_row::asked has it. It throws if that is no
	// number where it matters.
	std::string answers(const asked_macros &asked, const std::string &options) const;
	// Makes the device's own binary; it has no bytes, but the reason, if the driver gives none.
	image make_native(const cl_place &device, const std::string &source, const std::string &options) const;

      private:
	void add_devices(cl_platform_id platform);

	std::unique_ptr<cl_functions> cl_;
	std::vector<cl_place> devices_;
};

} // namespace tool::fat
