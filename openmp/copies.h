// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// These are copies between the host and one device, and on it. What comes home again and again comes lazily: the host's
// bytes are watched, a kernel copies the mapped block into their place on the device, and only what the host touches
// travels. What goes back to the device from there goes the same way, so that only what the host has changed travels.
// Which arrays that are is said by their histories (homecomings.h), or by HET_OPENMP_LAZY.
#pragma once

#include "homecomings.h"
#include "own_kernel.h"

#include <cstddef>
#include <cstdint>
#include <het.h>
#include <map>
#include <mutex>

namespace het_omp
{

class copies
{
      public:
	copies(het_device *device, het_queue *queue);
	copies(const copies &) = delete;
	copies &operator=(const copies &) = delete;

	// These return when it is done, and false if it has failed; het has said why.
	bool to_host(void *to, const void *from, size_t nbytes);
	bool to_device(void *to, const void *from, size_t nbytes);
	bool on_device(void *to, const void *from, size_t nbytes);

      private:
	enum class way { copied, begins_to_be_watched, watched };
	way way_of(const void *p, size_t nbytes, bool comes_home);
	void note(const void *p, size_t nbytes, bool came_home, way wanted, bool was_lazy, double time);
	bool may_begin(homecomings &h, const void *p);
	homecomings &history_of(const void *p, size_t nbytes);
	bool has_room(size_t nbytes) const;
	bool by_kernel(const het_arg &to, const het_arg &from, size_t nbytes);
	// Calls by_kernel() or copy(), whichever is right for this part of the host's memory.
	template <class ByKernel, class Copy>
	bool go(const void *on_host, size_t nbytes, bool comes_home, ByKernel by_kernel, Copy copy);
	// A null device is the host.
	bool copy(het_device *to_on, void *to, het_device *from_on, const void *from, size_t nbytes);

	het_device *const device_;
	het_queue *const queue_;
	std::mutex lock_;
	std::map<uintptr_t, homecomings> seen_;
	move_price price_;
	own_kernel kernel_;
};

} // namespace het_omp
