// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Picks which images of a fat binary a device can use, and in which order it tries them. OpenCL devices take first
// their own binary, which needs no compiler or little of one; then SPIR-V, which needs no front end; then OpenCL C.
// CUDA devices take first a cubin of their generation, then PTX; the newest first.
#pragma once

#include "fatbin/container.h"

namespace het::fatbin
{

// A native binary names a device like this: a driver takes back only what it wrote itself, for the same device.
using identity = char[512];
void make_identity(identity &made, const char *platform, const char *device, const char *driver_version);

// PoCL puts this before the names of kernels and arguments that are named like functions of OpenCL C: mix, all.
inline constexpr char renamed_by_pocl[] = "_cl_";

struct abilities {
	const char *identity; // null if the device takes no binaries
	// The newest SPIR-V that the device takes; 0.0 means none.
	uint32_t spirv_major, spirv_minor;
	bool opencl_c;
	// For CUDA: ten times the major number of the compute capability, plus the minor one; 0 means that the device
	// takes neither cubins nor PTX.
	uint32_t sm;
};

// Picks the best image after the first @skip ones. Returns false if there is none.
bool pick(const container &from, const abilities &device, uint32_t skip, image &best);

// Reads a device's list of IL versions, "SPIR-V_1.0 SPIR-V_1.2".
void take_il_version(const char *list, abilities &device);

} // namespace het::fatbin
