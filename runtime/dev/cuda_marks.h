// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Marks the ends of launches on one stream. An event makes a launch cost a third more, and whoever waits for the last
// launch can ask the stream: so the end of a launch is recorded when the next one comes, if nobody has seen it until
// then.
//
// Of a chain of short launches many have ended when its first is waited for, and each question is a call of the
// driver's. So a waiter who need not wait asks for a later one next time, twice as far ahead each time: what is before
// one that has ended has ended, too.
//
// One thread at a time launches, another one waits, in the order of the launches. The device's context is current.
#pragma once

#include "dev/cuda_calls.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace het::rt
{

class cuda_marks
{
      public:
	explicit cuda_marks(const cuda_calls &cu) : cu_(cu) {}

	// Must be called before anything of the next launch is on the stream; gives the launch's number. Returns 0 or a
	// code of the driver's.
	int begin_launch(cu_stream stream, uint64_t *number);
	// Waits until the launch has ended. Returns 0 or a code.
	int wait(cu_stream stream, uint64_t number);

      private:
	// Executors have far fewer launches in flight. A waiter who finds his place taken asks the stream, too.
	static constexpr size_t places = 128;

	int record(cu_event *event, cu_stream stream);
	bool is_recorded(uint64_t number) const;
	int query(cu_stream stream, uint64_t number) const;
	int sleep(cu_stream stream, uint64_t number);
	std::optional<int> look_ahead(uint64_t number);

	const cuda_calls &cu_;
	uint64_t launched_ = 0; // belongs to the launcher
	std::atomic<uint64_t> waited_{0}, newest_recorded_{0};
	// Each event lies by its launch's number, and beside it the launch for which it was recorded last.
	cu_event events_[places] = {};
	std::atomic<uint64_t> recorded_[places] = {};
	// These belong to the waiter: an event, the last launch that is known to have ended, and how far ahead it
	// looks.
	cu_event sleeping_ = nullptr;
	uint64_t ended_ = 0, ahead_ = 0;
};

} // namespace het::rt
