// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which arrays leave a device when another launch needs their memory: whole ones, those first that have come first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace het::rt
{

// A tenant is an array with a buffer on the device.
struct tenant {
	uintptr_t at;
	uint64_t nbytes;
	uint64_t arrived; // rises with each arrival on any device
	enum : uint8_t {
		idle,   // nobody has it: it can leave at once
		in_use, // commands have it that will end by themselves
		own,    // the launch itself needs it
	} is;
};

enum class room : uint8_t {
	enough,     // there is, once the victims have left
	must_wait,  // there will be, once others have ended
	impossible, // all that there is to wait for is not enough
};

struct victims {
	room what;
	size_t count = 0;
	uint64_t nbytes = 0;
};

// Finds @wanted bytes. With room::enough the first victims::count of @all are those that are to leave, all of them: no
// fewer of those that have come first would do. Otherwise nobody leaves, as memory that is given in part helps nobody.
victims choose_victims(std::span<tenant> all, uint64_t wanted);

} // namespace het::rt
