// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_member.h"

#include <algorithm>
#include <sched.h>
#include <utility>

namespace het
{

using paths::direction;
using paths::most_gpus;
using paths::only;

namespace
{

constexpr direction both[] = {direction::to_device, direction::to_host};

} // namespace

unsigned cuda_table::first_free() const
{
	unsigned place = 0;
	while (place < most_gpus && (members[place] || (leaving & only(place))))
		place++;
	return place;
}

cuda_table &the_cuda_table()
{
	static cuda_table the;
	return the;
}

// --- ports ---------------------------------------------------------------------

// A helper has no copies of its own.
int cuda_member::open_own_ports()
{
	if (is_helper())
		return 0;
	int err = across_.open(cu_, context_, direction::between, false);
	for (direction d : both)
		err = err ? err : of(d).own.open(cu_, context_, d, false);
	return err;
}

// GPUs that can't run the kernel do without it.
void cuda_member::open_hands()
{
	cuda_current c(cu_, context_);
	if ((is_helper() && !relays_) || !policy_->takes_kernels() || c.error() || kernel_.open(cu_))
		return;
	if (!is_helper())
		touches_.open(cu_, context_, kernel_.function());
	for (way &w : ways_) {
		if (!is_helper())
			w.own.open_hand(kernel_.function());
		if (relays_)
			w.relay.open_hand(kernel_.function());
		cuda_deciding held;
		if (w.own.has_hand())
			w.chooser.add_kernel(number_);
	}
}

void cuda_member::make_ports()
{
	if (has_ports_ || relays_)
		return;
	const int own = open_own_ports();
	int relay = own;
	for (direction d : both)
		relay = relay || keeps_ ? relay : of(d).relay.open(cu_, context_, d, true);
	if (own) {
		close_ports();
		return;
	}
	if (relay) {
		for (way &w : ways_)
			w.relay.close();
	}
	cuda_current c(cu_, context_);
	if (is_helper() || !the_cuda_table().asked.is_set || c.error() ||
	    cu_.allocate_host(&staging_, cuda_port::ring_size, cu_host_alloc_portable))
		staging_ = nullptr;
	relays_ = !relay && !keeps_;
	open_hands();
	has_ports_.store(!is_helper(), std::memory_order_release);
}

void cuda_member::close_ports()
{
	for (way &w : ways_) {
		w.own.close();
		w.relay.close();
	}
	across_.close();
	cuda_current c(cu_, context_);
	touches_.close();
	kernel_.close(cu_);
	if (staging_)
		cu_.free_host(staging_);
	staging_ = nullptr;
	has_ports_ = false;
	relays_ = false;
}

// --- who takes part ------------------------------------------------------------

bool cuda_member::reaches(const cuda_member &peer) const
{
	int can = 0;
	if (cu_.can_access_peer(&can, device_, peer.device_) || !can)
		return false;
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : cu_.enable_peer_access(peer.context_, 0);
	return !err || err == cu_error_peer_access_already_enabled;
}

// This one's copies may go through the peer, whose streams carry them; and those from the peer through the host.
void cuda_member::meet(cuda_member &peer)
{
	const bool relayed = has_ports_ && peer.lends() && peer.reaches(*this);
	peer.reached_ = uint8_t(relayed ? peer.reached_ | only(number_) : peer.reached_ & ~only(number_));
	cuda_deciding held;
	for (direction d : both) {
		if (!relayed)
			continue;
		of(d).chooser.add(peer.number_);
		if (peer.of(d).relay.has_hand())
			of(d).chooser.add_kernel(peer.number_);
	}
	from_[peer.number_] = {};
	if (peer.is_helper()) // no copy comes from it
		return;
	from_[peer.number_].open({number_, direction::between, peer.number_}, *policy_);
	if (has_ports_ && peer.has_ports_ && staging_)
		from_[peer.number_].add(peer.number_);
}

// What comes from one may go through the other.
void cuda_member::meet(cuda_member &from, cuda_member &by)
{
	if (!has_ports_ || !by.lends() || !(by.reached_ & only(number_)) || !(by.reached_ & only(from.number_)))
		return;
	cuda_deciding held;
	from_[from.number_].add(by.number_);
}

// The new one meets all others, and each two of them hear of it.
void cuda_member::meet_all()
{
	for (cuda_member *m : the_cuda_table().members) {
		if (!m || m == this)
			continue;
		m->make_ports();
		make_ports();
		meet(*m);
		m->meet(*this);
	}
	for (cuda_member *a : the_cuda_table().members) {
		for (cuda_member *b : the_cuda_table().members) {
			if (!a || !b || a == b || a == this || b == this)
				continue;
			a->meet(*b, *this);
			a->meet(*this, *b);
			meet(*a, *b);
		}
	}
}

void cuda_member::join(const char *name, int ordinal, cu_device device, cu_context context)
{
	name_ = name;
	ordinal_ = ordinal;
	device_ = device;
	context_ = context;
	cuda_table &t = the_cuda_table();
	policy_ = t.asked.chosen;
	if (policy_ == &paths::direct_policy())
		return;
	t.coming.lock(lock_rank::opening);
	const unsigned place = t.first_free();
	bool again = std::any_of(std::begin(t.members), std::end(t.members),
				 [&](cuda_member *m) { return m && m->context_ == context; });
	if (place != most_gpus && !again) {
		number_ = place;
		{
			cuda_deciding held;
			t.members[place] = this;
			for (direction d : both)
				of(d).chooser.open(number_, d, *policy_);
		}
		meet_all();
	}
	t.coming.unlock(lock_rank::opening);
}

// Nobody borrows its ports for relays from now on.
void cuda_member::lend_no_more()
{
	cuda_deciding held;
	for (cuda_member *m : the_cuda_table().members) {
		for (direction d : both) {
			if (m && m != this)
				m->of(d).chooser.drop(number_);
		}
		for (unsigned from = 0; m && from < most_gpus; from++) {
			if (from != number_)
				m->from_[from].drop(number_);
		}
	}
}

// Who has borrowed a port gives it back after one copy.
void cuda_member::wait_for_borrowers() const
{
	for (const way &w : ways_) {
		while (w.relay.is_lent())
			sched_yield();
	}
}

void cuda_member::close_relays()
{
	for (way &w : ways_)
		w.relay.close();
	relays_ = false;
}

// A copy may take as long as the link does, and other devices come and go meanwhile.
void cuda_member::keep()
{
	cuda_table &t = the_cuda_table();
	t.coming.lock(lock_rank::opening);
	const bool was_kept = std::exchange(keeps_, true), has_to = !was_kept && relays_;
	if (has_to)
		lend_no_more();
	t.coming.unlock(lock_rank::opening);
	if (has_to) {
		wait_for_borrowers();
		t.coming.lock(lock_rank::opening);
		close_relays();
		t.coming.unlock(lock_rank::opening);
	}
	while (relays_) // another thread has to
		sched_yield();
}

// Nobody finds it any more once it is out of the table, so its ports are this thread's when they have been given back.
// The number stays taken until then: copies under way through it still speak of it.
void cuda_member::leave()
{
	if (number_ == most_gpus)
		return;
	cuda_table &t = the_cuda_table();
	t.coming.lock(lock_rank::opening);
	{
		cuda_deciding held;
		t.members[number_] = nullptr;
	}
	lend_no_more();
	t.leaving |= only(number_);
	t.coming.unlock(lock_rank::opening);
	wait_for_borrowers();
	for (way &w : ways_) {
		while (w.own.is_lent())
			sched_yield();
	}
	close_ports();
	t.coming.lock(lock_rank::opening);
	t.leaving &= paths::path_set(~only(number_));
	t.coming.unlock(lock_rank::opening);
	number_ = most_gpus;
}

} // namespace het
