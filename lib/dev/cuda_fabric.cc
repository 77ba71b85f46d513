// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "dev/cuda_fabric.h"

#include "dev/cuda_lane.h"
#include "dev/cuda_staging.h"
#include "os/clock.h"
#include "os/log.h"
#include "os/probes.h"

#include <algorithm>

namespace het
{

using paths::direction;
using paths::only;

namespace
{

// Host memory for more parts than this in one copy would be small parts.
constexpr size_t most_parts = 128;

// Tells who attaches to the probes how much of a copy a path has carried.
void tell(const paths::journey &j, unsigned path, size_t bytes)
{
	if (j.d == direction::between)
		HET_PROBE4(path_between, j.gpu, j.peer, path, bytes);
	else if (j.d == direction::to_device)
		HET_PROBE3(path_to_device, j.gpu, path, bytes);
	else
		HET_PROBE3(path_to_host, j.gpu, path, bytes);
}

bool are_aligned(std::span<const cuda_part> parts)
{
	return std::all_of(parts.begin(), parts.end(),
			   [](const cuda_part &p) { return (p.to.at | p.from.at) % cuda_hand::alignment == 0; });
}

// A copy, with the ports that it has borrowed and what it has announced to the others.
class shared_copy final : public port_lender
{
      public:
	shared_copy(cuda_member &member, cuda_member *peer, direction d)
	    : me_(member), peer_(peer), journey_{member.number(), d, peer ? peer->number() : paths::most_gpus},
	      chooser_(member.chooser_of(journey_)), own_(member.own_port_of(d))
	{
	}

	// Returns false if another thread copies in the same direction.
	bool begin()
	{
		carriers_[journey_.gpu] = own_.try_borrow() ? &own_ : nullptr;
		return carriers_[journey_.gpu];
	}

	// The ends of the parts rise.
	int run(std::span<const cuda_part> parts, std::span<const size_t> ends, uint64_t patience_ns)
	{
		bytes_ = ends.back();
		paths::estimate known[paths::most_paths];
		paths::plan plan = decide(known);
		by_kernel_ = by_kernel(plan, parts);
		unclear_ = plan.by_kernel & paths::path_set(~by_kernel_);
		carriers_[journey_.gpu] = hand_or_engine(journey_.gpu, own_);
		plan.by_kernel = by_kernel_; // engines get larger pieces
		const uint64_t started = now_ns();
		const bool between = journey_.d == direction::between;
		paths::splitter s(ends, plan, journey_.gpu, known, started,
				  between ? paths::between_gpus : paths::to_and_from_host);
		int err = copy_over_paths(s, parts, ends, journey_.gpu, *this, patience_ns);
		end_of(s, now_ns() - started);
		return err;
	}

	cuda_carrier *borrow(unsigned path) override
	{
		if (!carriers_[path])
			carriers_[path] = path == journey_.peer ? borrow_host_s_way(path) : borrow_relay(path);
		return carriers_[path];
	}

	// Who has taken the multiprocessors, or broken them, may keep them for some time.
	cuda_carrier *instead(unsigned path, int) override
	{
		if (!(by_kernel_ & only(path)))
			return nullptr;
		cuda_deciding held;
		chooser_.kernel_waited(path);
		return carriers_[path] = by_engine(path, path == journey_.gpu ? own_ : *lent_[path]);
	}

	// Two GPUs that lend each other the links which both need would only be in each other's way. Between GPUs a
	// relay does not take the link that its owner copies by.
	bool is_free(unsigned path) override { return !owners_[path] || !owners_[path]->is_lent(); }

	void failed(unsigned path, int error) override
	{
		cuda_deciding held;
		if (chooser_.failed(path))
			error_ = error;
	}

	void arrived(unsigned path, size_t bytes) override
	{
		by_kernels_[path] += by_kernel_ & only(path) ? bytes : 0;
		withdraw(path, std::min(bytes, announced_[path]));
	}

      private:
	// Since this copy was planned another device may have got the number. Who lends stays until it has got the port
	// back.
	cuda_member *borrow_port_of(unsigned path, direction d)
	{
		cuda_deciding held;
		cuda_member *by = chooser_.present() & only(path) ? the_cuda_table().members[path] : nullptr;
		return by && by->of(d).relay.try_borrow() ? by : nullptr;
	}
	// An engine copies, by other means, where the program has ended the access of one device to the other's memory;
	// a kernel would lose its context.
	cuda_carrier *borrow_relay(unsigned path)
	{
		const direction d = journey_.d == direction::to_host ? direction::to_host : direction::to_device;
		cuda_member *by = borrow_port_of(path, d);
		if (!by)
			return nullptr;
		cuda_port &relay = by->of(d).relay;
		owners_[path] = journey_.d == direction::between ? nullptr : &by->of(d).own;
		lent_[path] = &relay;
		const bool is_safe = !(by_kernel_ & only(path)) || by->reaches(me_);
		return is_safe ? hand_or_engine(path, relay) : by_engine(path, relay);
	}

