// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What has travelled for one launch that does not fit into its device's memory, in bytes.
#pragma once

#include <cstdint>

namespace het::rt
{

struct traffic {
	uint64_t sent = 0, brought = 0; // to the device, and home
	uint64_t reused = 0;            // was there from launches before
	uint64_t left = 0;              // was written, and has stayed there
	uint64_t accesses = 0;          // went to host memory in place; these are no bytes
};

} // namespace het::rt
