// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/simulation.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace noc
{

namespace
{

constexpr unsigned window = timeline_window; // cycles of one sample
constexpr size_t batches = 10;
constexpr unsigned patience = 1000; // cycles without any flit that moves, until a network counts as deadlocked

traffic_options traffic_of(const configuration &c)
{
	traffic_options o = c.traffic;
	o.width = c.width;
	o.height = c.height;
	o.seed = c.seed;
	return o;
}

parameters router_of(const configuration &c)
{
	parameters p = c.router;
	if (c.answered != replies::none)
		p.message_classes = c.reply_class ? 2 : 1;
	return p;
}

} // namespace

topology topology_of(const configuration &c)
{
	if (c.network == "mesh")
		return mesh(c.width, c.height);
	if (c.width % 2 || c.height % 2)
		throw std::invalid_argument("a grid is 2 x 2 cores");
	if (c.network == "cmesh")
		return concentrated_mesh(c.width / 2, c.height / 2, 2, 2);
	if (c.network != "two-layers")
		throw std::invalid_argument("no network is called " + c.network);
	two_layer_options o = c.layers;
	o.width = c.width;
	o.height = c.height;
	return two_layers(o);
}

std::unique_ptr<policy> policy_for(const configuration &c, const topology &t, const network &n)
{
	policy_options choice = c.choice;
	choice.seed = c.seed;
	std::shared_ptr<const ceiling> split = c.split;
	if (c.policy == "ideal" && !split)
		split = std::make_shared<ceiling>(ceiling_of(c));
	choice.empty_hop = c.router.input_cycles + c.router.switch_cycles + 2;
	const auto occupancy = [&n, of_port = choice.of_port](unsigned router) {
		return of_port ? n.fullest_port(router) : n.occupancy(router);
	};
	return make_policy(c.policy, choice, {floor_plan_of(t), occupancy, c.how == routing::o1turn_z, split});
}

machine::machine(const configuration &c)
    : c_(c), topology_(topology_of(c)), routes_(routes_of(topology_, c.how)),
      network_(topology_, routes_, router_of(c)), chosen_(topology_.terminals.size()),
      replies_(topology_.terminals.size()), random_(c.seed, ~0u), two_layers_(topology_.routers.back().layer > 0)
{
	const traffic_options o = traffic_of(c);
	for (unsigned core = 0; core < c.width * c.height; core++)
		traffic_.emplace_back(o, topology_, core);
	for (const core_traffic &t : traffic_)
		due_.push_back(t.next().created);
	if (!two_layers_)
		return;
	policy_ = policy_for(c, topology_, network_);
}

// Memory packets, and what answers them, have no choice.
void machine::choose_way(packet &p, bool memory)
{
	if (c_.how == routing::o1turn)
		p.route = uint8_t(random_.next() >> 63);
	else if (two_layers_)
		p.route = memory ? through_interposer : policy_->choose(p.source, p.destination);
	diverted_ += two_layers_ && !memory && layer_of(p.route) == 1;
	p.route = routes_.taken(p.route, p.source, p.destination);
}

// A packet that has chosen its way.
packet machine::made(unsigned core, const arrival_of_packet &next)
{
	packet p;
	p.created = next.created;
	p.tag = next_tag_++;
	p.source = uint16_t(core);
	p.destination = next.destination;
	p.length = next.length;
	choose_way(p, next.memory);
	if (two_layers_ && next.memory)
		policy_->memory_packet(core);
	return p;
}

void machine::feed(unsigned core)
{
	if (!network_.can_inject(core))
		return;
	core_traffic &t = traffic_[core];
	injected_ += t.next().created < c_.cycles;
	network_.inject(made(core, t.next()));
	t.pop();
	due_[core] = t.next().created;
}

// Sources have no end, so what has chosen and can't leave has to be kept.
void machine::feed_chosen(unsigned core)
{
	std::deque<packet> &waiting = chosen_[core];
	for (core_traffic &t = traffic_[core]; t.next().created <= network_.now(); t.pop())
		waiting.push_back(made(core, t.next()));
	if (waiting.empty() || !network_.can_inject(core))
		return;
	injected_ += waiting.front().created < c_.cycles;
	network_.inject(waiting.front());
	waiting.pop_front();
}

bool machine::concerns_memory(const packet &p) const
{
	return topology_.terminals[p.source].memory || topology_.terminals[p.destination].memory;
}

void machine::feed_reply(unsigned terminal)
{
	std::vector<packet> &waiting = replies_[terminal];
	if (waiting.empty() || !network_.can_inject(terminal, waiting.front().message_class))
		return;
	packet p = waiting.front();
	waiting.erase(waiting.begin());
	p.tag = next_tag_++;
	if (!c_.choose_at_creation)
		choose_way(p, concerns_memory(p));
	injected_ += p.created < c_.cycles;
	network_.inject(p);
	network_.accept(terminal, 0, waiting.size() < c_.reply_queue);
}

void machine::answer(const packet &p)
{
	if (p.reply || (c_.answered == replies::to_memory_packets && !topology_.terminals[p.destination].memory))
		return;
	packet back;
	back.created = network_.now();
	back.source = p.destination;
	back.destination = p.source;
	back.length = uint16_t(c_.reply_length);
	back.reply = true;
	back.message_class = c_.reply_class;
	if (c_.choose_at_creation)
		choose_way(back, concerns_memory(back));
	replies_[p.destination].push_back(back);
	if (replies_[p.destination].size() >= c_.reply_queue)
		network_.accept(p.destination, 0, false);
}

// Names what waits for what where nothing moves any more.
void machine::watch()
{
	const uint64_t moved = network_.flits_switched() + network_.flits_received();
	if (moved != moved_ || network_.packets_inside() == 0) {
		moved_ = moved;
		moved_at_ = network_.now();
	} else if (network_.now() - moved_at_ >= patience) {
		std::string names;
		for (const std::string &channel : network_.waiting_chain())
			names += (names.empty() ? "" : " waits for ") + channel;
		throw std::runtime_error("deadlock: no flit moved for " + std::to_string(patience) + " cycles; " +
					 names);
	}
}

bool machine::all_injected() const
{
	for (const std::deque<packet> &waiting : chosen_)
		if (!waiting.empty() && waiting.front().created < c_.cycles)
			return false;
	for (const std::vector<packet> &waiting : replies_)
		if (!waiting.empty() && waiting.front().created < c_.cycles)
			return false;
	return std::all_of(traffic_.begin(), traffic_.end(),
			   [&](const core_traffic &t) { return t.next().created >= c_.cycles; });
}

void machine::step()
{
	if (c_.answered != replies::none)
		for (unsigned t = 0; t < replies_.size(); t++)
			feed_reply(t);
	for (unsigned core = 0; core < traffic_.size(); core++)
		if (c_.choose_at_creation)
			feed_chosen(core);
		else if (due_[core] <= network_.now())
			feed(core);
	network_.step();
	watch();
	if (c_.answered != replies::none)
		for (const packet &p : network_.received())
			answer(p);
	if (!policy_)
		return;
	for (const packet &p : network_.received())
		policy_->received(p);
	policy_->cycle();
}

namespace
{

// What is kept of the packets of each window, by the time of their creation.
class record
{
      public:
	record(const topology &t, unsigned cycles)
	    : end_(cycles), terminals_(t.terminals.size()), sum_(cycles / window), count_(cycles / window),
	      flits_(cycles / window), flows_(terminals_ * terminals_)
	{
	}

	void add(const packet &p, uint64_t now)
	{
		if (now / window < flits_.size())
			flits_[now / window] += p.length;
		if (p.created >= end_)
			return;
		const uint64_t w = p.created / window, latency = now - p.created;
		sum_[w] += double(latency);
		count_[w]++;
		received_++;
		flow &f = flows_[p.source * terminals_ + p.destination];
		f.sum += latency;
		f.count++;
		latencies_.add(latency);
	}

	uint64_t received() const { return received_; }
	void summarise(result &r, unsigned cores) const;

      private:
	struct flow {
		uint64_t sum = 0, count = 0;
	};

	uint64_t end_;
	size_t terminals_;
	std::vector<double> sum_;
	std::vector<uint64_t> count_, flits_;
	std::vector<flow> flows_;
	uint64_t received_ = 0;
	latency_counts latencies_;
};

double sum_from(const std::vector<uint64_t> &of, size_t first)
{
	double sum = 0;
	for (size_t w = first; w < of.size(); w++)
		sum += double(of[w]);
	return sum;
}

void record::summarise(result &r, unsigned cores) const
{
	std::vector<double> means;
	for (size_t w = 0; w < sum_.size(); w++)
		means.push_back(count_[w] ? sum_[w] / double(count_[w]) : 0);
	// Where queues grow to the end no window is like another, and the last ones lack what was not received.
	const size_t warm = r.drained ? mser(means) : means.size() / 2;
	r.warm_up = unsigned(warm * window);
	const double cycles = double(sum_.size() - warm) * window * cores;
	r.accepted = sum_from(flits_, warm) / cycles;
	r.latency = batch_means({means.begin() + long(warm), means.end()}, batches);
	// The mean of windows is not that of packets.
	double sum = 0;
	for (size_t w = warm; w < sum_.size(); w++)
		sum += sum_[w];
	const double packets = sum_from(count_, warm);
	r.latency.mean = packets > 0 ? sum / packets : 0;
	r.timeline = std::move(means);
	r.p99 = latencies_.quantile(0.99);
	constexpr uint64_t enough = 8;
	for (const flow &f : flows_)
		if (f.count >= enough)
			r.slowest_flow = std::max(r.slowest_flow, double(f.sum) / double(f.count));
}

// What head flits spent in routers of each kind since it was made.
class passages
{
      public:
	explicit passages(const machine &m) : m_(m), edge_(m.shape().routers.size())
	{
		for (const terminal &t : m.shape().terminals)
			if (t.memory)
				edge_[t.router] = true;
		begin();
	}

	void begin() { before_ = now(); }

	void summarise(result &r) const
	{
		const std::array<network::passage, 3> after = now();
		double *const to[] = {&r.in_cores, &r.in_centre, &r.in_edge};
		for (size_t k = 0; k < after.size(); k++)
			if (const uint64_t heads = after[k].heads - before_[k].heads; heads > 0)
				*to[k] = double(after[k].cycles - before_[k].cycles) / double(heads);
	}

      private:
	std::array<network::passage, 3> now() const
	{
		std::array<network::passage, 3> sum;
		for (unsigned r = 0; r < edge_.size(); r++) {
			network::passage &to = sum[m_.shape().routers[r].layer == 0 ? 0 : edge_[r] ? 2 : 1];
			to.heads += m_.net().passed(r).heads;
			to.cycles += m_.net().passed(r).cycles;
		}
		return sum;
	}

	const machine &m_;
	std::vector<bool> edge_;
	std::array<network::passage, 3> before_;
};

} // namespace

ceiling ceiling_of(const configuration &c)
{
	const topology t = topology_of(c);
	const route_table routes = routes_of(t, c.how);
	const unsigned cores = c.width * c.height;
	std::vector<uint16_t> memory;
	for (size_t i = 0; i < t.terminals.size(); i++)
		if (t.terminals[i].memory)
			memory.push_back(uint16_t(i));
	std::vector<double> demand(size_t(cores) * cores);
	std::vector<pattern> patterns = {c.traffic.what};
	patterns.insert(patterns.end(), c.traffic.then.begin(), c.traffic.then.end());
	const double share = c.traffic.memory_share;
	for (pattern p : patterns) {
		if (p == pattern::hot_spot)
			throw std::invalid_argument("there is no ceiling for hot spots");
		const std::vector<uint16_t> to = permutation(p, c.width, c.height);
		const double each = (1 - share) / double(patterns.size());
		for (unsigned s = 0; s < cores; s++)
			for (unsigned d = 0; d < cores; d++)
				demand[s * cores + d] += to.empty() ? each / cores : to[s] == d ? each : 0;
	}
	std::vector<flow> flows;
	for (unsigned s = 0; s < cores; s++) {
		for (unsigned d = 0; d < cores; d++)
			if (demand[s * cores + d] > 0)
				flows.push_back({uint16_t(s), uint16_t(d), demand[s * cores + d], 0, true});
		for (uint16_t m : memory)
			if (share > 0)
				flows.push_back({uint16_t(s), m, share / double(memory.size()),
						 routes.taken(through_interposer, s, m), false});
	}
	return find_ceiling(t, routes, flows);
}

double replies_a_packet(const configuration &c)
{
	if (c.answered == replies::none)
		return 0;
	return c.answered == replies::to_all ? 1 : c.traffic.memory_share;
}

double offered_flits(const configuration &c)
{
	return c.traffic.rate * (1 + replies_a_packet(c) * c.reply_length / mean_length(c.traffic));
}

result simulate(const configuration &c)
{
	configuration whole = c;
	whole.cycles = std::max(c.cycles / window, 2u) * window;
	machine m(whole);
	record seen(m.shape(), whole.cycles);
	passages at(m);
	result r;
	const uint64_t limit = whole.cycles + uint64_t(whole.drain);
	while (m.net().now() < limit) {
		m.step();
		for (const packet &p : m.net().received())
			seen.add(p, m.net().now() - 1);
		if (m.net().now() == whole.cycles / 2)
			at.begin();
		if (m.net().now() == whole.cycles)
			at.summarise(r);
		if (m.net().now() >= whole.cycles && seen.received() == m.injected() && m.all_injected()) {
			r.drained = true;
			break;
		}
	}
	r.offered = offered_flits(c);
	seen.summarise(r, c.width * c.height);
	r.diverted = m.packets() ? double(m.diverted()) / double(m.packets()) : 0;
	r.cycles = m.net().now();
	r.router_cycles = r.cycles * m.shape().routers.size();
	return r;
}

} // namespace noc
