// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/trace/packets.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <stdexcept>

namespace noc
{

namespace
{

// Packets in the order in which they are made: a packet's number is its id.
class book
{
      public:
	explicit book(unsigned nominal) : nominal_(nominal) {}

	uint64_t done(uint32_t id) const { return packets_[id].cycle + nominal_; }

	uint32_t add(traced_packet p, const std::vector<uint32_t> &after)
	{
		p.id = uint32_t(packets_.size());
		for (uint32_t a : after)
			waiting_[a].push_back(p.id);
		packets_.push_back(p);
		waiting_.emplace_back();
		return p.id;
	}

	// The packets by their cycles, as files have them.
	packet_trace finish(const std::string &name, unsigned cores)
	{
		packet_trace t;
		t.name = name;
		t.nodes = uint8_t(cores);
		std::stable_sort(packets_.begin(), packets_.end(),
				 [](const traced_packet &a, const traced_packet &b) { return a.cycle < b.cycle; });
		for (traced_packet &p : packets_) {
			p.first_dependant = uint32_t(t.dependants.size());
			p.dependants = uint32_t(waiting_[p.id].size());
			t.dependants.insert(t.dependants.end(), waiting_[p.id].begin(), waiting_[p.id].end());
			t.cycles = std::max(t.cycles, p.cycle + nominal_);
		}
		t.packets = std::move(packets_);
		return t;
	}

      private:
	unsigned nominal_;
	std::vector<traced_packet> packets_;
	std::vector<std::vector<uint32_t>> waiting_;
};

traced_packet packet_of(const coherence_message &m, unsigned line_bytes)
{
	traced_packet p;
	p.type = uint8_t(m.type);
	p.source = m.from;
	p.destination = m.to;
	p.node_types = uint8_t(unsigned(m.from_type) << 4 | unsigned(m.to_type));
	p.address = uint32_t(m.line * line_bytes);
	return p;
}

class machine_of_cores
{
      public:
	machine_of_cores(const access_trace &accesses, const packet_options &o)
	    : accesses_(accesses), o_(o), caches_(o.cache), book_(o.nominal), cores_(accesses.size())
	{
		if (accesses.size() > o.cache.cores)
			throw std::invalid_argument("there are more threads than cores");
	}

	packet_trace run(cache_counts *counts)
	{
		for (unsigned c = 0; c < cores_.size(); c++)
			next_.push({0, c});
		while (!next_.empty()) {
			const unsigned c = next_.top().second;
			next_.pop();
			if (go_on(c))
				next_.push({cores_[c].time, c});
		}
		if (at_barrier_ > 0)
			throw std::invalid_argument("some threads wait at a barrier that the others never reach");
		if (counts)
			*counts = counts_;
		return book_.finish(o_.name, o_.cache.cores);
	}

      private:
	struct core {
		uint64_t time = 0;
		size_t at = 0;                // of its events
		std::vector<uint32_t> waits;  // what its next packet waits for
		std::deque<uint32_t> writing; // the last packet of each write under way
		uint32_t last_read = 0;       // packets made until it last waited for a read
	};

	// Does what the core does until its next packet. @return whether it can go on.
	bool go_on(unsigned number)
	{
		core &c = cores_[number];
		while (c.at < accesses_[number].size()) {
			const access_event &e = accesses_[number][c.at++];
			c.time += e.gap;
			if (e.kind == access_event::kind_t::barrier)
				return arrive(number);
			counts_.accesses++;
			c.time++;
			if (caches_.access(number, e.line, e.kind == access_event::kind_t::write) ==
			    caches::outcome::hit)
				continue;
			counts_.misses++;
			miss(c, e.kind == access_event::kind_t::write);
			return true;
		}
		return false;
	}

	void miss(core &c, bool write)
	{
		const uint32_t last = send_all(c);
		if (!write) {
			c.time = std::max(c.time, book_.done(last));
			c.last_read = last;
			c.waits = {last};
			return;
		}
		c.writing.push_back(last);
		if (c.writing.size() <= o_.writes)
			return;
		// A write that began after the last read waits for that itself.
		const uint32_t oldest = c.writing.front();
		c.writing.pop_front();
		c.time = std::max(c.time, book_.done(oldest));
		if (oldest > c.last_read || c.waits.empty())
			c.waits = {oldest};
		else
			c.waits = {c.last_read, oldest};
	}

	// Makes the packets of the access. @return the last one.
	uint32_t send_all(const core &c)
	{
		std::vector<uint32_t> ids;
		for (const coherence_message &m : caches_.messages()) {
			traced_packet p = packet_of(m, o_.cache.line);
			std::vector<uint32_t> after;
			for (uint16_t w : caches_.waited(m))
				after.push_back(ids[w]);
			p.cycle = c.time;
			for (uint32_t a : after)
				p.cycle = std::max(p.cycle, book_.done(a));
			p.cycle += m.delay;
			ids.push_back(book_.add(p, after.empty() ? c.waits : after));
		}
		return ids.back();
	}

	traced_packet barrier_packet(unsigned from, unsigned to, uint64_t cycle, traced_type type)
	{
		traced_packet p;
		p.type = uint8_t(type);
		p.source = uint8_t(from);
		p.destination = uint8_t(to);
		p.node_types = uint8_t(traced_node::l2);
		p.cycle = cycle;
		return p;
	}

	bool arrive(unsigned number)
	{
		core &c = cores_[number];
		std::vector<uint32_t> after = c.waits;
		for (uint32_t w : c.writing) {
			c.time = std::max(c.time, book_.done(w));
			if (std::find(after.begin(), after.end(), w) == after.end())
				after.push_back(w);
		}
		c.writing.clear();
		arrived_.push_back(book_.add(barrier_packet(number, 0, c.time, traced_type::upgrade_request), after));
		if (++at_barrier_ == cores_.size())
			release();
		return false;
	}

	void release()
	{
		uint64_t all = 0;
		for (uint32_t a : arrived_)
			all = std::max(all, book_.done(a));
		const uint32_t known = book_.add(barrier_packet(0, 0, all, traced_type::upgrade_response), arrived_);
		for (unsigned i = 0; i < cores_.size(); i++) {
			const uint32_t out = book_.add(
				barrier_packet(0, i, book_.done(known), traced_type::upgrade_response), {known});
			cores_[i].waits = {out};
			cores_[i].last_read = out;
			cores_[i].time = book_.done(out);
			next_.push({cores_[i].time, i});
		}
		arrived_.clear();
		at_barrier_ = 0;
	}

	const access_trace &accesses_;
	const packet_options o_;
	caches caches_;
	book book_;
	std::vector<core> cores_;
	using turn = std::pair<uint64_t, unsigned>;
	std::priority_queue<turn, std::vector<turn>, std::greater<>> next_;
	std::vector<uint32_t> arrived_;
	size_t at_barrier_ = 0;
	cache_counts counts_;
};

} // namespace

packet_trace packets_of(const access_trace &accesses, const packet_options &o, cache_counts *counts)
{
	return machine_of_cores(accesses, o).run(counts);
}

} // namespace noc
