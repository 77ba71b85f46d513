// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes kernels of OpenCL C whose arguments may begin outside of their buffers, for slices in windows.
//
// Drivers take a buffer or an address inside of one, so a kernel of ours is added to the program. It gets each buffer,
// and behind all arguments the distance of each argument from its buffer's begin; it adds the two, and calls the
// program's kernel as a function.
#pragma once

#include "dev/opencl_calls.h"

#include <string>
#include <string_view>

namespace het::rt
{

// The kernel's name is that of the program's with this before it.
inline constexpr char window_prefix[] = "het_in_window_";

struct window_text {
	std::string text;
	unsigned shifts = 0; // so many arguments more than the program's kernel it has
};

// @k is the program's kernel. It is false if the driver does not tell what its arguments are.
bool make_window_text(const opencl_calls &cl, cl_kernel k, const char *name, window_text &made);
// Does so by the program's text. It is false if the kernel's parameters are not plainly written there.
bool make_window_text(std::string_view program, std::string_view name, window_text &made);

} // namespace het::rt
