// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What HET_DEVICE_MEMORY says: how many bytes of a device's memory the library may use.
#pragma once

#include <cstdint>

namespace het::rt
{

inline constexpr uint64_t no_limit = UINT64_MAX;

struct budget_setting {
	enum : uint8_t { usual, bytes, percent } kind = usual;
	uint64_t value = 0;

	bool operator==(const budget_setting &) const = default;
};

// Finds in the text, which may be null, what is for a device: one entry is for all devices, of several, with commas
// between them, each is for the device of that number, and an empty or missing one leaves the usual budget. An entry is
// bytes, with K, M or G behind them (powers of 1024), or a percentage from 1% to 100%. It is false if any entry is
// something else.
bool find_budget(const char *text, unsigned number, budget_setting &found);

// Returns the bytes that the setting means. @total are the device's, which may be 0 where they are not known, and @free
// those that nobody uses now, or no_limit where that is not known: of these the usual budget leaves some to others.
uint64_t bytes_of(const budget_setting &s, uint64_t total, uint64_t free);

} // namespace het::rt
