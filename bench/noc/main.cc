// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// noc-sim tells latency and throughput of networks on chip, by rate or at saturation. See Documentation/noc.rst.
#include "common/format.h"
#include "common/options.h"
#include "common/progress.h"
#include "common/report.h"
#include "common/table.h"
#include "noc/cost.h"
#include "noc/parallel.h"
#include "noc/saturation.h"
#include "noc/simulation.h"
#include "noc/trace/packets.h"
#include "noc/trace/play.h"

#include <fstream>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <thread>

using namespace bench;

namespace
{

struct options {
	common_options common;
	std::string network = "mesh", routing = "xy", vc_allocator = "islip", switch_allocator = "islip",
		    occupancy_of = "port", hop_mean = "exact", replies = "none", ring_direction = "forward",
		    ring_order = "rows", choose = "sent", interposer = "mesh";
	std::vector<std::string> patterns = {"uniform"};
	std::vector<std::string> policies = {"dor"}, rates = {"0.05", "0.1", "0.2", "0.3", "0.4"};
	bool saturation = false, one_class = false, timeline = false, cost = false, ceiling = false;
	unsigned seeds = 3, first_seed = 1, threads = 0;
	float memory = 0, divert = 0.5, occupancy = 0.6f, burst_share = 0.25;
	noc::configuration base;
	float tile = 1.5, clock = 1;
	std::string trace, save;
	noc::packet_options packets;
};

noc::allocator allocator_named(const std::string &name)
{
	return name == "islip" ? noc::allocator::islip : noc::allocator::round_robin;
}

noc::configuration configuration_of(const options &o)
{
	noc::configuration c = o.base;
	c.network = o.network;
	c.how = noc::routing_named(
		o.network == "two-layers" && o.routing.find("-z") == std::string::npos ? o.routing + "-z" : o.routing);
	if (o.interposer == "double-butterfly")
		c.layers.below = noc::interposer::double_butterfly;
	c.traffic.what = noc::pattern_named(o.patterns.front());
	for (size_t i = 1; i < o.patterns.size(); i++)
		c.traffic.then.push_back(noc::pattern_named(o.patterns[i]));
	c.traffic.burst_share = double(o.burst_share);
	c.traffic.memory_share = double(o.memory);
	c.router.vc_allocator = allocator_named(o.vc_allocator);
	c.router.switch_allocator = allocator_named(o.switch_allocator);
	c.router.latency_fraction = o.hop_mean == "exact" ? c.router.latency_fraction : 0;
	c.choice.divert = double(o.divert);
	c.choice.occupancy = double(o.occupancy);
	c.choice.of_port = o.occupancy_of == "port";
	c.choice.direction = o.ring_direction == "forward"    ? noc::ring_direction::forward
			     : o.ring_direction == "backward" ? noc::ring_direction::backward
							      : noc::ring_direction::alternate;
	c.choice.ring_in_rows = o.ring_order == "rows";
	c.choose_at_creation = o.choose == "created";
	c.answered = o.replies == "all"      ? noc::replies::to_all
		     : o.replies == "memory" ? noc::replies::to_memory_packets
					     : noc::replies::none;
	c.reply_class = !o.one_class;
	if (o.common.quick)
		c.cycles = c.drain = 3000;
	return c;
}

std::string names_of(const std::vector<std::string> &patterns)
{
	std::string all;
	for (const std::string &p : patterns)
		all += (all.empty() ? "" : " then ") + p;
	return all;
}

// Does each of @jobs on one of the threads, with progress. What comes out does not depend on their number.
template <typename F> void on_all_cores(const options &o, const std::string &what, size_t jobs, F &&job)
{
	std::mutex lock;
	progress shown(what, jobs);
	noc::in_parallel(o.threads ? o.threads : std::thread::hardware_concurrency(), jobs, [&](size_t i) {
		job(i);
		std::lock_guard held(lock);
		shown.step();
	});
}

std::vector<double> numbers(const std::vector<std::string> &texts)
{
	std::vector<double> values;
	for (const std::string &t : texts) {
		size_t end = 0;
		values.push_back(std::stod(t, &end));
		if (end != t.size() || values.back() <= 0)
			throw std::invalid_argument("no rate: " + t);
	}
	return values;
}

// Returns the mean of seeds with its interval; with one seed, its own interval of batches.
noc::estimate over_seeds(const std::vector<noc::result> &of, double (*value)(const noc::result &))
{
	std::vector<double> values;
	for (const noc::result &r : of)
		values.push_back(value(r));
	return noc::interval(values);
}

std::string with_interval(const noc::estimate &e, const char *form)
{
	if (e.n < 2)
		return format(form, e.mean);
	return format(form, e.mean) + " ± " + format(form, e.half_width);
}

void add(report &out, const std::string &name, const char *unit, const noc::estimate &e)
{
	json more = json::object();
	if (e.n > 1)
		more["half_width"] = e.half_width;
	out.value(name, unit, e.mean, more);
}

void add_timeline(report &out, const std::string &path, const std::vector<noc::result> &seeds)
{
	for (size_t w = 0; w < seeds[0].timeline.size(); w++) {
		std::vector<double> values;
		for (const noc::result &r : seeds)
			values.push_back(r.timeline[w]);
		add(out, format("%slatency from %zu", path.c_str(), w * noc::timeline_window), "cycles",
		    noc::interval(values));
	}
}

void sweep(const options &o, report &out)
{
	const std::vector<double> rates = numbers(o.rates);
	const size_t runs = o.policies.size() * rates.size() * o.seeds;
	std::vector<noc::result> results(runs);
	on_all_cores(o, "runs", runs, [&](size_t i) {
		noc::configuration c = configuration_of(o);
		c.seed = o.first_seed + i % o.seeds;
		c.traffic.rate = rates[i / o.seeds % rates.size()];
		c.policy = o.policies[i / o.seeds / rates.size()];
		results[i] = noc::simulate(c);
	});
	table shown(format("%s, %s, %s, zero load %.2f cycles", o.network.c_str(), o.routing.c_str(),
			   names_of(o.patterns).c_str(), noc::zero_load_latency(configuration_of(o))),
		    {"policy", "offered", "accepted", "latency", "p99", "slowest flow", "diverted", "drained"});
	for (size_t i = 0; i < runs; i += o.seeds) {
		const std::vector<noc::result> at(results.begin() + long(i), results.begin() + long(i + o.seeds));
		const std::string &name = o.policies[i / o.seeds / rates.size()];
		const double rate = rates[i / o.seeds % rates.size()];
		noc::estimate latency = over_seeds(at, [](const noc::result &r) { return r.latency.mean; });
		if (o.seeds == 1)
			latency = at[0].latency;
		const noc::estimate accepted = over_seeds(at, [](const noc::result &r) { return r.accepted; });
		const noc::estimate p99 = over_seeds(at, [](const noc::result &r) { return double(r.p99); });
		const noc::estimate slowest = over_seeds(at, [](const noc::result &r) { return r.slowest_flow; });
		const noc::estimate diverted = over_seeds(at, [](const noc::result &r) { return r.diverted; });
		unsigned drained = 0;
		for (const noc::result &r : at)
			drained += r.drained;
		shown.row({name, format("%.3f", rate), with_interval(accepted, "%.4f"), with_interval(latency, "%.2f"),
			   format("%.0f", p99.mean), format("%.1f", slowest.mean), format("%.3f", diverted.mean),
			   format("%u of %u", drained, o.seeds)});
		const std::string path = format("%s/%g/", name.c_str(), rate);
		add(out, path + "latency", "cycles", latency);
		add(out, path + "accepted", "flits/node/cycle", accepted);
		add(out, path + "p99", "cycles", p99);
		add(out, path + "slowest flow", "cycles", slowest);
		add(out, path + "diverted", "share", diverted);
		if (o.network == "two-layers") {
			add(out, path + "in cores", "cycles",
			    over_seeds(at, [](const noc::result &r) { return r.in_cores; }));
			add(out, path + "in interposer's centre", "cycles",
			    over_seeds(at, [](const noc::result &r) { return r.in_centre; }));
			add(out, path + "in interposer's edge", "cycles",
			    over_seeds(at, [](const noc::result &r) { return r.in_edge; }));
		}
		if (o.timeline)
			add_timeline(out, path, at);
		add(out, path + "cycles", "cycles",
		    over_seeds(at, [](const noc::result &r) { return double(r.cycles); }));
		add(out, path + "drained", "share", {double(drained) / o.seeds, 0, 1});
	}
	shown.note("Rates in flits a core and cycle. A run that did not drain is saturated: its latency is a lower "
		   "bound.");
	shown.print();
}

void saturations(const options &o, report &out)
{
	const size_t runs = o.policies.size() * o.seeds;
	std::vector<noc::saturation> results(runs);
	on_all_cores(o, "searches", runs, [&](size_t i) {
		noc::configuration c = configuration_of(o);
		c.seed = o.first_seed + i % o.seeds;
		c.policy = o.policies[i / o.seeds];
		results[i] = noc::find_saturation(c);
	});
	table shown(format("%s, %s, %s: saturation in flits a core and cycle", o.network.c_str(), o.routing.c_str(),
			   names_of(o.patterns).c_str()),
		    {"policy", "latency 3 x zero load", "accepted 95 % of offered", "peak accepted", "p99",
		     "slowest flow"});
	for (size_t i = 0; i < runs; i += o.seeds) {
		std::vector<double> by_latency, by_accepted, peak, p99, slowest;
		for (size_t s = i; s < i + o.seeds; s++) {
			by_latency.push_back(results[s].by_latency);
			by_accepted.push_back(results[s].by_accepted);
			peak.push_back(results[s].peak_accepted);
			p99.push_back(results[s].p99);
			slowest.push_back(results[s].slowest_flow);
		}
		const std::string &name = o.policies[i / o.seeds];
		const noc::estimate all[] = {noc::interval(by_latency), noc::interval(by_accepted),
					     noc::interval(peak)};
		const noc::estimate tail = noc::interval(p99), flow = noc::interval(slowest);
		shown.row({name, with_interval(all[0], "%.4f"), with_interval(all[1], "%.4f"),
			   with_interval(all[2], "%.4f"), format("%.0f", tail.mean), format("%.1f", flow.mean)});
		const char *const kinds[] = {"latency", "accepted", "peak"};
		for (size_t k = 0; k < std::size(all); k++)
			add(out, name + "/saturation by " + kinds[k], "flits/node/cycle", all[k]);
		add(out, name + "/p99", "cycles", tail);
		add(out, name + "/slowest flow", "cycles", flow);
	}
	shown.note("p99 and the slowest source and destination are those at the first of the three rates, in cycles.");
	shown.print();
}

void add_cost(table &shown, report &out, const std::string &name, const noc::parts &p, const noc::cost_options &how)
{
	const noc::cost c = noc::cost_of(p, how);
	shown.row({name, format("%.0f", p.stored + p.registers), format("%.0f", p.gates), format("%.0f", p.wires),
		   format("%.4f", c.area), format("%.4f", c.wiring), format("%.2f", 1e3 * c.leakage),
		   format("%.2f", 1e3 * c.switching)});
	const std::string path = format("%s, %s/", name.c_str(), how.sram ? "SRAM" : "flip-flops");
	add(out, path + "area", "mm2", {c.area, 0, 1});
	add(out, path + "wiring", "mm2", {c.wiring, 0, 1});
	add(out, path + "leakage", "W", {c.leakage, 0, 1});
	add(out, path + "switching", "W", {c.switching, 0, 1});
}

// What the network is made of, and each policy's part beside it, in both kinds of buffers.
void costs(const options &o, report &out)
{
	noc::configuration c = configuration_of(o);
	c.traffic.rate = numbers(o.rates).front();
	noc::cost_options how;
	how.tile = double(o.tile);
	how.clock = 1e9 * double(o.clock);
	for (const bool sram : {false, true}) {
		how.sram = sram;
		table shown(format("Buffers of %s, %g flits a core and cycle", sram ? "SRAM" : "flip-flops",
				   c.traffic.rate),
			    {"part", "bits", "gates", "mm of wire", "mm2", "mm2 of wiring", "mW leak", "mW switch"});
		noc::parts all;
		for (const noc::named_parts &n : noc::parts_of_network(c, how)) {
			add_cost(shown, out, n.name, n.what, how);
			all += n.what;
		}
		add_cost(shown, out, "network", all, how);
		const noc::cost network = noc::cost_of(all, how);
		for (const std::string &policy : o.policies) {
			c.policy = policy;
			noc::parts sum;
			for (const noc::named_parts &n : noc::parts_of_policy(c, how)) {
				add_cost(shown, out, format("%s: %s", policy.c_str(), n.name.c_str()), n.what, how);
				sum += n.what;
			}
			const noc::cost more = noc::cost_of(sum, how);
			shown.note(format("%s adds %.2f %% of area, %.2f %% with the wires' layer, %.2f %% of power.",
					  policy.c_str(), 100 * more.area / network.area,
					  100 * (more.area + more.wiring) / (network.area + network.wiring),
					  100 * more.power() / network.power()));
		}
		shown.print();
	}
}

std::vector<uint8_t> contents(const std::string &path)
{
	std::ifstream file(path, std::ios::binary);
	if (!file)
		throw std::runtime_error("cannot read " + path);
	return {std::istreambuf_iterator<char>(file), {}};
}

// Packets as a Netrace file has them, or those that the caches make of a program's accesses.
noc::packet_trace trace_of(const options &o, report &out)
{
	const std::vector<uint8_t> file = contents(o.trace);
	if (!noc::is_access_file(file))
		return noc::read_netrace(file);
	noc::cache_counts counts;
	const noc::packet_trace t = noc::packets_of(noc::read_accesses(file), o.packets, &counts);
	add(out, "accesses", "count", {double(counts.accesses), 0, 1});
	add(out, "misses", "count", {double(counts.misses), 0, 1});
	return t;
}

void plays(const options &o, report &out)
{
	const noc::packet_trace t = trace_of(o, out);
	if (!o.save.empty()) {
		const std::vector<uint8_t> bytes = noc::write_netrace(t);
		std::ofstream file(o.save, std::ios::binary);
		file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
		if (!file.flush())
			throw std::runtime_error("cannot write " + o.save);
	}
	noc::play_options how;
	how.nominal = o.packets.nominal;
	std::vector<noc::playback> results(o.policies.size());
	on_all_cores(o, "runs", results.size(), [&](size_t i) {
		noc::configuration c = configuration_of(o);
		c.policy = o.policies[i];
		c.seed = o.first_seed;
		results[i] = noc::play(t, c, how);
	});
	table shown(format("%s: %zu packets", o.trace.c_str(), t.packets.size()),
		    {"policy", "cycles", "latency", "inside a node", "to memory", "diverted"});
	for (size_t i = 0; i < results.size(); i++) {
		const noc::playback &r = results[i];
		const double packets = double(r.packets);
		shown.row({o.policies[i], format("%zu", size_t(r.cycles)), format("%.2f", r.latency),
			   format("%.3f", double(r.here) / packets), format("%.3f", double(r.to_memory) / packets),
			   format("%.3f", double(r.diverted) / packets)});
		const std::string path = o.policies[i] + "/";
		add(out, path + "cycles", "cycles", {double(r.cycles), 0, 1});
		add(out, path + "latency", "cycles", {r.latency, 0, 1});
		add(out, path + "inside a node", "share", {double(r.here) / packets, 0, 1});
		add(out, path + "to memory", "share", {double(r.to_memory) / packets, 0, 1});
		add(out, path + "diverted", "share", {double(r.diverted) / packets, 0, 1});
	}
	shown.print();
}

void show_ceiling(const options &o, report &out)
{
	const noc::ceiling c = noc::ceiling_of(configuration_of(o));
	table shown(format("%s, %s, %s", o.network.c_str(), o.routing.c_str(), names_of(o.patterns).c_str()),
		    {"split found", "no split exceeds"});
	shown.row({format("%.4f", c.rate), format("%.4f", c.bound)});
	shown.print();
	add(out, "ceiling/rate", "flits/node/cycle", {c.rate, 0, 1});
	add(out, "ceiling/bound", "flits/node/cycle", {c.bound, 0, 1});
}

int run(const options &o)
{
	report out("noc-sim", {{"network", o.network},
			       {"routing", o.routing},
			       {"pattern", names_of(o.patterns)},
			       {"memory", o.memory},
			       {"vcs", o.base.router.vcs},
			       {"depth", o.base.router.depth},
			       {"length", o.base.traffic.length},
			       {"burst", o.base.traffic.burst},
			       {"cycles", configuration_of(o).cycles},
			       {"seeds", o.seeds}});
	if (!o.trace.empty())
		plays(o, out);
	else if (o.cost)
		costs(o, out);
	else if (o.ceiling)
		show_ceiling(o, out);
	else if (o.saturation)
		saturations(o, out);
	else
		sweep(o, out);
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Simulates a network on chip, cycle by cycle.");
	add_common_options(line, o.common);
	line.text("--network", o.network, "topology", {"mesh", "cmesh", "two-layers"});
	line.text("--routing", o.routing, "routing; two layers take xy, yx or o1turn, with Z the first or the last hop",
		  noc::routing_names());
	line.text("--interposer", o.interposer, "the lower of two layers", {"mesh", "double-butterfly"});
	line.list("--pattern", o.patterns, "destinations; several come in turn", noc::pattern_names());
	line.number("--period", o.base.traffic.period, "cycles of each of several patterns");
	line.number("--width", o.base.width, "cores a row");
	line.number("--height", o.base.height, "rows of cores");
	line.list("--rate", o.rates, "flits a core and cycle");
	line.flag("--saturation", o.saturation, "find the saturation instead, by bisection, in three definitions");
	line.list("--policy", o.policies, "which layer a packet takes", noc::policy_names());
	line.number("--memory", o.memory, "share of packets that go to a memory controller");
	line.number("--length", o.base.traffic.length, "flits of a packet");
	line.number("--long-length", o.base.traffic.long_length, "flits of every second packet, if given");
	line.flag("--uniform-lengths", o.base.traffic.uniform_lengths, "any number of flits between these two instead");
	line.number("--burst", o.base.traffic.burst, "cycles of a burst, on the average; if not given, no bursts");
	line.number("--burst-share", o.burst_share, "of the cycles, into which the packets fall");
	line.text("--replies", o.replies, "packets that cause one", {"none", "memory", "all"});
	line.number("--reply-length", o.base.reply_length, "flits of a reply");
	line.number("--reply-queue", o.base.reply_queue,
		    "replies that a terminal holds before it takes no more requests");
	line.flag("--one-class", o.one_class, "requests and replies share their VCs, and may deadlock");
	line.number("--vcs", o.base.router.vcs, "virtual channels a port");
	line.number("--depth", o.base.router.depth, "flits a virtual channel holds");
	line.text("--vc-allocator", o.vc_allocator, "separable allocator of VCs", {"islip", "round-robin"});
	line.text("--switch-allocator", o.switch_allocator, "separable allocator of the switch",
		  {"islip", "round-robin"});
	line.number("--iterations", o.base.router.iterations, "of both allocators");
	line.number("--input-cycles", o.base.router.input_cycles, "pipeline stages before the VC is allocated");
	line.number("--switch-cycles", o.base.router.switch_cycles, "of switch traversal");
	line.number("--credit-cycles", o.base.router.credit_cycles, "that a router takes over a credit");
	line.text("--hop-mean", o.hop_mean,
		  "the mean latency of a hop in a head flit: as it is, or whole cycles at each hop",
		  {"exact", "whole"});
	line.number("--hop-mean-cap", o.base.router.latency_cap, "cycles at which that mean stops");
	line.number("--z-cycles", o.base.layers.z_cycles, "of a link between the layers");
	line.number("--ejections", o.base.layers.controller_ejections, "flits a cycle into a memory controller");
	line.number("--threshold", o.base.choice.threshold, "DLL, DestDetect: cycles a hop between the layers");
	line.number("--second-threshold", o.base.choice.second_threshold,
		    "DLL: the interposer's latency, below which it is used");
	line.number("--fifo", o.base.choice.fifo, "DLL, DestDetect: latencies that are averaged");
	line.number("--ring-cycles", o.base.choice.ring_cycles, "DLL: of a hop of the ring");
	line.number("--ring-queue", o.base.choice.ring_queue, "DLL: messages that wait at a grid");
	line.text("--ring-direction", o.ring_direction,
		  "DLL: to the grid that comes next, to the one before, or on every second link the other way",
		  {"forward", "backward", "alternate"});
	line.text("--ring-order", o.ring_order, "DLL: grids row by row, or every second row the other way round",
		  {"rows", "snake"});
	line.flag("--ideal-ring", o.base.choice.ideal_ring, "DLL: messages arrive at once");
	line.number("--occupancy", o.occupancy, "LocalBuf: share of the buffers, above which a router is congested");
	line.text("--occupancy-of", o.occupancy_of, "LocalBuf: of the fullest input port, or of all of the router's",
		  {"port", "router"});
	line.number("--congested-routers", o.base.choice.congested_routers,
		    "LocalBuf: of a grid, from which it is congested");
	line.text("--choose", o.choose, "when a packet chooses its layer: when its first flit could leave, or before",
		  {"sent", "created"});
	line.number("--divert", o.divert, "random: probability");
	line.number("--sample", o.base.choice.sample, "adaptive: packets that a grid receives for each message");
	line.number("--nominal", o.base.choice.nominal,
		    "adaptive: of 64 packets, that go down while nobody waits and none goes to memory");
	line.number("--gain", o.base.choice.gain, "adaptive: of 64 packets, for a quarter of a cycle a hop");
	line.text("--play", o.trace,
		  "play this trace in a closed loop: Netrace 1.0, unpacked, or a program's accesses");
	line.text("--save", o.save, "with --play: write its packets, as Netrace 1.0");
	line.number("--nominal-cycles", o.packets.nominal, "that a packet took when the trace was made");
	line.number("--l1-bytes", o.packets.cache.l1_bytes, "of accesses: each core's cache");
	line.number("--l1-ways", o.packets.cache.l1_ways, "of accesses: places of a line in each core's cache");
	line.number("--l2-bytes", o.packets.cache.l2_bytes, "of accesses: all banks");
	line.number("--l2-ways", o.packets.cache.l2_ways, "of accesses: places of a line in its bank");
	line.number("--memory-cycles", o.packets.cache.memory_cycles,
		    "of accesses: from a controller's request to its answer");
	line.flag("--ceiling", o.ceiling, "tell the rate that no split of the traffic over its routes exceeds");
	line.flag("--cost", o.cost, "count bits, gates and wires of two layers instead, at the first rate");
	line.number("--tile", o.tile, "with --cost: mm from a core to the next");
	line.number("--clock", o.clock, "with --cost: GHz");
	line.number("--cycles", o.base.cycles, "in which packets are created");
	line.number("--drain", o.base.drain, "at most, until all of them are received");
	line.flag("--timeline", o.timeline, "the JSON document also has the mean latency of each 100 cycles' packets");
	line.number("--seeds", o.seeds, "runs of each point");
	line.number("--first-seed", o.first_seed, "of the first run; the others count up");
	line.number("--threads", o.threads, "0: all cores");
	line.flag("--check", o.base.router.checked, "check the invariants in every cycle (slow)");
	return line.run(argc, argv, [&] { return run(o); });
}
