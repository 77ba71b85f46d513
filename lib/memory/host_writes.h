// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Host writes that no touch tells of.
//
// Where the kernel module is the trap, a host write to a page that is shown read-only goes on in the kernel: nobody is
// asked. The module marks the page, and counts in the page source's counter before and after that; the access of the
// chunk is "read" here still, and devices seem to have valid copies. Before anything is decided by a chunk's
// state, its writes are taken in: the chunk takes the step of event::touch_write, late.
//
// Why none is lost. The host's write is done only when the page's mark and the first count are made (the page becomes
// writable after that, for its writer and for all who follow). So a caller who knows of the write finds another
// number than the array remembers, and then the mark; if it only came while the marks were looked through, the second
// count makes the next caller look again. A mark goes when the state of the page is set, and then trap::protect() and
// trap::admit() tell that there was one: whichever of the changed chunks were shown read-only may be meant, and
// all of them lose their other copies, which costs a copy at worst. A chunk that is busy keeps its mark, and the array
// its number, until the thread that made it busy has done its step, in which access stays "read".
// A write that comes after the number was looked at is one beside the call, as it would be if it had been caught: the
// next one finds it.
// No mark is needed where the access is "write": nothing else is valid.
#pragma once

#include "memory/array.h"

namespace het
{

// There may be such writes. The question needs no lock: who takes them in narrows array::fast first.
bool has_host_writes(const array &a);

// The caller holds the array's lock.
void take_in_host_writes(array &a);

// A change of the chunks' pages has found marks (trap::protect(), trap::admit()). The caller holds the array's lock,
// and has not lowered the access yet.
void take_in_found_writes(array &a, layout::span s);

} // namespace het
