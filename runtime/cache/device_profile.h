// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What het-bench has measured of a device, kept in the user's store: one profile for each device, driver and machine.
// It is as if absent if it is of another version, or damaged.
#pragma once

#include "cache/store.h"

#include <cstdint>
#include <string>
#include <vector>

namespace het::cache
{

struct measured {
	std::string name;                    // "l2.size", "memory.read": see Documentation/het-bench.rst
	double value = 0, low = 0, high = 0; // in bytes, ns, or bytes a ns
	double confidence = 0;
};

struct device_profile {
	int64_t made = 0; // seconds since 1970
	std::vector<measured> all;

	// Returns null if it was not measured.
	const measured *find(std::string_view name) const;
};

// Names a device as its driver does, and the driver's version.
struct profiled_device {
	std::string device, driver;
};

// The machine is part of the key.
bool get_profile(const store &from, const profiled_device &d, device_profile &to);
void put_profile(const store &to, const profiled_device &d, const device_profile &p);

// These are the bytes of an entry. from_bytes() takes any, and returns false, with an empty profile, for others.
std::vector<std::byte> to_bytes(const device_profile &p);
bool from_bytes(bytes from, device_profile &to);

} // namespace het::cache
