// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Adds delays at hand-overs between threads, and mutants, for tests. Only -DHET_INJECT builds have them.
//   HET_DELAY_US=n   each delay point sleeps a random time up to n microseconds, one time in four
//   HET_MUTANT=name  the library is this mutant
// Only .cc files may include this: mk/build.mk compiles those that include it once more, and no others.
#pragma once

#include <cstdint>

namespace het
{

enum class mutant : uint8_t {
	nolock,          // touches are served without the array's lock between looking at the state and mapping
	hasty,           // a toucher goes on before the copy of its chunk ends
	early,           // what is foreseen is shown before its copy ends, however that ends
	unseen,          // what the host is expected to write is taken for what it will read
	voided,          // what is sent ahead of a kernel counts although the host has written there meanwhile
	unwaited,        // a begin does not wait for what is on its way to its device
	writable,        // pages stay writable while their bytes are sent ahead
	told,            // the program hears of a command's end before what is to be home by then has come
	untimely,        // what is foreseen behind an event comes home before the event has come about
	unheard,         // and also if its kernel has failed, of which nobody hears then
	evicts_used,     // an array leaves a device while a kernel there has it
	drops_only_copy, // an array leaves a device, and what only that had does not come home
	keeps_written,   // what is kept between launches in slices stays so although the host has written it
	keeps_elsewhere, // and although a launch on another device has
	keeps_failed,    // what a slice has written is kept although it did not come home
	leaves_away,     // what a slice has written and left on its device does not come home when it is needed there
	drops_written,   // and what it is in goes without it
	skips_others,    // and a launch elsewhere does not ask for it
	takes_used,      // memory goes in which something is kept that is being copied
	takes_late,      // a slice gets bytes of the host's that are taken from it only at the end
	carries_early, // bytes are carried to the next slice of a mixed group before the slice that writes them has ended
};

#ifdef HET_INJECT
void delay_point();
bool is_mutant(mutant m);
#else
inline void delay_point() {}
constexpr bool is_mutant(mutant)
{
	return false;
}
#endif

} // namespace het
