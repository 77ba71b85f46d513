// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/signal_trap.h"

#include "trap/fault_access.h"
#include "trap/signal_chain.h"

#include <atomic>

namespace het
{

namespace
{

// At most one trap of the process takes a signal.
std::atomic<signal_trap *> active{nullptr};

// These count how often a range may have become ordinary memory, and what of that this thread has seen. Its own wakes
// inside the handler do not count, or it would repeat for ever.
std::atomic<uint32_t> releases{0};
thread_local uint32_t releases_seen __attribute__((tls_model("initial-exec")));
thread_local bool in_handler __attribute__((tls_model("initial-exec")));

// Returns false for what is never a touch: memory errors, protection keys, non-canonical addresses.
bool is_page_fault(const siginfo_t &info)
{
	if (info.si_signo == SIGBUS)
		return info.si_code == BUS_ADRERR;
	return info.si_code == SEGV_MAPERR || info.si_code == SEGV_ACCERR;
}

} // namespace

bool signal_trap::install(const char **why)
{
	signal_trap *none = nullptr;
	*why = "another trap of this process uses a signal";
	if (!active.compare_exchange_strong(none, this))
		return false;
	if (!chain_install(signo_, on_fault))
		return true;
	active.store(nullptr);
	*why = "the signal handler can't be installed";
	return false;
}

signal_trap::~signal_trap()
{
	signal_trap *self = this;
	if (active.load() != self)
		return;
	chain_remove(signo_);
	active.store(nullptr);
}

bool signal_trap::on_fault(const siginfo_t &info, const ucontext_t &context)
{
	signal_trap *self = active.load(std::memory_order_acquire);
	fault_access access = access_of(context);
	if (!self || !is_page_fault(info) || access == fault_access::other)
		return false;
	touch t{reinterpret_cast<uintptr_t>(info.si_addr), access == fault_access::write};
	in_handler = true;
	bool ours = self->touched(t);
	in_handler = false;
	if (ours)
		return true;
	uint32_t now = releases.load(std::memory_order_acquire);
	bool repeat = now != releases_seen;
	releases_seen = now;
	return repeat;
}

void signal_trap::wake(const pages &p)
{
	if (!in_handler)
		releases.fetch_add(1, std::memory_order_release);
	box_.complete(p.at);
}

void signal_trap::forked_child()
{
	box_.forked_child();
	if (active.load() == this)
		chain_forked_child(signo_);
}

} // namespace het
