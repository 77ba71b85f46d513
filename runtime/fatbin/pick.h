// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which images of a fat binary a device can use, and in which order it tries them. OpenCL: its own binary, which needs
// no compiler or little of one; SPIR-V, which needs no front end; OpenCL C. CUDA: a cubin of its generation, PTX; the
// newest first.
#pragma once

#include "fatbin/container.h"

namespace het::fatbin
{

// A device as native binaries name it: a driver takes back only what it wrote itself, for the same device.
using identity = char[512];
void make_identity(identity &made, const char *platform, const char *device, const char *driver_version);

// PoCL puts this before the names of kernels and arguments that are named like functions of OpenCL C: mix, all.
inline constexpr char renamed_by_pocl[] = "_cl_";

struct abilities {
	const char *identity; // null: takes no binaries
	// The newest SPIR-V that it takes; 0.0: none.
	uint32_t spirv_major, spirv_minor;
	bool opencl_c;
	// CUDA: ten times the major number of the compute capability, and the minor one; 0: takes neither cubins nor
	// PTX.
	uint32_t sm;
};

// The best image after the first @skip ones. False: there is none.
bool pick(const container &from, const abilities &device, uint32_t skip, image &best);

// From a device's list of IL versions, "SPIR-V_1.0 SPIR-V_1.2".
void take_il_version(const char *list, abilities &device);

} // namespace het::fatbin
