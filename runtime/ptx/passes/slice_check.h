// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tells which kernels can't run in slices.
#pragma once

#include "ptx/module.h"

#include <array>

namespace het::ptx
{

// Returns whether the kernel says so itself, with .pragma "het_no_slice".
bool opts_out(const module &m, const function &f);

// In the place of these special registers slices have words of shared memory, in this order.
constexpr std::array<std::string_view, 8> block_registers = {"%ctaid.x",  "%ctaid.y",  "%ctaid.z",  "",
							     "%nctaid.x", "%nctaid.y", "%nctaid.z", ""};
bool reads_block(const module &m, const function &f);

// Returns why a function can't run in slices: what its head says of a kernel, or an instruction of its body.
std::optional<fault> kernel_refusal(const module &m, const function &f);
std::optional<fault> body_refusal(const module &m, const function &f);

// Returns what belongs to launches in clusters: slices have one block in each.
std::optional<fault> cluster_use(const module &m, const function &f);

} // namespace het::ptx
