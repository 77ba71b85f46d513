// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#pragma once

#include <csignal>

namespace het
{

// Starts a detached thread that blocks all signals. Returns false if none could be had.
bool start_thread(const char *name, void (*run)(void *), void *arg);

// Returns whether this process, or its parent before a fork, has started any.
bool has_started_threads();

// While it lives, its thread takes SIGSEGV and SIGBUS: the program's code, run on a thread of ours, may touch trapped
// memory. One inside another costs nothing; inside, signals_blocked live shorter.
class faults_taken
{
      public:
	faults_taken();
	~faults_taken();
	faults_taken(const faults_taken &) = delete;
	faults_taken &operator=(const faults_taken &) = delete;

      private:
	sigset_t before_; // of the outermost
};

// Stands around a call of the program's code on a thread that may have its signals blocked for life, but for the faults
// that it takes. The code may change the thread's mask, and fork: inside, signals_blocked block signals themselves,
// also in the child, and afterwards the mask is as it was. On all other threads it does nothing.
class program_code
{
      public:
	program_code();
	~program_code();
	program_code(const program_code &) = delete;
	program_code &operator=(const program_code &) = delete;

      private:
	const unsigned depth_; // of signals_blocked
};

// Asks the scheduler to run the calling thread soon after it is woken: with a short slice, and a better priority where
// the user may have one. This is for threads that work for microseconds at a time.
void wake_soon();

// Returns how many cores this process may use.
unsigned usable_cores();

// Returns the involuntary context switches of the calling thread so far, which rise when cores are short.
unsigned long preemptions();

} // namespace het
