// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Up to a page of bytes reaches the device as parameters of a launch: libgomp tells each region so where its variables
// are. A copy would have to be waited for, as it goes another way than launches do, and takes longer; this is waited
// for by what is launched behind it.
#pragma once

#include "own_kernel.h"

#include <cstddef>
#include <cstdint>
#include <het.h>
#include <mutex>

namespace het_omp
{

class puts
{
      public:
	puts(het_device *device, het_queue *queue);
	~puts();
	puts(const puts &) = delete;
	puts &operator=(const puts &) = delete;

	// Returns whether so many bytes may be put there.
	static bool fits(const void *to, size_t nbytes);
	// Takes bytes that fit, and sends them on their way behind all that were put before. Returns false if that
	// can't be done: they are to be copied.
	bool put(void *to, const void *from, size_t nbytes);
	// What waits for this event finds all that has been put. It is null if that is there; the caller releases it.
	het_event *last();
	// Waits until all that has been put is there, or what of it may lie in these bytes. Returns false if it has
	// failed; het has said why.
	bool settle();
	bool settle(const void *there, size_t nbytes);

      private:
	template <class Block> bool send(own_kernel &kernel, void *to, const void *from, size_t nbytes);
	het_event *last_locked();

	het_device *const device_;
	het_queue *const queue_;
	std::mutex lock_;
	own_kernel small_, large_;
	het_event *last_ = nullptr;
	uintptr_t begin_ = 0, end_ = 0; // what was put lies between, as long as last_ is there
};

} // namespace het_omp