	// A peer's kernel must not touch what its GPU can't reach, or the context would be lost: memory of pools, and
	// of other contexts.
	paths::path_set by_kernel(const paths::plan &plan, std::span<const cuda_part> parts) const
	{
		if (!plan.by_kernel || !are_aligned(parts))
			return 0;
		return std::all_of(parts.begin(), parts.end(), [this](const cuda_part &p) { return is_reached(p); })
			       ? plan.by_kernel
			       : plan.by_kernel & only(journey_.gpu);
	}
	bool is_reached(const cuda_part &p) const
	{
		cu_context owner = nullptr;
		const cu_deviceptr at = p.to.context ? p.to.at : p.from.at;
		return !me_.api().pointer_attribute(&owner, cu_pointer_context, at) && owner == me_.context();
	}

	// What is known was learnt from the other one.
	cuda_carrier *by_engine(unsigned path, cuda_port &port)
	{
		by_kernel_ &= paths::path_set(~only(path));
		unclear_ |= only(path);
		return &port;
	}
	cuda_carrier *hand_or_engine(unsigned path, cuda_port &port)
	{
		if (!(by_kernel_ & only(path)))
			return &port;
		cuda_hand *hand = port.hand();
		return hand ? hand : by_engine(path, port);
	}

	// Who copies between the host and either GPU has the ports.
	cuda_carrier *borrow_host_s_way(unsigned path)
	{
		cuda_deciding held;
		if (!(chooser_.present() & only(path)))
			return nullptr;
		cuda_port &exit = peer_->of(direction::to_host).own, &entry = me_.of(direction::to_device).own;
		if (!exit.try_borrow())
			return nullptr;
		if (!entry.try_borrow()) {
			exit.give_back();
			return nullptr;
		}
		staging_.open(exit, entry, me_.staging());
		return &staging_;
	}

