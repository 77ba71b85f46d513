// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "trap/sigsegv.h"

#include "os/log.h"

#include <atomic>
#include <cerrno>
#include <sys/mman.h>

namespace het
{

namespace
{

int protection(access a)
{
	switch (a) {
	case access::none:
		return PROT_NONE;
	case access::read:
		return PROT_READ;
	case access::write:
		break;
	}
	return PROT_READ | PROT_WRITE;
}

// Returns 0 or -errno. The one cause that a user can cure is told once.
int set_access(range r, access a)
{
	if (!mprotect(r.ptr(), r.size(), protection(a)))
		return 0;
	int err = errno;
	static std::atomic<bool> told{false};
	if (err == ENOMEM && !told.exchange(true))
		warn("mprotect: the process has too many mappings; raise vm.max_map_count (sysctl), use larger chunks "
		     "(GPUVM_CHUNK), or the trap uffd, which splits none");
	return -err;
}

} // namespace

sigsegv_trap::sigsegv_trap(const touch_sink &sink) : signal_trap(sink, SIGSEGV) {}

trap_features sigsegv_trap::features() const
{
	return {.kernel_touches = false, .shared_reads = true};
}

int sigsegv_trap::hold(range old)
{
	return set_access(old, access::read);
}

void sigsegv_trap::unhold(range old)
{
	set_access(old, access::write);
	wake({old});
}

int sigsegv_trap::watch(const pages &p)
{
	return set_access(p.at, access::write);
}

int sigsegv_trap::unwatch(const pages &p)
{
	int err = set_access(p.at, access::write);
	wake(p);
	return err;
}

int sigsegv_trap::protect(const pages &p, access to)
{
	return set_access(p.at, to);
}

int sigsegv_trap::admit(const pages &p, access to)
{
	int err = set_access(p.at, to);
	complete(p.at);
	return err;
}

std::unique_ptr<trap> make_sigsegv_trap(const touch_sink &sink, const char **why)
{
	auto t = std::make_unique<sigsegv_trap>(sink);
	if (!t->install(why))
		return nullptr;
	*why = nullptr;
	return t;
}

} // namespace het
