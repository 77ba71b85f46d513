// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The traps that catch touches by a signal in the toucher have this in common: the handler, and the way from it to the
// resolvers.
//
// Kernel-mode touches are EFAULT under these traps, and a thread that blocks the signal is killed when it touches: the
// kernel leaves no choice.
//
// A fault on an address that the sink does not know goes to the program, with one exception: between the fault and the
// question the range may have become ordinary memory again, and then the instruction is to be repeated. So the memory
// core must know a range before it holds it, and unwatch(), unhold() or wake() it before it forgets it; a thread
// repeats once if one of these was called since it last asked.
#pragma once

#include "trap/mailbox.h"
#include "trap/trap.h"

#include <csignal>
#include <ucontext.h>

namespace het
{

class signal_trap : public trap
{
      public:
	~signal_trap() override;

	// Takes the signal over. Returns false, with the reason in *why, if another trap has it.
	bool install(const char **why);

	void wake(const pages &p) override;
	bool next(touch &t, wait_policy p) override { return box_.next(t, p); }
	void interrupt() override { box_.interrupt(); }
	bool has_touch() const override { return box_.has_touch(); }
	void hand_over(touch t) override { box_.hand_over(t); }
	void forked_child() override;

      protected:
	signal_trap(const touch_sink &sink, int signo) : sink_(sink), signo_(signo) {}

	// Lets those go on who wait in @r, whose access has grown.
	void complete(range r) { box_.complete(r); }

	// Serves a fault in a thread, in its signal handler. Returns false if the fault is not one of ours.
	virtual bool touched(touch t) { return sink_.touched_here(t); }

      private:
	static bool on_fault(const siginfo_t &info, const ucontext_t &context);

	touch_sink sink_;
	int signo_;
	mailbox box_;
};

} // namespace het
