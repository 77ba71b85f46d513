// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Adds delays at hand-overs between threads, and mutants, for tests. Only -DHET_INJECT builds have them.
//   HET_DELAY_US=n       each delay point sleeps a random time up to n microseconds, one time in four
//   HET_MUTANT=nolock    touches are served without the array's lock between looking at the state and mapping
//   HET_MUTANT=hasty     a toucher goes on before the copy of its chunk ends
//   HET_MUTANT=early     what is foreseen is shown before its copy ends, however that ends
//   HET_MUTANT=unseen    what the host is expected to write is taken for what it will read
//   HET_MUTANT=void      what is sent ahead of a kernel counts although the host has written there meanwhile
//   HET_MUTANT=unwaited  a begin does not wait for what is on its way to its device
//   HET_MUTANT=writable  pages stay writable while their bytes are sent ahead
//   HET_MUTANT=told      the program hears of a command's end before what is to be home by then has come
// Only .cc files may include this: mk/build.mk compiles those that include it once more, and no others.
#pragma once

namespace het
{

#ifdef HET_INJECT
void delay_point();
bool mutant_nolock();
bool mutant_gone_early();
bool mutant_shown_early();
bool mutant_written_as_read();
bool mutant_told_early();
bool mutant_void_counts();
bool mutant_begin_does_not_wait();
bool mutant_sends_unprotected();
#else
inline void delay_point() {}
constexpr bool mutant_nolock()
{
	return false;
}
constexpr bool mutant_gone_early()
{
	return false;
}
constexpr bool mutant_shown_early()
{
	return false;
}
constexpr bool mutant_written_as_read()
{
	return false;
}
constexpr bool mutant_told_early()
{
	return false;
}
constexpr bool mutant_void_counts()
{
	return false;
}
constexpr bool mutant_begin_does_not_wait()
{
	return false;
}
constexpr bool mutant_sends_unprotected()
{
	return false;
}
#endif

} // namespace het
