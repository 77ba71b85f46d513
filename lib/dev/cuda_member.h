// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The CUDA devices of this process know each other here, and lend each other their links, for copies that are shared
// between several paths (cuda_fabric.h).
//
// With the policy `direct` nobody joins. Otherwise the first device costs nothing, and when a second one
// comes each makes its ports, once. Locks: `opening` while a device comes or goes, `leaf` around what lib/paths decides
// and while a port is borrowed.
#pragma once

#include "dev/cuda_port.h"
#include "dev/cuda_touches.h"
#include "dev/device.h"
#include "os/lock.h"
#include "os/settings.h"
#include "paths/chooser.h"
#include "paths/request.h"

#include <atomic>
#include <iterator>

namespace het
{

// One CUDA device of this process.
class cuda_member
{
      public:
	// What the process does not use has this in place of a number, and only lends (cuda_helpers.h).
	static constexpr unsigned helper = no_device;

	// Others know the device by the number @index.
	cuda_member(const cuda_api &cu, unsigned index) : cu_(cu), index_(index) {}
	// Leaves, when nobody uses its ports any more. The context is there until then.
	~cuda_member() { leave(); }
	cuda_member(const cuda_member &) = delete;
	cuda_member &operator=(const cuda_member &) = delete;

	// Takes part from now on, if there is room for one more. Nothing fails: who has no ports copies directly. The
	// driver has the device as @ordinal.
	void join(const char *name, int ordinal, cu_device device, cu_context context);
	// Waits for copies that pass through it, without a lock: other devices come and go meanwhile.
	void leave();
	// Returns the bytes of its memory that others' copies pass through. It can take them back, and lends none then.
	size_t lent() const
	{
		return relays_.load(std::memory_order_relaxed) ? std::size(ways_) * cuda_port::ring_size : 0;
	}
	void keep();

	// The rest is for who copies.

	// The ports of a direction, its own copies' and those for others' pieces, and who decides. Between GPUs it is
	// the one that receives whose port it is, and the decisions are by where the bytes come from.
	struct way {
		paths::chooser chooser;
		cuda_port own, relay;
	};
	way &of(paths::direction d) { return ways_[d == paths::direction::to_host]; }
	paths::chooser &chooser_of(const paths::journey &j)
	{
		return j.d == paths::direction::between ? from_[j.peer] : of(j.d).chooser;
	}
	const paths::chooser &chooser_of(const paths::journey &j) const
	{
		return j.d == paths::direction::between ? from_[j.peer]
							: ways_[j.d == paths::direction::to_host].chooser;
	}
	cuda_port &own_port_of(paths::direction d) { return d == paths::direction::between ? across_ : of(d).own; }
	// Returns slots in pinned host memory for what comes in from other GPUs by its own port, or null.
	void *staging() const { return staging_; }

	// Touches of its bytes may be brought by a kernel.
	cuda_touches &touches() { return touches_; }

	// Has this one's streams and kernels access the peer's memory, also if the program has put an end to that. No
	// lock is held. Returns whether they can.
	bool reaches(const cuda_member &peer) const;

	bool has_ports() const { return has_ports_.load(std::memory_order_acquire); }
	unsigned number() const { return number_; }
	unsigned index() const { return index_; }
	int ordinal() const { return ordinal_; }
	bool is_helper() const { return index_ == helper; }
	// Returns whether its streams can copy from and to the memory of others, or could when they met.
	bool reaches_any() const { return reached_; }
	cu_context context() const { return context_; }
	const char *name() const { return name_; }
	const cuda_api &api() const { return cu_; }

      private:
	int open_own_ports();
	void open_hands();
	void make_ports();
	void close_ports();
	bool lends() const { return relays_ && !keeps_; }
	void lend_no_more();
	void wait_for_borrowers() const;
	void close_relays();
	void meet_all();
	void meet(cuda_member &peer);
	void meet(cuda_member &from, cuda_member &by);

	const cuda_api &cu_;
	const unsigned index_;
	const char *name_ = "";
	int ordinal_ = 0;
	cu_device device_ = 0;
	cu_context context_ = nullptr;
	const paths::policy *policy_ = nullptr;
	unsigned number_ = paths::most_gpus; // in the table; that many: not there
	// These have memory that its streams can copy from and to. It changes under the lock `coming`.
	std::atomic<paths::path_set> reached_{0};
	std::atomic<bool> has_ports_{false}; // they stay until this one leaves
	std::atomic<bool> relays_{false};
	bool keeps_ = false; // all of its memory; under the lock `coming`
	way ways_[2];
	cuda_port across_;
	cuda_copy_kernel kernel_;
	cuda_touches touches_;
	paths::chooser from_[paths::most_gpus];
	void *staging_ = nullptr;
};

// The table of those that take part, and what all of them have under way.
struct cuda_table {
	futex_lock coming;
	futex_lock deciding;
	cuda_member *members[paths::most_gpus] = {};
	paths::path_set leaving = 0; // numbers of those that wait for copies under way; under the lock `coming`
	paths::traffic under_way;
	paths::request asked = paths::read_request(settings().paths); // tests set another one

	// Returns the lowest number that nobody has, or most_gpus. The lock `coming` is held.
	unsigned first_free() const;
};
cuda_table &the_cuda_table();

// What lib/paths knows is read and changed, and ports are borrowed, while one of these lives.
class cuda_deciding
{
      public:
	cuda_deciding() { the_cuda_table().deciding.lock(lock_rank::leaf); }
	~cuda_deciding() { the_cuda_table().deciding.unlock(lock_rank::leaf); }
	cuda_deciding(const cuda_deciding &) = delete;
	cuda_deciding &operator=(const cuda_deciding &) = delete;

      private:
	signals_blocked blocked_;
};

} // namespace het
