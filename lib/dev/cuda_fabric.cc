// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_fabric.h"

#include "dev/cuda_copy.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/probes.h"
#include "os/settings.h"

#include <algorithm>
#include <sched.h>

namespace het
{

using paths::direction;
using paths::most_gpus;
using paths::only;

namespace
{

constexpr direction both[] = {direction::to_device, direction::to_host};
// Host memory for more parts than this in one copy would be small parts.
constexpr size_t most_parts = 128;

// The table of those that take part, and what all of them have under way.
struct fabric {
	futex_lock coming;
	futex_lock deciding;
	cuda_member *members[most_gpus] = {};
	paths::traffic under_way;
};

fabric &the_fabric()
{
	static fabric the;
	return the;
}

class deciding
{
      public:
	deciding() { the_fabric().deciding.lock(lock_rank::leaf); }
	~deciding() { the_fabric().deciding.unlock(lock_rank::leaf); }
	deciding(const deciding &) = delete;
	deciding &operator=(const deciding &) = delete;

      private:
	signals_blocked blocked_;
};

} // namespace

// --- who takes part ------------------------------------------------------------

void cuda_member::make_ports()
{
	if (has_ports_)
		return;
	int own = 0, relay = 0;
	for (direction d : both) {
		own = own ? own : of(d).own.open(cu_, context_, d, false);
		relay = own || relay || keeps_ ? relay : of(d).relay.open(cu_, context_, d, true);
	}
	relays_ = !own && !relay && !keeps_;
	has_ports_.store(!own, std::memory_order_release);
	for (way &w : ways_) {
		if (own)
			w.own.close();
		if (!relays_)
			w.relay.close();
	}
}

void cuda_member::close_ports()
{
	for (way &w : ways_) {
		w.own.close();
		w.relay.close();
	}
	has_ports_ = false;
	relays_ = false;
}

bool cuda_member::reaches(const cuda_member &peer) const
{
	int can = 0;
	if (cu_.can_access_peer(&can, device_, peer.device_) || !can)
		return false;
	cuda_current c(cu_, context_);
	int err = c.error() ? c.error() : cu_.enable_peer_access(peer.context_, 0);
	return !err || err == cu_error_peer_access_already_enabled;
}

// This one's copies may go through the peer, whose streams carry them.
void cuda_member::meet(cuda_member &peer)
{
	if (!has_ports_ || !peer.relays_ || !peer.reaches(*this))
		return;
	deciding held;
	for (way &w : ways_)
		w.chooser.add(peer.number_);
}

void cuda_member::join(const char *name, cu_device device, cu_context context)
{
	name_ = name;
	device_ = device;
	context_ = context;
	const paths::policy &policy = paths::policy_for(settings().paths);
	if (&policy == &paths::direct_policy())
		return;
	fabric &f = the_fabric();
	f.coming.lock(lock_rank::opening);
	auto *place = std::find(std::begin(f.members), std::end(f.members), nullptr);
	bool again = std::any_of(std::begin(f.members), std::end(f.members),
				 [&](cuda_member *m) { return m && m->context_ == context; });
	if (place != std::end(f.members) && !again) {
		number_ = unsigned(place - f.members);
		{
			deciding held;
			*place = this;
			for (direction d : both)
				of(d).chooser.open(number_, d, policy);
		}
		for (cuda_member *m : f.members) {
			if (!m || m == this)
				continue;
			m->make_ports();
			make_ports();
			meet(*m);
			m->meet(*this);
		}
	}
	f.coming.unlock(lock_rank::opening);
}

// Who has borrowed a port gives it back after one copy.
void cuda_member::stop_relaying()
{
	{
		deciding held;
		for (cuda_member *m : the_fabric().members) {
			for (direction d : both) {
				if (m && m != this)
					m->of(d).chooser.drop(number_);
			}
		}
	}
	for (way &w : ways_) {
		while (w.relay.is_lent())
			sched_yield();
	}
	for (way &w : ways_)
		w.relay.close();
	relays_ = false;
}

void cuda_member::keep()
{
	fabric &f = the_fabric();
	f.coming.lock(lock_rank::opening);
	keeps_ = true;
	if (number_ != most_gpus)
		stop_relaying();
	f.coming.unlock(lock_rank::opening);
}

void cuda_member::leave()
{
	if (number_ == most_gpus)
		return;
	fabric &f = the_fabric();
	f.coming.lock(lock_rank::opening);
	{
		deciding held;
		f.members[number_] = nullptr;
	}
	stop_relaying();
	close_ports();
	number_ = most_gpus;
	f.coming.unlock(lock_rank::opening);
}

// --- copies --------------------------------------------------------------------

namespace
{

size_t bytes_of(std::span<const transfer> pieces)
{
	size_t bytes = 0;
	for (const transfer &t : pieces)
		bytes += t.size;
	return bytes;
}

} // namespace

// A copy of one member, with the ports that it has borrowed and what it has announced to the others.
class cuda_copy final : public port_lender
{
      public:
	cuda_copy(cuda_member &member, direction d, std::span<const transfer> pieces)
	    : me_(member), way_(member.of(d)), direction_(d), pieces_(pieces), bytes_(bytes_of(pieces))
	{
	}

