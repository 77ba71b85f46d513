// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A port is one direction of a GPU's links, for the pieces of one bulk copy at a time: streams, and an event behind
// each piece. A port that relays carries other GPUs' pieces through a ring of slots in its own GPU's memory, with one
// more stream for the second link, so that one piece passes each link while the next one passes the other.
//
// A copy engine stays with a stream as long as there is something in it: a touch would wait for the whole copy,
// whatever its priority. So no stream has more than one piece.
//
// All of it is made at the start. Pieces end in the order in which they were started.
#pragma once

#include "dev/cuda_carrier.h"
#include "dev/cuda_hand.h"
#include "paths/links.h"
#include "paths/splitter.h"

#include <atomic>
#include <cstddef>

namespace het
{

class cuda_port final : public cuda_carrier
{
      public:
	static constexpr unsigned slots = paths::splitter::depth;
	static constexpr size_t slot_size = paths::splitter::most_relayed, ring_size = slots * slot_size;
	static_assert(cuda_hand::slots >= slots);

	// One copy at a time may use a port.
	bool try_borrow() { return is_open_ && !lent_.exchange(true, std::memory_order_acquire); }
	void give_back() { lent_.store(false, std::memory_order_release); }
	bool is_lent() const { return lent_.load(std::memory_order_acquire); }

	// The GPU's @context is made current where a call needs it. close() undoes also what open() did before it
	// failed. All return a cu_result.
	int open(const cuda_api &cu, cu_context context, paths::direction d, bool relays);
	void close();
	// A kernel of the same GPU may carry pieces too, as close() ends as well. Without it the port goes on.
	void open_hand(cu_function kernel);
	// Returns what carries by the kernel, or null while there is none.
	cuda_hand *hand() { return hand_.is_open() && hand_.is_idle() ? &hand_ : nullptr; }
	bool has_hand() const { return hand_.is_open(); }

	// Starts a piece, of which at most `slots` may be under way, and of a slot's size where this port relays.
	int start(const cuda_place &to, const cuda_place &from, size_t size) override
	{
		return start(to, from, size, nullptr);
	}
	// The piece begins when @after has come about, unless that is null.
	int start(const cuda_place &to, const cuda_place &from, size_t size, cu_event after);
	// Returns the event behind the piece that was started last.
	cu_event last_end() const { return ended_[(started_ - 1) % slots]; }
	int look() override;
	void next() override { oldest_++; }
	void drain() override;

      private:
	int relay(unsigned slot, const cuda_place &to, const cuda_place &from, size_t size);
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
	cuda_hand hand_;
};

} // namespace het
