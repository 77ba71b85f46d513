// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Catches touches by mprotect() and SIGSEGV: that needs no privilege and no kernel feature, so it works everywhere.
//
// The price is that the state of a page is the protection of its mapping, so each change of a part of an array may
// split a mapping (vm.max_map_count limits their number), and every change is a system call under the lock of the
// address space.
#pragma once

#include "trap/signal_trap.h"

namespace het
{

class sigsegv_trap : public signal_trap
{
      public:
	explicit sigsegv_trap(const touch_sink &sink);

	const char *name() const override { return "sigsegv"; }
	trap_features features() const override;

	// Pages that were never touched read as zeros meanwhile, as they always did.
	int hold(range old) override;
	void unhold(range old) override;

	// All pages count as mapped, whether they were touched or not: the whole range becomes accessible.
	int watch(const pages &p) override;
	int unwatch(const pages &p) override;

	int protect(const pages &p, access to) override;
	int admit(const pages &p, access to) override;
};

} // namespace het
