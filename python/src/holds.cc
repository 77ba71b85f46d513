// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The end of a command is told on a thread of the library's, which must never wait for the interpreter's lock: who has
// that may be in free(), and wait for a command. So it only puts the holds into a list, and asks Python to have the
// main thread look at it soon.
#include "holds.h"

#include "errors.h"
#include "messages.h"

#include <atomic>

namespace het::python
{

namespace
{

struct record {
	het_event *event;
	std::vector<hold> holds;
	record *next = nullptr;
};

constinit std::atomic<record *> ended{nullptr};
constinit std::atomic<bool> is_asked{false}, is_closed{false};

void end_all()
{
	record *r = ended.exchange(nullptr);
	while (r) {
		std::unique_ptr<record> first(std::exchange(r, r->next));
		int status = 0;
		het_event_status(first->event, &status);
		if (!end_holds(first->holds, status == HET_COMPLETE))
			PyErr_WriteUnraisable(nullptr);
		forget_message(first->event);
		het_event_release(first->event);
	}
}

int on_pending(void *)
{
	is_asked = false;
	end_all();
	return 0;
}

void on_end(het_event *, int, void *arg)
{
	auto *r = static_cast<record *>(arg);
	r->next = ended.load();
	while (!ended.compare_exchange_weak(r->next, r))
		;
	// Python's list of calls may be full; then the next end asks again.
	if (!is_closed && !is_asked.exchange(true) && Py_AddPendingCall(on_pending, nullptr))
		is_asked = false;
}

} // namespace

std::unique_ptr<het_memory, release_memory> memory_of(char *first, size_t nbytes)
{
	het_memory *made = nullptr;
	check(het_memory_wrap(first, nbytes, &made));
	return std::unique_ptr<het_memory, release_memory>(made);
}

hold hold_of(PyObject *array, view &v)
{
	hold h;
	h.array = object::to(array);
	h.owner.reset(keep_on_devices(array, v.first, v.nbytes).give_up());
	if (!h.owner) {
		h.memory = memory_of(v.first, v.nbytes);
		h.exported = std::move(v.exported);
	}
	return h;
}

bool end_holds(std::vector<hold> &holds, bool has_succeeded)
{
	bool is_well = true;
	for (hold &h : holds) {
		h.memory.reset();
		if (h.copies_back && has_succeeded)
			is_well &= !PyBuffer_FromContiguous(h.exported.get(), h.copy.get(), h.exported->len, 'C');
	}
	holds.clear();
	return is_well;
}

void end_holds_after(het_event *event, std::vector<hold> &&holds)
{
	end_all(); // what was left over
	auto *r = new record{event, std::move(holds)};
	if (!het_event_callback(event, on_end, r))
		return;
	// There is no memory, or this is a forked child, where no command runs and nobody waits.
	{
		without_gil g;
		het_event_wait(1, &event);
	}
	on_end(event, 0, r);
}

void interpreter_ends()
{
	is_closed = true;
}

} // namespace het::python
