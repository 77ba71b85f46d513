// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The library's SIGSEGV or SIGBUS handler, in front of what the program has set for that signal.
//
// The kernel knows our handler; what the program believes to have set is kept here. A signal that is not ours has
// the effect that it would have without us: the program's handler runs with the mask, on the stack and with the
// one-shot rule that it asked for, or the default action ends the process with that signal.
// Differences that remain: a program that ignores the signal passes the default action, not the ignoring, to what
// it executes; and a handler set by a raw system call replaces ours, so touches go to it.
#pragma once

#include <csignal>
#include <cstddef>
#include <ucontext.h>

namespace het
{

// Decides about a fault that the kernel reports: true, repeat the instruction; false, not ours. Runs in the signal
// handler with all signals blocked.
using fault_handler = bool (*)(const siginfo_t &info, const ucontext_t &context);

// Puts @ours in front. @signo is SIGSEGV or SIGBUS. 0 or -errno; -EBUSY if something of ours is there already.
int chain_install(int signo, fault_handler ours);
// Gives the signal back to the program. No touch may be under way.
void chain_remove(int signo);
// The same in a forked child, whose other threads may have held our locks at the fork.
void chain_forked_child(int signo);

// For the interposers of sigaction() and its kin: is this signal ours at the moment? One load if none is.
bool chain_holds(int signo);
// sigaction(2) of the program's for a signal that is ours. Async-signal-safe.
int chain_sigaction(int signo, const struct sigaction *act, struct sigaction *old);

// The C library's own sigaction(), past all interposers, sanitizers' too. Async-signal-safe.
int real_sigaction(int signo, const struct sigaction *act, struct sigaction *old);

} // namespace het
