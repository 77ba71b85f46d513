// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The CUDA devices of this process know each other here, and lend each other their links: a bulk copy between the host
// and one of them may be shared between its own PCIe link and those of its peers, as lib/paths says.
//
// With the policy `direct` nobody joins. Otherwise the first device costs nothing, and when a second one
// comes each makes its ports, once. Locks: `opening` while a device comes or goes, `leaf` around what lib/paths decides
// and while a port is borrowed.
#pragma once

#include "dev/cuda_port.h"
#include "dev/device.h"
#include "os/lock.h"
#include "paths/chooser.h"

#include <atomic>
#include <iterator>
#include <span>

namespace het
{

// One CUDA device of this process.
class cuda_member
{
      public:
	explicit cuda_member(const cuda_api &cu) : cu_(cu) {}
	// Leaves, when nobody uses its ports any more. The context is there until then.
	~cuda_member() { leave(); }
	cuda_member(const cuda_member &) = delete;
	cuda_member &operator=(const cuda_member &) = delete;

	// Takes part from now on, if there is room for one more. Nothing fails: who has no ports copies directly.
	void join(const char *name, cu_device device, cu_context context);
	void leave();
	// Returns the bytes of its memory that others' copies pass through. It can take them back, and lends none then.
	size_t lent() const
	{
		return relays_.load(std::memory_order_relaxed) ? std::size(ways_) * cuda_port::ring_size : 0;
	}
	void keep();

	// Copies the pieces, over as many paths as are worth it, and waits for them. False says that nothing was done,
	// and that the caller copies by itself. The result is in *error.
	bool copy(paths::direction d, std::span<const transfer> pieces, int *error);

      private:
	friend class cuda_copy;

	struct way {
		paths::chooser chooser;
		cuda_port own, relay;
	};
	way &of(paths::direction d) { return ways_[d == paths::direction::to_host]; }

	bool takes(std::span<const transfer> pieces) const;
	void make_ports();
	void close_ports();
	void stop_relaying();
	bool reaches(const cuda_member &peer) const;
	void meet(cuda_member &peer);

	const cuda_api &cu_;
	const char *name_ = "";
	cu_device device_ = 0;
	cu_context context_ = nullptr;
	unsigned number_ = paths::most_gpus; // in the table; that many: not there
	std::atomic<bool> has_ports_{false}; // they stay until this one leaves
	std::atomic<bool> relays_{false};
	bool keeps_ = false; // all of its memory
	way ways_[2];
};

} // namespace het
