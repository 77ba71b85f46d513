// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Lets blocks take the place in the grid that a control block in global memory says, for passes that launch a grid in
// parts. The block's first thread finds its place when the block begins, and puts it into eight words of shared memory.
#pragma once

#include "ptx/editor.h"

#include <array>
#include <string_view>

namespace het::ptx
{

// In the place of these special registers the block has words of shared memory, in this order.
constexpr std::array<std::string_view, 8> block_registers = {"%ctaid.x",  "%ctaid.y",  "%ctaid.z",  "",
							     "%nctaid.x", "%nctaid.y", "%nctaid.z", ""};

// These lines of the first thread put the block's number into %n. They want the address of the control block in %c, the
// place in the launch in %x, %y and %z, its size in %nx, %ny and %nz, and the list in %t. The control block has the
// grid at 0, the number of the first block at 16, and the list of numbers at 24.
extern const std::string_view number_of_block;

// These follow: from %n they find the place in the grid, and store it, with %leave, in the words <block>; from $leave
// on the number of a block that leaves is put into the list at 32, whose length is at 40, and from $store on what %x
// and the others are is stored as it is.
extern const std::string_view place_of_number;

// Puts registers in the place of the special ones, and returns the lines that load them from the words @block.
std::string replace_block_registers(const module &m, const function &f, std::string_view block, editor *e);

} // namespace het::ptx
