// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "memory/failure.h"

#include "memory/library.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/settings.h"
#include "os/thread.h"
#include "trap/spared_threads.h"

#include <atomic>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace het
{

namespace
{

constexpr size_t text_size = 320, queue_size = 16;
constexpr unsigned watched_lanes = 64;
constexpr uint64_t second = 1000000000, longest_stop = second / 2;

struct message {
	int code;
	void *hostptr;
	char text[text_size];
};

// A lock of rank leaf guards the queue, the callback and the last text. When the queue is full the oldest message is
// dropped; all were printed.
struct attendant {
	futex_lock lock;
	std::atomic<uint32_t> wake{0};
	message queue[queue_size];
	size_t head = 0, count = 0;
	uint64_t reported = 0;
	gpuvm_error_fn callback = nullptr;
	void *callback_arg = nullptr;
	char last[text_size] = "";
	// gpuvm_stat() hands this out: the text that it gave last stays in place until it is asked again.
	char given[text_size] = "";

	// A call under way on lane i has its start (0 if there is none) and its array here. Reported calls have a start
	// of 1.
	std::atomic<uint64_t> started[watched_lanes] = {};
	std::atomic<void *> hostptr[watched_lanes] = {};
	std::atomic<bool> asleep{false};
};

attendant &me()
{
	static attendant a;
	return a;
}

void wake_attendant()
{
	me().wake.fetch_add(1);
	futex_wake(&me().wake, 1);
}

bool take_message(message *m, gpuvm_error_fn *fn, void **arg)
{
	attendant &a = me();
	guard g(a.lock, lock_rank::leaf);
	if (!a.count)
		return false;
	*m = a.queue[a.head];
	a.head = (a.head + 1) % queue_size;
	a.count--;
	*fn = a.callback;
	*arg = a.callback_arg;
	return true;
}

void check_calls(bool *any)
{
	uint64_t limit = settings().watchdog_s * second;
	for (unsigned lane = 0; lane < watched_lanes; lane++) {
		uint64_t started = me().started[lane].load();
		*any |= started > 1;
		// The time is read after the start, so a call that starts meanwhile is not in the future.
		if (started <= 1 || !limit || now_ns() - started < limit)
			continue;
		if (!me().started[lane].compare_exchange_strong(started, 1))
			continue;
		report(GPUVM_ESTATE, me().hostptr[lane].load(),
		       "a fetch for array %p has not ended for %u s: the device hangs, or one of its driver's threads "
		       "waits "
		       "for a touch of a linked array (call gpuvm_host_begin() before handing such memory to the "
		       "driver)",
		       me().hostptr[lane].load(), settings().watchdog_s);
	}
}

// Where all threads stand while data comes, one of them may have what the driver waits for.
void end_long_stop(trap &catcher)
{
	static bool told;
	if (!catcher.resume_threads_after(longest_stop) || told)
		return;
	told = true;
	warn("trap sigsegv-stop: a copy did not end while all threads stood, as one of them has what the driver waits "
	     "for: they "
	     "go on (this trap is the benchmark's baseline; take another one)");
}

void attend(void *arg)
{
	memory_context &context = *static_cast<memory_context *>(arg);
	wait_until_open();
	if (context.catcher->features().stops_threads)
		spare_this_thread();
	attendant &a = me();
	unsigned quiet = 0;
	for (;;) {
		uint32_t seen = a.wake.load();
		message m;
		gpuvm_error_fn fn;
		void *arg;
		while (take_message(&m, &fn, &arg)) {
			if (fn)
				fn(m.code, m.hostptr, m.text, arg);
		}
		bool any = false;
		check_calls(&any);
		end_long_stop(*context.catcher);
		quiet = any ? 0 : quiet + 1;
		// There was nothing to watch for some seconds, so it sleeps until a call starts.
		a.asleep.store(quiet > 5);
		if (quiet > 5) {
			any = false;
			check_calls(&any);
		}
		futex_wait(&a.wake, seen, any || quiet <= 5 ? int64_t(second) : -1);
	}
}

} // namespace

void fail_chunk(array &a, uint32_t c)
{
	a.chunks[c].flags |= chunk_failed;
	a.chunks[c].host = access::none;
	if (a.context->catcher->spoil(pages_of(a, c, 1), *a.context->source) < 0)
		report(GPUVM_EPROT, a.place.user.ptr(),
		       "array %p: a failed chunk can't be shown as such; touches of it hang", a.place.user.ptr());
}

// The chunk may be accessible for an instant. A touch in it sees old bytes, as any touch before the end of the writing
// kernel that heals it may.
int heal_chunk(array &a, uint32_t c)
{
	if (a.context->catcher->heal(pages_of(a, c, 1), *a.context->source) < 0)
		return fail(GPUVM_EPROT, "array %p: a failed chunk can't be watched again", a.place.user.ptr());
	a.chunks[c].flags &= uint8_t(~chunk_failed);
	return 0;
}

void report(int code, void *hostptr, const char *fmt, ...)
{
	attendant &a = me();
	message m{code, hostptr, {}};
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(m.text, text_size, fmt, ap);
	va_end(ap);
	warn("%s", m.text);
	{
		guard g(a.lock, lock_rank::leaf);
		a.reported++;
		memcpy(a.last, m.text, text_size);
		if (a.count == queue_size) {
			a.head = (a.head + 1) % queue_size;
			a.count--;
		}
		a.queue[(a.head + a.count++) % queue_size] = m;
	}
	wake_attendant();
}

void set_error_callback(gpuvm_error_fn fn, void *arg)
{
	guard g(me().lock, lock_rank::leaf);
	me().callback = fn;
	me().callback_arg = arg;
}

const char *last_failure()
{
	guard g(me().lock, lock_rank::leaf);
	memcpy(me().given, me().last, text_size);
	return me().given;
}

uint64_t failure_count()
{
	guard g(me().lock, lock_rank::leaf);
	return me().reported;
}

watched_call::watched_call(unsigned lane, void *hostptr) : lane_(lane)
{
	if (lane_ >= watched_lanes)
		return;
	me().hostptr[lane_].store(hostptr);
	me().started[lane_].store(now_ns());
	if (me().asleep.exchange(false))
		wake_attendant();
}

watched_call::~watched_call()
{
	if (lane_ < watched_lanes)
		me().started[lane_].store(0);
}

bool start_attendant(memory_context &context)
{
	static bool started;
	started = started || start_thread("het-attendant", attend, &context);
	return started;
}

} // namespace het
