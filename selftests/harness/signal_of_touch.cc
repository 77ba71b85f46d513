// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "signal_of_touch.h"

#include "test.h"

#include <csetjmp>
#include <csignal>

namespace selftest
{

namespace
{

thread_local sigjmp_buf back;
thread_local volatile sig_atomic_t got_signal;

void jump_back(int signal)
{
	got_signal = signal;
	siglongjmp(back, 1);
}

} // namespace

void catch_signals()
{
	struct sigaction action = {};
	action.sa_handler = jump_back;
	action.sa_flags = SA_NODEFER;
	CHECK_SYS(sigaction(SIGBUS, &action, nullptr));
	CHECK_SYS(sigaction(SIGSEGV, &action, nullptr));
}

int touch(const uint8_t *p, bool write)
{
	got_signal = 0;
	if (sigsetjmp(back, 1) == 0) {
		volatile uint8_t *at = const_cast<uint8_t *>(p);
		uint8_t value = *at;
		if (write)
			*at = value;
	}
	return got_signal;
}

} // namespace selftest
