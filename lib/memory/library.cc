// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/library.h"

#include "os/log.h"

#include <climits>
#include <new>

namespace het
{

namespace
{

std::atomic<uint32_t> opened{0};

} // namespace

library &lib()
{
	// It is never destroyed: resolvers serve touches of other destructors.
	alignas(library) static char memory[sizeof(library)];
	static library *l = new (memory) library;
	return *l;
}

void wait_until_open()
{
	while (!opened.load())
		futex_wait(&opened, 0);
}

void let_threads_begin()
{
	opened.store(1);
	futex_wake(&opened, INT_MAX);
}

int check_ready(const char *call)
{
	if (lib().ready.load(std::memory_order_acquire))
		return 0;
	if (lib().forked.load())
		return fail(GPUVM_ESTATE, "%s: not in a forked child, whose arrays are ordinary memory", call);
	return fail(GPUVM_ESTATE, "%s: call gpuvm_init() first", call);
}

} // namespace het
