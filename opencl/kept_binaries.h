// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fat binaries that were made are kept for other processes of the user, beside what the runtime keeps.
#pragma once

#include "device.h"

#include <string>
#include <vector>

namespace hetcl
{

// This is all that the making of a fat binary depends on.
struct binary_request {
	const std::string &source, &options;
	const _cl_device_id &device;
	const std::string &tool; // as execvp() takes it
};

// Returns nothing if there is none, or if what is there is damaged or of another version.
std::vector<char> find_kept(const binary_request &r);
void keep(const binary_request &r, const std::vector<char> &made);

} // namespace hetcl
