// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "event.h"

#include "errors.h"
#include "messages.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace het::python
{

namespace
{

// A forked child may have both ends, too, so the end of one alone would tell nothing. To write to a pipe that nobody
// reads any longer could raise SIGPIPE here.
void tell(het_event *, int, void *arg)
{
	const int descriptor = int(reinterpret_cast<intptr_t>(arg));
	const char one = 1;
	[[maybe_unused]] ssize_t n = send(descriptor, &one, sizeof(one), MSG_NOSIGNAL | MSG_DONTWAIT);
	close(descriptor);
}

} // namespace

// Nobody can wait for it any longer, but its arrays must last.
event::~event()
{
	if (!holds_.empty()) {
		end_holds_after(e_, std::move(holds_));
		return;
	}
	forget_message(e_);
	het_event_release(e_);
}

void event::finish(int status)
{
	// Other threads that wait find nothing left to do.
	std::vector<hold> holds = std::move(holds_);
	holds_.clear();
	if (!holds.empty() && !end_holds(holds, status == HET_COMPLETE))
		throw python_error{};
}

int event::status()
{
	int status = 0;
	check(het_event_status(e_, &status));
	if (status <= HET_COMPLETE)
		finish(status);
	return status;
}

void event::wait()
{
	int err = 0, status = 0;
	{
		without_gil g;
		err = het_event_wait(1, &e_);
	}
	if (err && err != HET_EWAIT)
		check(err);
	check(het_event_status(e_, &status));
	finish(status);
	if (status < 0)
		throw failure{status, message_of(e_, status)};
}

void event::notify(int descriptor)
{
	const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		raise(PyExc_OSError, "an event's descriptor: %s", strerror(errno));
	if (int err = het_event_callback(e_, tell, reinterpret_cast<void *>(intptr_t(own)))) {
		close(own);
		check(err);
	}
}

void event::set(int status)
{
	without_gil g;
	if (int err = het_user_event_set(e_, status))
		throw failure{err, het_last_error()};
}

} // namespace het::python
