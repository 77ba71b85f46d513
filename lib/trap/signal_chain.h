// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Puts the library's SIGSEGV or SIGBUS handler in front of what the program has set for that signal.
//
// The kernel knows our handler; what the program believes to have set is kept here. A signal that is not ours has the
// effect that it would have without us: the program's handler runs with the mask, on the stack and with the one-shot
// rule that it asked for, or the default action ends the process with that signal. Differences that remain: a program
// that ignores the signal passes the default action, not the ignoring, to what it executes; and a handler set by a raw
// system call replaces ours, so touches go to it.
#pragma once

#include <csignal>
#include <cstddef>
#include <ucontext.h>

namespace het
{

// Decides about a fault that the kernel reports: returns true if the instruction is to be repeated, and false if the
// fault is not ours. It runs in the signal handler with all signals blocked.
using fault_handler = bool (*)(const siginfo_t &info, const ucontext_t &context);

// Puts @ours in front. @signo is SIGSEGV or SIGBUS. Returns 0 or -errno; -EBUSY if something of ours is there already.
int chain_install(int signo, fault_handler ours);
// Gives the signal back to the program. No touch may be under way.
void chain_remove(int signo);
// Does the same in a forked child, whose other threads may have held our locks at the fork.
void chain_forked_child(int signo);

// Tells the interposers of sigaction() and its kin whether this signal is ours at the moment. It costs one load if none
// is.
bool chain_holds(int signo);
// Does the program's sigaction(2) for a signal that is ours. It is async-signal-safe.
int chain_sigaction(int signo, const struct sigaction *act, struct sigaction *old);

// Calls the C library's own sigaction(), past all interposers, sanitizers' too. It is async-signal-safe.
int real_sigaction(int signo, const struct sigaction *act, struct sigaction *old);

} // namespace het
