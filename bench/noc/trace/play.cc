// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/trace/play.h"

#include <algorithm>
#include <deque>
#include <queue>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>

namespace noc
{

namespace
{

constexpr unsigned cycles_inside_a_node = 1;
constexpr unsigned silence = 200; // cycles: a message takes at most 32 round the ring

class player
{
      public:
	player(const packet_trace &t, const configuration &c, const play_options &o)
	    : t_(t), c_(c), o_(o), topology_(topology_of(c)), routes_(routes_of(topology_, c.how)),
	      network_(topology_, routes_, c.router), waiting_(t.packets.size()), queues_(topology_.terminals.size())
	{
		if (c.network != "two-layers")
			throw std::invalid_argument("traces are played on a network of two layers");
		if (c.policy == "ideal")
			throw std::invalid_argument("ideal needs a pattern, which a trace is not");
		policy_ = policy_for(c, topology_, network_);
		for (size_t i = 0; i < topology_.terminals.size(); i++)
			if (topology_.terminals[i].memory)
				controllers_.push_back(uint16_t(i));
		know_who_waits();
	}

	playback run()
	{
		for (uint32_t i = 0; i < t_.packets.size(); i++)
			if (waiting_[i].left == 0)
				later_.push({t_.packets[i].cycle, i});
		while (arrived_ < t_.packets.size()) {
			send_due();
			step();
			if (now() > o_.most_cycles)
				throw std::runtime_error("the trace takes more cycles than are allowed");
		}
		result_.packets = t_.packets.size();
		result_.cycles = last_;
		if (const uint64_t sent = result_.packets - result_.here; sent > 0)
			result_.latency = double(latencies_) / double(sent);
		return result_;
	}

      private:
	struct waiting {
		uint32_t left = 0;   // packets that it waits for
		uint64_t latest = 0; // cycle of the latest of them, in the trace
		uint64_t ready = 0;  // when it could be sent
	};
	using at_cycle = std::pair<uint64_t, uint32_t>;

	void know_who_waits()
	{
		std::unordered_map<uint32_t, uint32_t> index;
		for (uint32_t i = 0; i < t_.packets.size(); i++)
			if (!index.emplace(t_.packets[i].id, i).second)
				throw std::invalid_argument("two packets of the trace have one id");
		for (const traced_packet &p : t_.packets) {
			for (unsigned d = 0; d < p.dependants; d++) {
				const auto at = index.find(t_.dependants[p.first_dependant + d]);
				if (at == index.end())
					throw std::invalid_argument("a packet that should wait is not in the trace");
				who_waits_.push_back(at->second);
				waiting_[at->second].left++;
				waiting_[at->second].latest = std::max(waiting_[at->second].latest, p.cycle);
			}
			first_waiting_.push_back(uint32_t(who_waits_.size() - p.dependants));
		}
	}

	uint16_t terminal(uint8_t node, traced_node kind) const
	{
		if (kind == traced_node::controller)
			return controllers_[node % controllers_.size()];
		if (node >= c_.width * c_.height)
			throw std::invalid_argument("the trace has a node that the network lacks");
		return node;
	}

	uint64_t now() const { return network_.now() + skipped_; }

	// Sends what is due. Where nothing is under way, and neither on DLL's ring any more, the clock goes on to what
	// is due next.
	void send_due()
	{
		idle_ = network_.packets_inside() == 0 && queued_ == 0 ? idle_ + 1 : 0;
		if (idle_ > 0 && later_.empty())
			throw std::invalid_argument("packets of the trace wait for each other");
		if (idle_ > silence && later_.top().first > now())
			skipped_ += later_.top().first - now();
		while (!later_.empty() && later_.top().first <= now()) {
			const uint32_t i = later_.top().second;
			later_.pop();
			send_or_pass(i);
		}
	}

	void send_or_pass(uint32_t i)
	{
		const traced_packet &p = t_.packets[i];
		const uint16_t from = terminal(p.source, p.from()), to = terminal(p.destination, p.to());
		waiting_[i].ready = now();
		if (passing_.erase(i) > 0) {
			arrive(i);
		} else if (from == to) {
			result_.here++;
			passing_.insert(i);
			later_.push({now() + cycles_inside_a_node, i});
		} else {
			queues_[from].push_back(i);
			queued_++;
		}
	}

	void feed(unsigned terminal_number)
	{
		std::deque<uint32_t> &queue = queues_[terminal_number];
		if (queue.empty() || !network_.can_inject(terminal_number))
			return;
		const uint32_t i = queue.front();
		queue.pop_front();
		queued_--;
		const traced_packet &from = t_.packets[i];
		packet p;
		p.created = waiting_[i].ready;
		p.tag = i;
		p.source = uint16_t(terminal_number);
		p.destination = terminal(from.destination, from.to());
		p.length = uint16_t((bytes_of(from.type) + o_.flit_bytes - 1) / o_.flit_bytes);
		const bool from_core = !topology_.terminals[p.source].memory;
		if (!from_core || topology_.terminals[p.destination].memory) {
			p.route = through_interposer;
			result_.to_memory++;
			if (from_core)
				policy_->memory_packet(terminal_number);
		} else {
			p.route = policy_->choose(terminal_number, p.destination);
			result_.diverted += layer_of(p.route) == 1;
		}
		p.route = routes_.taken(p.route, p.source, p.destination);
		network_.inject(p);
	}

	void step()
	{
		for (unsigned t = 0; t < queues_.size(); t++)
			feed(t);
		network_.step();
		for (const packet &p : network_.received()) {
			latencies_ += now() - p.created;
			policy_->received(p);
			arrive(uint32_t(p.tag));
		}
		policy_->cycle();
	}

	void arrive(uint32_t i)
	{
		arrived_++;
		last_ = now();
		const traced_packet &p = t_.packets[i];
		for (unsigned d = 0; d < p.dependants; d++) {
			const uint32_t next = who_waits_[first_waiting_[i] + d];
			waiting &w = waiting_[next];
			if (--w.left > 0)
				continue;
			const uint64_t was = w.latest + o_.nominal, then = t_.packets[next].cycle;
			later_.push({now() + (then > was ? then - was : 0), next});
		}
	}

	const packet_trace &t_;
	const configuration c_;
	const play_options o_;
	const topology topology_;
	const route_table routes_;
	network network_;
	std::unique_ptr<policy> policy_;
	std::vector<waiting> waiting_;
	std::vector<uint32_t> first_waiting_, who_waits_;
	std::vector<uint16_t> controllers_;
	std::vector<std::deque<uint32_t>> queues_;
	size_t queued_ = 0;
	std::priority_queue<at_cycle, std::vector<at_cycle>, std::greater<>> later_;
	std::unordered_set<uint32_t> passing_; // inside their node
	uint64_t skipped_ = 0;                 // cycles that the network did not see
	unsigned idle_ = 0;                    // cycles in which nothing was under way
	size_t arrived_ = 0;
	uint64_t last_ = 0, latencies_ = 0;
	playback result_;
};

} // namespace

playback play(const packet_trace &t, const configuration &c, const play_options &o)
{
	return player(t, c, o).run();
}

} // namespace noc
