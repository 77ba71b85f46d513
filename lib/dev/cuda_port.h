// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A port is one direction of a GPU's PCIe link, for the pieces of one bulk copy at a time: streams, and an event behind
// each piece. A port that relays carries other GPUs' pieces through a ring of slots in its own GPU's memory, with one
// more stream for the link between the GPUs, so that one piece passes each link while the next one passes the other.
//
// A copy engine stays with a stream as long as there is something in it: a touch would wait for the whole copy,
// whatever its priority. So no stream has more than one piece.
//
// All of it is made at the start. Pieces end in the order in which they were started.
#pragma once

#include "dev/cuda_api.h"
#include "paths/links.h"
#include "paths/splitter.h"

#include <atomic>
#include <cstddef>

namespace het
{

class cuda_port
{
      public:
	static constexpr unsigned slots = paths::splitter::depth;
	static constexpr size_t slot_size = paths::splitter::most_relayed, ring_size = slots * slot_size;

	// One copy at a time may use a port.
	bool try_borrow() { return is_open_ && !lent_.exchange(true, std::memory_order_acquire); }
	void give_back() { lent_.store(false, std::memory_order_release); }
	bool is_lent() const { return lent_.load(std::memory_order_acquire); }

	// The GPU's @context is made current where a call needs it. close() undoes also what open() did before it
	// failed. All return a cu_result.
	int open(const cuda_api &cu, cu_context context, paths::direction d, bool relays);
	void close();

	// Starts a piece, at most `slots` of them, between pinned host memory and memory of this GPU, or of the one
	// whose context @owner is where this port relays.
	int start(void *host, cu_deviceptr device, cu_context owner, size_t size);
	// Returns what has become of the oldest piece: cu_error_not_ready while it is under way.
	int look();
	// The oldest piece is over.
	void next() { oldest_++; }
	// Waits until nothing is under way any more, whether it went well or not.
	void drain();

      private:
	int relay_in(unsigned slot, void *host, cu_deviceptr device, cu_context owner, size_t size);
	int relay_out(unsigned slot, void *host, cu_deviceptr device, cu_context owner, size_t size);
	int make(bool relays);

	const cuda_api *cu_ = nullptr;
	cu_context context_ = nullptr;
	paths::direction direction_ = paths::direction::to_device;
	bool is_open_ = false;
	std::atomic<bool> lent_{false};
	cu_stream outer_[slots] = {}, inner_ = nullptr; // on the PCIe link, and between GPUs
	cu_deviceptr ring_ = 0;
	cu_event passed_[slots] = {}, ended_[slots] = {}; // the first link, and all
	unsigned started_ = 0, oldest_ = 0;
};

} // namespace het
