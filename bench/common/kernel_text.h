// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program's kernels for devices are texts. The build makes the object FILE_kernels of FILE.cl and FILE.ptx, and the
// program declares it. BUILT_BY_OPENCL is defined when a device compiles the former itself.
#pragma once

namespace bench
{

struct kernel_text {
	const char *opencl;
	const char *ptx; // het-fatbin makes it of the former
};

} // namespace bench
