// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Touches of a device's bytes while others fill its link: a copy engine serves streams in order, so 4 KiB would wait
// until they pause. After a touch has waited long there a kernel brings the next ones.
#pragma once

#include "dev/cuda_hand.h"
#include "dev/device.h"

#include <atomic>

namespace het
{

class cuda_touches
{
      public:
	// The context is current in both. Without room for it touches go on as ever.
	void open(const cuda_api &cu, cu_context context, cu_function kernel);
	void close();
	bool is_open() const { return is_open_.load(std::memory_order_acquire); }

	// A read that the engine made was waited for so long.
	void waited(uint64_t ns);
	// Reads the piece by a kernel, if that is the thing to do now, and waits. False says that nothing was done.
	bool read(const cuda_place &from, const transfer &piece);

      private:
	struct place {
		cuda_hand hand;
		std::atomic<bool> lent{false};
	};
	bool read_by(cuda_hand &hand, const cuda_place &from, const transfer &piece);

	static constexpr unsigned places = 4; // so many touches at once
	place places_[places];
	std::atomic<bool> is_open_{false};
	std::atomic<uint64_t> until_{0}; // kernels bring what is touched
};

} // namespace het
