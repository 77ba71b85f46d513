// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// pthread_exit() of the main thread leaves somebody to take the process's signals. The library's threads block them
// all, so where the program has no other thread left SIGTERM would stay pending for ever.
#include "api/next_function.h"
#include "api/public.h"
#include "os/thread.h"

#include <csignal>
#include <pthread.h>
#include <unistd.h>

using namespace het;

namespace
{

next_function<void (*)(void *)> next_exit("pthread_exit");
sigset_t mask_of_main;

void stand_in(void *)
{
	pthread_sigmask(SIG_SETMASK, &mask_of_main, nullptr);
	for (;;)
		pause();
}

void leave_a_stand_in()
{
	if (gettid() != getpid() || !has_started_threads())
		return;
	pthread_sigmask(SIG_SETMASK, nullptr, &mask_of_main);
	start_thread("het-signals", stand_in, nullptr);
}

} // namespace

GPUVM_PUBLIC __attribute__((noreturn)) void pthread_exit(void *value)
{
	leave_a_stand_in();
	next_exit.get()(value);
	__builtin_unreachable();
}
