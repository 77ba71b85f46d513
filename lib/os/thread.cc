// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/thread.h"

#include "os/lock.h"
#include "os/pool.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

namespace het
{

namespace
{

struct start {
	void (*run)(void *);
	void *arg;
};

void *trampoline(void *p)
{
	start s = *static_cast<start *>(p);
	pool().release(p, sizeof(start));
	s.run(s.arg);
	return nullptr;
}

} // namespace

bool start_thread(const char *name, void (*run)(void *), void *arg)
{
	auto *s = pool_array<start>(1);
	if (!s)
		return false;
	*s = {run, arg};
	signals_blocked inherited;
	pthread_t thread;
	if (pthread_create(&thread, nullptr, trampoline, s)) {
		pool().release(s, sizeof(start));
		return false;
	}
	pthread_setname_np(thread, name);
	pthread_detach(thread);
	return true;
}

unsigned usable_cores()
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return unsigned(CPU_COUNT(&set));
}

unsigned long preemptions()
{
	rusage u;
	return getrusage(RUSAGE_THREAD, &u) ? 0 : (unsigned long)(u.ru_nivcsw);
}

} // namespace het
