// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which kernels can't run in slices.
#pragma once

#include "ptx/passes/block_place.h"

namespace het::ptx
{

// Returns whether the kernel says so itself, with .pragma "het_no_slice".
bool opts_out(const module &m, const function &f);

// Returns whether the function reads special registers that slices replace.
bool reads_block(const module &m, const function &f);

// Returns why a function can't run in slices: what its head says of a kernel, or an instruction of its body.
std::optional<fault> kernel_refusal(const module &m, const function &f);
std::optional<fault> body_refusal(const module &m, const function &f);

// Returns what belongs to launches in clusters: slices have one block in each.
std::optional<fault> cluster_use(const module &m, const function &f);

} // namespace het::ptx
