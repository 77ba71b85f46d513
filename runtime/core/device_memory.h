// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What one device's memory is used for, and who waits for some of it.
#pragma once

#include "evict/account.h"
#include "evict/waiting_line.h"

namespace het::rt
{

struct device_memory {
	memory_account account;
	waiting_line line;
	// More is in use than the budget allows, since that was lowered: the next command that begins sees to it.
	std::atomic<bool> is_over{false};
	// The program or the environment has said what the budget is. start() and the lock of linking guard it.
	bool is_set = false;
};

} // namespace het::rt
