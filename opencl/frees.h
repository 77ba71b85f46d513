// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

namespace hetcl
{

// From now on libhet hears of it when the program, or a library of its, frees or unmaps memory. It is called before
// memory of the program's own comes into use, each time, as libraries may have come meanwhile.
void watch_frees();

} // namespace hetcl
