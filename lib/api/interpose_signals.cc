// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Interposes sigaction, signal and their kin. While a trap uses SIGSEGV or SIGBUS, a program that sets or asks for its
// handler of that signal deals with the one that is chained behind ours. Everything else goes to the C library.
//
// sigset() and the two kinds of signal() are what glibc makes of them: sigaction() with these flags.
#include "api/next_function.h"
#include "api/public.h"
#include "trap/signal_chain.h"

#include <cerrno>
#include <csignal>

extern "C" int __sigaction(int signo, const struct sigaction *act, struct sigaction *old); // glibc's own

using namespace het;

namespace
{

using handler = void (*)(int);
using sigaction_function = int (*)(int, const struct sigaction *, struct sigaction *);
using signal_function = handler (*)(int, handler);

next_function<sigaction_function> next_sigaction("sigaction");
next_function<signal_function> next_signal("signal");
next_function<signal_function> next_sysv_signal("sysv_signal");
next_function<signal_function> next_sigset("sigset");

bool loaded;

// sigaction() and signal() may be called in signal handlers, dlsym() may not.
__attribute__((constructor)) void find_next_functions()
{
	next_sigaction.get();
	next_signal.get();
	next_sysv_signal.get();
	next_sigset.get();
	loaded = true;
}

handler chain_signal(int signo, handler h, int flags, bool masks_itself)
{
	struct sigaction act = {}, old;
	if (h == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	act.sa_handler = h;
	act.sa_flags = flags;
	if (masks_itself)
		sigaddset(&act.sa_mask, signo);
	return chain_sigaction(signo, &act, &old) ? SIG_ERR : old.sa_handler;
}

int sigaction_for(int signo, const struct sigaction *act, struct sigaction *old)
{
	if (chain_holds(signo))
		return chain_sigaction(signo, act, old);
	sigaction_function f = next_sigaction.get();
	return f ? f(signo, act, old) : real_sigaction(signo, act, old);
}

handler bsd_signal_for(int signo, handler h)
{
	return chain_holds(signo) ? chain_signal(signo, h, SA_RESTART, true) : next_signal.get()(signo, h);
}

handler sysv_signal_for(int signo, handler h)
{
	return chain_holds(signo) ? chain_signal(signo, h, int(SA_RESETHAND) | SA_NODEFER, false)
				  : next_sysv_signal.get()(signo, h);
}

// SIG_HOLD blocks the signal, anything else unblocks it; the answer is SIG_HOLD if it was blocked.
handler chain_sigset(int signo, handler h)
{
	sigset_t one, before;
	sigemptyset(&one);
	sigaddset(&one, signo);
	struct sigaction now;
	chain_sigaction(signo, nullptr, &now);
	handler old = now.sa_handler;
	if (h != SIG_HOLD && chain_signal(signo, h, 0, false) == SIG_ERR)
		return SIG_ERR;
	if (pthread_sigmask(h == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &one, &before))
		return SIG_ERR;
	return sigismember(&before, signo) ? SIG_HOLD : old;
}

} // namespace

// Before this library's constructors have run no trap is in use, and the thread sanitizer, which then calls, can't
// bear instrumented code yet.
GPUVM_PUBLIC __attribute__((no_sanitize("thread"))) int sigaction(int signo, const struct sigaction *act,
								  struct sigaction *old)
{
	return loaded ? sigaction_for(signo, act, old) : __sigaction(signo, act, old);
}

GPUVM_PUBLIC handler signal(int signo, handler h)
{
	return bsd_signal_for(signo, h);
}

GPUVM_PUBLIC handler bsd_signal(int signo, handler h)
{
	return bsd_signal_for(signo, h);
}

GPUVM_PUBLIC handler ssignal(int signo, handler h)
{
	return bsd_signal_for(signo, h);
}

GPUVM_PUBLIC handler sysv_signal(int signo, handler h)
{
	return sysv_signal_for(signo, h);
}

// Programs that are compiled for plain ISO C call this as signal().
GPUVM_PUBLIC handler __sysv_signal(int signo, handler h)
{
	return sysv_signal_for(signo, h);
}

GPUVM_PUBLIC handler sigset(int signo, handler h)
{
	return chain_holds(signo) ? chain_sigset(signo, h) : next_sigset.get()(signo, h);
}
