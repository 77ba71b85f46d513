// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/signal_chain.h"

#include "os/lock.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

// Nobody interposes this other name that glibc has for sigaction().
extern "C" int __sigaction(int signo, const struct sigaction *act, struct sigaction *old);

namespace het
{

namespace
{

using kernel_mask = uint64_t; // what the kernel takes for a sigset_t

struct link {
	std::atomic<fault_handler> ours{nullptr};
	std::atomic<pid_t> process{0}; // it differs in a vfork child, which shares this memory but no handlers
	futex_lock lock;               // guards program
	struct sigaction program = {};
};

link segv_link, bus_link;

link *link_of(int signo)
{
	return signo == SIGSEGV ? &segv_link : signo == SIGBUS ? &bus_link : nullptr;
}

bool has_handler(const struct sigaction &a)
{
	return a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
}

kernel_mask to_kernel(const sigset_t &set)
{
	kernel_mask m;
	memcpy(&m, &set, sizeof(m));
	return m;
}

constexpr kernel_mask bit(int signo)
{
	return kernel_mask{1} << (signo - 1);
}

// Returns what takes effect of the program's action, as at a delivery: a one-shot action is used up.
struct sigaction deliver(link &l)
{
	l.lock.lock(lock_rank::leaf);
	struct sigaction a = l.program;
	if (has_handler(a) && (a.sa_flags & SA_RESETHAND))
		l.program.sa_handler = SIG_DFL;
	l.lock.unlock(lock_rank::leaf);
	return a;
}

// Ends the process as the signal would have. The signal is sent again, and waits until the handler returns: not
// every cause would come back with the instruction. The first process of a container takes only the latter.
void default_action(int signo, siginfo_t *info)
{
	struct sigaction dfl = {};
	real_sigaction(signo, &dfl, nullptr);
	syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signo, info);
}

// Runs the program's handler as the kernel would. It may change the context, or leave by siglongjmp().
void run_handler(const struct sigaction &a, int signo, siginfo_t *info, void *context)
{
	kernel_mask mask = to_kernel(static_cast<ucontext_t *>(context)->uc_sigmask) | to_kernel(a.sa_mask);
	if (!(a.sa_flags & SA_NODEFER))
		mask |= bit(signo);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, nullptr, sizeof(mask));
	if (a.sa_flags & SA_SIGINFO)
		a.sa_sigaction(signo, info, context);
	else
		a.sa_handler(signo);
}

void on_signal(int signo, siginfo_t *info, void *context)
{
	int saved = errno;
	link &l = *link_of(signo);
	bool from_kernel = info->si_code > 0;
	fault_handler ours = l.ours.load(std::memory_order_acquire);
	bool served = from_kernel && ours && ours(*info, *static_cast<ucontext_t *>(context));
	errno = saved;
	if (served)
		return;
	struct sigaction a = deliver(l);
	if (has_handler(a))
		run_handler(a, signo, info, context);
	else if (a.sa_handler == SIG_DFL || from_kernel) // the kernel's own faults can't be ignored
		default_action(signo, info);
}

// Makes our action. Stack and restarting are as the program's handler wants them, as one delivery serves both.
struct sigaction our_action(const struct sigaction &program)
{
	constexpr int inherited = SA_ONSTACK | SA_RESTART;
	struct sigaction a = {};
	a.sa_sigaction = on_signal;
	a.sa_flags = SA_SIGINFO | (has_handler(program) ? program.sa_flags & inherited : inherited);
	// The C library's own signals are blocked, too, which sigfillset() leaves out: a thread that is cancelled here
	// would keep our locks.
	memset(&a.sa_mask, 0xff, sizeof(a.sa_mask));
	return a;
}

} // namespace

int real_sigaction(int signo, const struct sigaction *act, struct sigaction *old)
{
	return __sigaction(signo, act, old);
}

int chain_install(int signo, fault_handler ours)
{
	link &l = *link_of(signo);
	guard g(l.lock, lock_rank::leaf);
	if (l.ours.load(std::memory_order_relaxed))
		return -EBUSY;
	l.process.store(getpid(), std::memory_order_relaxed);
	l.ours.store(ours, std::memory_order_release);
	// The program's action is read in the same step; the second time the flags are those which that asks for.
	struct sigaction now = our_action({});
	int err = real_sigaction(signo, &now, &l.program);
	if (!err) {
		now = our_action(l.program);
		err = real_sigaction(signo, &now, nullptr);
	}
	if (err) {
		err = -errno;
		l.ours.store(nullptr, std::memory_order_release);
	}
	return err;
}

void chain_remove(int signo)
{
	link &l = *link_of(signo);
	guard g(l.lock, lock_rank::leaf);
	if (!l.ours.load(std::memory_order_relaxed))
		return;
	struct sigaction now;
	if (!real_sigaction(signo, nullptr, &now) && now.sa_sigaction == on_signal)
		real_sigaction(signo, &l.program, nullptr);
	l.ours.store(nullptr, std::memory_order_release);
}

void chain_forked_child(int signo)
{
	new (&link_of(signo)->lock) futex_lock;
	chain_remove(signo);
}

bool chain_holds(int signo)
{
	link *l = link_of(signo);
	return l && l->ours.load(std::memory_order_acquire) && l->process.load(std::memory_order_relaxed) == getpid();
}

int chain_sigaction(int signo, const struct sigaction *act, struct sigaction *old)
{
	link &l = *link_of(signo);
	// The arguments may lie in memory that is trapped, which must not be touched under the lock.
	struct sigaction wanted, before;
	if (act) {
		wanted = *act;
		sigdelset(&wanted.sa_mask, SIGKILL);
		sigdelset(&wanted.sa_mask, SIGSTOP);
	}
	int err = 0;
	{
		guard g(l.lock, lock_rank::leaf);
		before = l.program;
		if (act) {
			struct sigaction now = our_action(wanted);
			err = real_sigaction(signo, &now, nullptr);
			if (!err)
				l.program = wanted;
		}
	}
	if (!err && old)
		*old = before;
	return err;
}

} // namespace het