	// Returns false if another thread copies in the same direction.
	bool begin() { return (borrowed_[me_.number_] = way_.own.try_borrow() ? &way_.own : nullptr); }

	int run()
	{
		paths::estimate known[paths::most_paths];
		paths::plan plan = decide(known);
		size_t ends[most_parts], end = 0;
		for (size_t i = 0; i < pieces_.size(); i++)
			ends[i] = end += pieces_[i].size;
		std::span<const size_t> parts(ends, pieces_.size());
		const uint64_t started = now_ns();
		paths::splitter s(parts, plan, me_.number_, known, started);
		int err = copy_over_paths(s, pieces_, parts, me_.number_, me_.context_, *this);
		end_of(s, now_ns() - started);
		return err;
	}

	cuda_port *borrow(unsigned path) override
	{
		if (borrowed_[path])
			return borrowed_[path];
		deciding held;
		// Since this copy was planned another device may have got the number.
		cuda_member *peer = the_fabric().members[path];
		peer = way_.chooser.present() & only(path) ? peer : nullptr;
		cuda_port *port = peer ? &peer->of(direction_).relay : nullptr;
		if (!port || !port->try_borrow())
			return nullptr;
		owners_[path] = &peer->of(direction_).own;
		return borrowed_[path] = port;
	}

	// Two GPUs that lend each other the links which both need would only be in each other's way.
	bool is_free(unsigned path) override { return !owners_[path]->is_lent(); }

	void failed(unsigned path, int error) override
	{
		deciding held;
		if (way_.chooser.failed(path))
			error_ = error;
	}

	void arrived(unsigned path, size_t bytes) override { withdraw(path, std::min(bytes, announced_[path])); }

      private:
	paths::route route(unsigned path) const { return paths::route_of(me_.number_, path, direction_); }

	paths::plan decide(paths::estimate (&known)[paths::most_paths])
	{
		deciding held;
		fabric &f = the_fabric();
		paths::plan plan = way_.chooser.choose(bytes_, f.under_way);
		double rates = 0;
		for (unsigned path = 0; path < paths::most_paths; path++) {
			known[path] = way_.chooser.known(path, bytes_);
			rates += plan.carriers & only(path) ? known[path].rate() : 0;
		}
		for (unsigned path = 0; path < paths::most_paths && rates > 0; path++) {
			if (plan.carriers & only(path))
				announce(path, size_t(double(bytes_) * known[path].rate() / rates));
		}
		return plan;
	}

	void announce(unsigned path, size_t bytes)
	{
		announced_[path] = bytes;
		the_fabric().under_way.add(route(path), bytes);
	}
	void withdraw(unsigned path, size_t bytes)
	{
		announced_[path] -= bytes;
		the_fabric().under_way.remove(route(path), bytes);
	}

	void end_of(const paths::splitter &s, uint64_t ns)
	{
		{
			deciding held;
			paths::path_set carried = 0;
			for (unsigned path = 0; path < paths::most_paths; path++) {
				way_.chooser.learn(path, bytes_, s.carried(path), s.known(path));
				if (s.carried(path))
					way_.chooser.held_up(path, s.waited_for(path), ns);
				carried |= s.carried(path) ? only(path) : 0;
			}
			way_.chooser.passed(bytes_, ns, carried);
		}
		for (unsigned path = 0; path < paths::most_paths; path++) {
			withdraw(path, announced_[path]);
			if (s.carried(path) && direction_ == direction::to_device)
				HET_PROBE3(path_to_device, me_.number_, path, s.carried(path));
			else if (s.carried(path))
				HET_PROBE3(path_to_host, me_.number_, path, s.carried(path));
			if (borrowed_[path])
				borrowed_[path]->give_back();
		}
		if (error_)
			warn("%s: copies through another GPU failed again and again: %s (%d); it is not used any more",
			     me_.name_, me_.cu_.name_of(error_), error_);
	}

	cuda_member &me_;
	cuda_member::way &way_;
	const direction direction_;
	const std::span<const transfer> pieces_;
	const size_t bytes_;
	size_t announced_[paths::most_paths] = {};
	cuda_port *borrowed_[paths::most_paths] = {};
	const cuda_port *owners_[paths::most_paths] = {}; // the peers' own, which stay while theirs are borrowed
	int error_ = 0;
};

bool cuda_member::takes(std::span<const transfer> pieces) const
{
	if (!has_ports_.load(std::memory_order_acquire) || pieces.empty() || pieces.size() > most_parts)
		return false;
	if (bytes_of(pieces) < std::max(paths::least_split, pieces.size() * paths::splitter::least_piece))
		return false;
	return std::all_of(pieces.begin(), pieces.end(), [](const transfer &t) { return t.pinned && t.size; });
}

bool cuda_member::copy(direction d, std::span<const transfer> pieces, int *error)
{
	if (!takes(pieces))
		return false;
	cuda_copy c(*this, d, pieces);
	if (!c.begin())
		return false;
	*error = c.run();
	return true;
}

} // namespace het
