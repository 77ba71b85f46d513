// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Random commands on a few arrays, whose every byte is known. The host touches one when it has heard in some way that
// all commands on it are over.
#pragma once

#include "test.h"

#include <vector>

namespace selftest
{

// Runs such a program under these settings (GPUVM_FORESIGHT=...). With @promises most launches promise that
// (HET_TOUCH_AFTER_WAIT), otherwise none does. Whatever the program was, the rounds behind it have something to
// foresee: before the host touches anything, it waits in all but the first of them until it has come home, if that is
// @sure.
void run_random_program(context &t, std::vector<const char *> settings, bool promises, bool sure);

} // namespace selftest
