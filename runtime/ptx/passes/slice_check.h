// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which kernels can't run in slices, and which perhaps can't.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

// The kernel says so itself: .pragma "het_no_slice".
bool opts_out(const module &m, const function &f);

// Why a function can't be sliced.
std::optional<fault> slice_refusal(const module &m, const function &f);

// Loops that may wait for another block: they read what others may write, in a way that sees it.
std::vector<fault> possible_waits(const module &m, const function &f);

} // namespace het::ptx
