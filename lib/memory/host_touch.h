// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What one touch of the host is while it is served, and who serves it.
#pragma once

#include "memory/array.h"
#include "memory/touch_times.h"
#include "trap/trap.h"

#include <optional>

namespace het
{

struct started_fetch; // memory/fetch.h

enum class verdict : uint8_t {
	done,      // the access may be repeated
	not_ours,  // no watched page there (any more)
	wait,      // somebody else is at work on the chunk, and will wake who waits for it
	hand_over, // the device can't be called here, so a resolver must do it
	later, // it can't be served beside the fetches that the server keeps: they must end before it is served again
};

// A server is a resolver, or a toucher in its signal handler.
class server
{
      public:
	virtual unsigned lane() const = 0;
	virtual bool in_handler() const = 0;
	// The resolver is about to wait for a device, for a moment or longer: somebody else may have to listen.
	virtual void wait_for_device(bool long_wait) = 0;
	// The device works, and there is time to look whether others wait: somebody else may have to help.
	virtual void device_works() {}
	// A server may take fetches over, to end them with finish_fetch() in the order in which they were started, and
	// serve other touches meanwhile. has_room() tells whether there is room for one more from @source (a
	// participant, the same for all), where @most may be under way.
	virtual bool has_room(uint8_t, unsigned) const { return false; }
	virtual void keep(const started_fetch &) {}
	virtual unsigned kept() const { return 0; } // with the one that is being ended

      protected:
	~server() = default;
};

// This is what was touched, and what the chunk is to do for it. It outlives the lock.
struct found_touch {
	array *in;
	touch t;
	uint32_t chunk;
	step st; // of the touched chunk, and of all that are served along with it
	touch_times at;
};

// A touch in the hands of its server, between the look at the chunk and the last page that is shown. Callers hold the
// array's lock, unless said otherwise.
class host_touch
{
      public:
	host_touch(const found_touch &f, array_guard &held, server &by)
	    : a(*f.in), g(held), s(by), t(f.t), c(f.chunk), st(f.st), at(f.at)
	{
	}
	host_touch(const host_touch &) = delete;
	host_touch &operator=(const host_touch &) = delete;

	array &a;
	array_guard &g;
	server &s;
	const touch t;
	const uint32_t c;
	const step st;
	touch_times at;

	found_touch found() const { return {&a, t, c, st, at}; }
	pages page() const;
	// Chunks from the touched one on that are served along with it: they take the same step and are nobody else's
	// business.
	layout::span window();
	// The touched chunk, and its neighbours in @to that take the same step and that the host may read already.
	layout::span widen(layout::span to) const;
	// Returns the answer to a touch that this server can't serve, where serving takes a long wait for a device. It
	// may be called without the lock.
	std::optional<verdict> refusal() const;
	// The toucher looks again: it may go on, be caught anew, or get SIGBUS.
	void wake() const;
	// The toucher is about to be let go on, and may look at the count then. It may be called without the lock.
	void count() const;
	// The toucher can go on; a read-ahead may not be over yet. It may be called without the lock.
	void has_gone_on();
	// No copy of the chunk can be read: SIGBUS.
	void fail_unread() const;
};

} // namespace het
