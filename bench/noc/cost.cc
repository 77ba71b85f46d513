// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/cost.h"

#include "noc/ring.h"

#include <bit>
#include <cmath>
#include <stdexcept>

namespace noc
{

namespace
{

// The process is DSENT's Bulk45LVT (Sun and others, NOCS 2012; gem5 has it in ext/dsent/tech/tech_models): a gate each
// 0.2 µm, cells of 11 tracks of 160 nm, of which 1 / 1.4 is transistor; gates of 1 fF/µm, drains of 0.6; 100 nA/µm leak
// at 300 K, ten times that for each 100 K more; wires of the global layer. What its cells are made of is counted here,
// not run in DSENT.
namespace process
{
constexpr double vdd = 1.0, temperature = 340, leak_temperature = 300, leak_swing = 100;
constexpr double gate_pitch = 0.2e-3, tracks = 11, track = 160e-6, overhead = 1.4;         // mm
constexpr double height = tracks * track * overhead, width_of_gate = tracks * track * 1e3; // mm; µm of n and p
constexpr double gate_farad = 1e-15, drain_farad = 0.6e-15, leak_ampere = 100e-9;          // per µm
constexpr double vacuum = 8.854e-15, dielectric = 2.8;                                     // F/mm
constexpr double wire = 160e-6, space = 160e-6, thick = 280e-6, above = 250e-6;            // mm
// Pitches of a flip-flop (six inverters, four tristate inverters, the gap between cells) and of a NAND gate, and the
// width of their transistors in that of the largest inverter.
constexpr double flip_flop_pitches = 15, flip_flop_size = 3.5, flip_flop_clock = 1.25;
constexpr double nand_pitches = 3, nand_size = 1;
// A cell of six transistors, Intel's of 45 nm (Mistry and others, IEDM 2007), in arrays half of which are cells; it
// leaks as two of its smallest inverters do.
constexpr double sram_cell = 0.346e-6, sram_share = 0.5, sram_size = 0.25; // mm²
// Repeaters stand each mm, as large as eight inverters, and add that to the wire's own capacitance.
constexpr double repeater_size = 8, repeater_pitches = 9;
} // namespace process

double node_farad(double size)
{
	return size * process::width_of_gate * (process::gate_farad + process::drain_farad);
}

double leak_watt(double size)
{
	const double hot = std::pow(10, (process::temperature - process::leak_temperature) / process::leak_swing);
	return size * process::width_of_gate / 2 * process::leak_ampere * hot * process::vdd;
}

double wire_farad()
{
	using namespace process;
	return vacuum * dielectric * (2 * wire / above + 2 * thick / space) + node_farad(repeater_size);
}

// A round-robin arbiter has two priority encoders and a pointer: some ten gates an input.
constexpr double gates_of_arbiter_input = 10;
constexpr double gates_of_mux = 3, gates_of_adder_bit = 5, gates_of_comparer_bit = 3;

topology two_layers_of(const configuration &c)
{
	if (c.network != "two-layers")
		throw std::invalid_argument("only a network of two layers has a policy, and its cost");
	return topology_of(c);
}

// How far a uniform packet goes: routers, mm of links.
struct way {
	double routers = 0, mm = 0;
};

double mm_of(const topology &t, const link &l, const cost_options &o)
{
	if (t.routers[l.from].layer != t.routers[l.to].layer)
		return 0; // a bump
	const router &a = t.routers[l.from], &b = t.routers[l.to];
	const double tiles = std::abs(a.x - b.x) + std::abs(a.y - b.y);
	return tiles * (a.layer == 0 ? o.tile : 2 * o.tile);
}

way mean_way(const topology &t, const route_table &routes, const cost_options &o, bool memory)
{
	way sum;
	double flows = 0;
	std::vector<const link *> behind(t.routers.size() * 16);
	for (const link &l : t.links)
		behind[l.from * 16u + l.from_port] = &l;
	for (unsigned s = 0; s < t.terminals.size(); s++)
		for (size_t d = 0; d < t.terminals.size(); d++) {
			const terminal &from = t.terminals[s];
			if (from.memory || t.terminals[d].memory != memory)
				continue;
			flows++;
			unsigned at = from.router;
			const unsigned route =
				routes.taken(memory ? through_interposer : through_cores, s, unsigned(d));
			for (sum.routers++; at != t.terminals[d].router; sum.routers++) {
				const link &l = *behind[at * 16 + routes.port(route, at, unsigned(d))];
				sum.mm += mm_of(t, l, o);
				at = l.to;
			}
		}
	return {sum.routers / flows, sum.mm / flows};
}

// Flits a cycle that pass routers, and their mm.
way of_all_packets(const configuration &c, const topology &t, const cost_options &o)
{
	const route_table routes = routes_of(t, c.how);
	const double flits = c.traffic.rate * c.width * c.height, memory = c.traffic.memory_share;
	const way near = mean_way(t, routes, o, false), far = mean_way(t, routes, o, true);
	return {flits * ((1 - memory) * near.routers + memory * far.routers),
		flits * ((1 - memory) * near.mm + memory * far.mm)};
}

// What brings the mean of a head flit up to date at each output, and knows when a flit arrived in each VC.
parts arithmetic(const configuration &c, const topology &t, const cost_options &o, double heads)
{
	constexpr double stamp_bits = 8, hop_bits = 4;
	const double multiplier = o.counted_bits * hop_bits * (gates_of_adder_bit + 1);
	const double of_output = 2 * multiplier + gates_of_adder_bit * o.counted_bits; // times, plus, divided by
	parts p;
	for (const router &r : t.routers) {
		p.stored += r.ports * c.router.vcs * stamp_bits;
		p.gates += r.ports * of_output;
	}
	p.stored_now = heads * stamp_bits;
	p.gates_now = heads * of_output / 2;
	return p;
}

// FIFOs of latencies for both layers, their sums, and what compares them.
parts memories(double count, double entries, double heard)
{
	constexpr double latency_bits = 4, sum_bits = 7;
	parts p;
	p.stored = count * 2 * entries * latency_bits;
	p.gates = count * 2 * (entries - 1) * sum_bits * gates_of_adder_bit +
		  count * 2 * sum_bits * gates_of_comparer_bit;
	p.stored_now = heard * latency_bits;
	p.gates_now = heard * (entries - 1) * sum_bits * gates_of_adder_bit / 2;
	return p;
}

// The registers of all four links, the grids' queues and their decoders. Each grid hears of one packet, or more are
// dropped.
parts ring_parts(const configuration &c, const cost_options &o, double grids, double messages)
{
	constexpr double bits = (link_bits + 1) * ring_links; // and whether there is one
	parts p;
	p.registers = grids * c.choice.ring_cycles * bits;
	p.stored = grids * c.choice.ring_queue * (message_bits + 1);
	p.gates = grids * (ring_links * 4 * gates_of_comparer_bit + bits * gates_of_mux);
	p.wires = grids * bits * 2 * o.tile;
	// On the average a message goes half of the way round; a link carries one a register.
	const double hops = std::min(messages * grids / 2, grids * ring_links);
	p.wires_now = hops * (link_bits + 1) * 2 * o.tile;
	p.stored_now = messages * message_bits;
	p.gates_now = hops * bits;
	return p;
}

} // namespace

parts &parts::operator+=(const parts &o)
{
	stored += o.stored;
	registers += o.registers;
	gates += o.gates;
	wires += o.wires;
	stored_now += o.stored_now;
	gates_now += o.gates_now;
	wires_now += o.wires_now;
	return *this;
}

std::vector<named_parts> parts_of_network(const configuration &c, const cost_options &o)
{
	const topology t = two_layers_of(c);
	const way moved = of_all_packets(c, t, o);
	parts buffers, crossbars, allocators, links;
	for (const router &r : t.routers) {
		const double ports = r.ports, vcs = c.router.vcs;
		buffers.stored += ports * vcs * c.router.depth * o.flit_bits;
		crossbars.gates += ports * (ports - 1) * o.flit_bits * gates_of_mux;
		// Of VCs: one of the input's, then one of all inputs at each output VC. Of the switch: the same a port.
		allocators.gates +=
			gates_of_arbiter_input * (ports * vcs * (vcs + ports * vcs) + ports * (vcs + ports));
	}
	for (const link &l : t.links)
		links.wires += mm_of(t, l, o) * o.flit_bits;
	const double bits = moved.routers * o.flit_bits, ports = t.routers.front().ports;
	buffers.stored_now = bits;
	crossbars.gates_now = bits * std::ceil(std::log2(ports)) * gates_of_mux;
	allocators.gates_now = moved.routers * gates_of_arbiter_input * c.router.vcs * ports;
	links.wires_now = moved.mm * o.flit_bits;
	return {{"buffers", buffers}, {"crossbars", crossbars}, {"allocators", allocators}, {"links", links}};
}

std::vector<named_parts> parts_of_policy(const configuration &c, const cost_options &o)
{
	const topology t = two_layers_of(c);
	const floor_plan plan = floor_plan_of(t);
	const double grids = plan.grids, routers = double(t.routers.size());
	const double packets = c.traffic.rate * c.width * c.height / mean_length(c.traffic);
	const double heads = of_all_packets(c, t, o).routers / mean_length(c.traffic);
	if (c.policy == "localbuf") { // a counter of flits a port, against the limit
		const double bits = std::bit_width(c.router.vcs * c.router.depth);
		parts counters;
		for (const router &r : t.routers) {
			counters.registers += r.ports * bits;
			counters.gates += r.ports * bits * (gates_of_adder_bit + gates_of_comparer_bit);
		}
		counters.gates_now = 2 * heads * bits * gates_of_adder_bit / 2;
		parts lines; // one from each router to its grid's cores
		lines.wires = lines.wires_now = routers * 2 * o.tile;
		lines.wires_now *= 0.1;
		return {{"counters", counters}, {"lines", lines}};
	}
	if (c.policy == "destdetect")
		return {{"arithmetic", arithmetic(c, t, o, heads)},
			{"memories", memories(plan.cores, c.choice.fifo, packets)}};
	if (c.policy == "dll")
		return {{"arithmetic", arithmetic(c, t, o, heads)},
			{"memories", memories(grids, c.choice.fifo, packets)},
			{"ring", ring_parts(c, o, grids, packets)}};
	if (c.policy == "adaptive") {
		constexpr double state = 46, sample_bits = 3, mean_bits = 6, multipliers = 3;
		const double messages = packets / c.choice.sample;
		parts means;
		means.registers = grids * (state + sample_bits);
		means.gates = grids * multipliers * mean_bits * (gates_of_adder_bit + gates_of_comparer_bit) * 2;
		means.gates_now = packets * multipliers * mean_bits * gates_of_adder_bit / 2;
		return {{"arithmetic", arithmetic(c, t, o, heads)},
			{"means", means},
			{"ring", ring_parts(c, o, grids, messages)}};
	}
	return {};
}

cost cost_of(const parts &p, const cost_options &o)
{
	using namespace process;
	const double cell = gate_pitch * height;
	const double repeaters = p.wires, flip_flop = flip_flop_pitches * cell;
	cost c;
	c.area = p.stored * (o.sram ? sram_cell / sram_share : flip_flop) + p.registers * flip_flop +
		 p.gates * nand_pitches * cell + repeaters * repeater_pitches * cell;
	c.wiring = p.wires * (wire + space);
	c.leakage = p.stored * leak_watt(o.sram ? sram_size : flip_flop_size) +
		    p.registers * leak_watt(flip_flop_size) + p.gates * leak_watt(nand_size) +
		    repeaters * leak_watt(repeater_size);
	// A bit that is written changes every second time, and then rises every second time. A clock rises always.
	constexpr double rises = 0.25;
	const double farad = (p.stored_now + p.registers) * node_farad(flip_flop_clock) +
			     rises * ((p.stored_now + p.registers) * node_farad(flip_flop_size - flip_flop_clock) +
				      p.gates_now * node_farad(nand_size) + p.wires_now * wire_farad());
	c.switching = farad * vdd * vdd * o.clock;
	return c;
}

} // namespace noc
