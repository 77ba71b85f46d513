// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Which kernels can't run in slices.
#pragma once

#include "ptx/module.h"

namespace het::ptx
{

// The kernel says so itself: .pragma "het_no_slice".
bool opts_out(const module &m, const function &f);

// Why a function can't be sliced.
std::optional<fault> slice_refusal(const module &m, const function &f);

} // namespace het::ptx