	paths::plan decide(paths::estimate (&known)[paths::most_paths])
	{
		cuda_deciding held;
		paths::plan plan = chooser_.choose(bytes_, the_cuda_table().under_way);
		double rates = 0;
		for (unsigned path = 0; path < paths::most_paths; path++) {
			known[path] = chooser_.known(path, bytes_);
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
		the_cuda_table().under_way.add(route_of(journey_, path), bytes);
	}
	void withdraw(unsigned path, size_t bytes)
	{
		announced_[path] -= bytes;
		the_cuda_table().under_way.remove(route_of(journey_, path), bytes);
	}

	void learn(const paths::splitter &s, uint64_t ns)
	{
		cuda_deciding held;
		paths::path_set carried = 0;
		for (unsigned path = 0; path < paths::most_paths; path++) {
			const bool by_kernel = by_kernel_ & only(path);
			chooser_.count_kernel_s(path, by_kernels_[path]);
			if (unclear_ & only(path))
				chooser_.count(path, s.carried(path));
			else
				chooser_.learn(path, bytes_, s.carried(path), s.known(path), by_kernel);
			if (s.carried(path))
				chooser_.held_up(path, s.waited_for(path), ns);
			if (s.carried(path) && journey_.d != direction::between && !by_kernel)
				chooser_.stalled(path, s.stall(path));
			carried |= s.carried(path) ? only(path) : 0;
		}
		chooser_.passed(bytes_, ns, carried);
	}

	void end_of(const paths::splitter &s, uint64_t ns)
	{
		learn(s, ns);
		for (unsigned path = 0; path < paths::most_paths; path++) {
			withdraw(path, announced_[path]);
			if (s.carried(path))
				tell(journey_, path, s.carried(path));
			if (by_kernels_[path])
				HET_PROBE3(path_by_kernel, journey_.gpu, path, by_kernels_[path]);
			if (lent_[path])
				lent_[path]->give_back();
		}
		if (staging_.is_open())
			staging_.close();
		own_.give_back();
		if (error_)
			warn("%s: copies by way of another %s failed again and again: %s (%d); it is not used any more",
			     me_.name(), peer_ ? "path" : "GPU", me_.api().name_of(error_), error_);
	}

	cuda_member &me_;
	cuda_member *const peer_;
	const paths::journey journey_;
	paths::chooser &chooser_;
	cuda_port &own_;
	size_t bytes_ = 0;
	size_t announced_[paths::most_paths] = {};
	cuda_carrier *carriers_[paths::most_paths] = {};
	cuda_port *lent_[paths::most_paths] = {};
	const cuda_port *owners_[paths::most_paths] = {}; // the peers' own, which stay while theirs are borrowed
	cuda_staging staging_;
	size_t by_kernels_[paths::most_paths] = {}; // bytes so far
	paths::path_set by_kernel_ = 0;             // whose pieces a kernel carries
	paths::path_set unclear_ = 0;               // which carry in another way than what is known of them was learnt
	int error_ = 0;
};

size_t bytes_of(std::span<const transfer> pieces)
{
	size_t bytes = 0;
	for (const transfer &t : pieces)
		bytes += t.size;
	return bytes;
}

bool takes(const cuda_member &m, std::span<const transfer> pieces)
{
	if (!m.has_ports() || pieces.empty() || pieces.size() > most_parts)
		return false;
	if (bytes_of(pieces) < std::max(paths::least_split, pieces.size() * paths::splitter::least_piece))
		return false;
	return std::all_of(pieces.begin(), pieces.end(), [](const transfer &t) { return t.pinned && t.size; });
}

} // namespace

bool copy_over_fabric(cuda_member &m, direction d, std::span<const transfer> pieces, int *error, uint64_t patience_ns)
{
	if (!takes(m, pieces))
		return false;
	shared_copy c(m, nullptr, d);
	if (!c.begin())
		return false;
	cuda_part parts[most_parts];
	size_t ends[most_parts], end = 0;
	for (size_t i = 0; i < pieces.size(); i++) {
		const transfer &t = pieces[i];
		const cuda_place host = on_host(t.host), device = {m.context(), device_address(t.devbuf, t.offset)};
		parts[i] = d == direction::to_device ? cuda_part{device, host} : cuda_part{host, device};
		ends[i] = end += t.size;
	}
	*error = c.run({parts, pieces.size()}, {ends, pieces.size()}, patience_ns);
	return true;
}

bool copy_between(cuda_member &to, cu_deviceptr dst, cuda_member &from, cu_deviceptr src, size_t size, int *error)
{
	// Where two GPUs were measured the driver's own copy was the best, so that is for who asks.
	if (!the_cuda_table().asked.is_set || size < paths::least_split || !to.has_ports() || !from.has_ports())
		return false;
	shared_copy c(to, &from, direction::between);
	if (!c.begin())
		return false;
	const cuda_part part = {{to.context(), dst}, {from.context(), src}};
	*error = c.run({&part, 1}, {&size, 1}, beginning_ns);
	return true;
}

// --- what is known ---------------------------------------------------------------

namespace
{

class reporter
{
      public:
	reporter(const cuda_member &m, std::span<path_report> room) : m_(m), room_(room) {}

	void add(direction d, const cuda_member *peer)
	{
		const paths::chooser &c = m_.chooser_of({m_.number(), d, peer ? peer->number() : paths::most_gpus});
		for (unsigned path = 0; path < paths::most_paths; path++) {
			const cuda_member *by = the_cuda_table().members[path];
			if (!by || !(c.present() & only(path)))
				continue;
			if (count_ < room_.size())
				room_[count_] = {d == direction::between     ? path_report::from_device
						 : d == direction::to_device ? path_report::to_device
									     : path_report::to_host,
						 peer ? peer->index() : 0,
						 by->index(),
						 unsigned(by->ordinal()),
						 c.carried(path),
						 c.carried_by_kernels(path),
						 c.known(path, paths::least_split).rate() * 1e9};
			count_++;
		}
	}
	size_t count() const { return count_; }

      private:
	const cuda_member &m_;
	const std::span<path_report> room_;
	size_t count_ = 0;
};

} // namespace

size_t report_fabric(const cuda_member &m, std::span<path_report> room)
{
	if (!m.has_ports())
		return 0;
	cuda_deciding held;
	reporter r(m, room);
	for (direction d : {direction::to_device, direction::to_host})
		r.add(d, nullptr);
	for (const cuda_member *peer : the_cuda_table().members) {
		if (peer && peer != &m)
			r.add(direction::between, peer);
	}
	return r.count();
}

double expected_seconds(const cuda_member &m, size_t bytes)
{
	if (!m.has_ports())
		return 0;
	cuda_deciding held;
	return m.chooser_of({m.number(), direction::to_device}).expected_ns(bytes, the_cuda_table().under_way) * 1e-9;
}

} // namespace het
