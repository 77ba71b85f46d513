// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a kernel does with what it has of an array.
#pragma once

#include <cstdint>

namespace het
{

// read_write_noted: read_write, and the end may be told what was written.
enum class kernel_mode : uint8_t { read_only, write_only, read_write, read_write_noted };

constexpr bool writes(kernel_mode m)
{
	return m != kernel_mode::read_only;
}

} // namespace het
