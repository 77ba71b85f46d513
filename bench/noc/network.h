// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The core is a network of input-queued routers with virtual channels (VCs), cycle by cycle. It has no input or output,
// and allocates no memory after construction.
//
// In a cycle credits and flits that were under way arrive; terminals send a flit each; routers with work allocate VCs,
// then the switch, from the state at the start of the cycle. A head flit that arrives at cycle a (its port is known:
// look-ahead routing) gets a VC at a at the earliest, the switch at a + 1, and arrives at the next router at
// a + 2 + switch_cycles + link_cycles + input_cycles.
#pragma once

#include "noc/routing.h"
#include "noc/topology.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace noc
{

enum class allocator : uint8_t {
	islip,      // separable, output first; pointers move when a grant is accepted in the first iteration
	round_robin // separable, input first; pointers move when granted
};

struct parameters {
	unsigned vcs = 8;   // a port, divided evenly among message classes and the routing's classes; at most 16
	unsigned depth = 8; // flits a VC; at most 255
	unsigned message_classes = 1;
	allocator vc_allocator = allocator::islip;
	allocator switch_allocator = allocator::islip;
	unsigned iterations = 1;    // of both
	unsigned input_cycles = 0;  // of buffer write and route computation, before the VC is allocated
	unsigned switch_cycles = 1; // of switch traversal
	unsigned credit_cycles = 1; // that a router takes over an arriving credit
	// The head flit has the mean latency of a hop, which every router brings up to date: it keeps so many bits
	// after the point, at most 8, and stops at the cap.
	unsigned latency_fraction = 8;
	unsigned latency_cap = 255;
	bool checked = false; // check() after each cycle, which throws
};

struct packet {
	uint64_t created = 0; // cycle
	uint64_t tag = 0;     // the caller's
	uint16_t source = 0, destination = 0;
	uint16_t length = 1; // flits
	uint8_t message_class = 0;
	bool reply = false; // the caller's
	uint8_t route = 0;
	// The network keeps these: routers passed, and their mean latency as the head flit's counter holds it, with its
	// fraction; when the packet is received, whole cycles of it.
	uint8_t hops = 0;
	uint8_t hop_latency = 0;
	uint16_t hop_mean = 0;
};

class network
{
      public:
	// It throws std::invalid_argument where parameters are out of range or do not divide.
	network(const topology &t, const route_table &routes, const parameters &p);

	uint64_t now() const { return now_; }

	// A terminal holds one packet of each message class until its last flit has left.
	bool can_inject(unsigned terminal, unsigned message_class = 0) const
	{
		return sending_[terminal * p_.message_classes + message_class].packet == no_packet;
	}
	void inject(const packet &p);

	// While a terminal does not accept a message class, packets of it stay in the terminal's input buffers.
	void accept(unsigned terminal, unsigned message_class, bool yes);

	void step();

	// Returns the packets whose last flit was received in the last cycle.
	std::span<const packet> received() const { return received_; }

	// Returns how many are in the network, from injection until the last flit was received.
	unsigned packets_inside() const { return unsigned(pool_.size() - free_packets_.size()); }
	uint64_t flits_sent() const { return flits_sent_; }
	uint64_t flits_received() const { return flits_received_; }
	// Returns how many flits have passed a router's switch, over all routers.
	uint64_t flits_switched() const { return flits_switched_; }

	// Return the head flits that passed a router so far, and the cycles that they spent in it.
	struct passage {
		uint64_t heads = 0, cycles = 0;
	};
	passage passed(unsigned router) const { return passed_[router]; }

	// Return the flits in the buffers of a router, or of one input port of it, and how many these hold.
	unsigned buffered(unsigned router) const;
	unsigned buffered(unsigned router, unsigned port) const { return ports_[first_port_[router] + port].buffered; }
	unsigned capacity(unsigned router) const;
	// Return the share that is full of all buffers of a router, and of those of its fullest input port.
	double occupancy(unsigned router) const { return double(buffered(router)) / capacity(router); }
	double fullest_port(unsigned router) const;

	// A movement is a flit that arrived at a buffer in the last cycle, for those who compare.
	struct movement {
		uint32_t port = 0; // number of the input port among all routers' ports; terminals follow
		uint32_t vc = 0;
		uint64_t tag = 0;
		bool head = false, tail = false;
		auto operator<=>(const movement &) const = default;
	};
	void movements(std::vector<movement> &out) const;

	// Checks the invariants, and throws std::logic_error that names what is broken.
	void check() const;

	// Where nothing moves, this returns channels of which each waits for the next, and the last one for one before
	// it or for nothing that this network knows of. It is empty where no packet waits.
	std::vector<std::string> waiting_chain() const;

	// Breaks something, for tests of check().
	enum class damage : uint8_t { lose_credit, lose_flit, second_owner };
	void hurt(damage d);

      private:
	static constexpr uint32_t no_packet = ~0u;
	static constexpr uint32_t no_vc = ~0u;
	static constexpr uint32_t no_port = ~0u;
	static constexpr unsigned max_ports = 16; // of a router

	struct pooled : packet {
		uint64_t arrived = 0;  // of the head, at the router where it is
		uint16_t received = 0; // flits
	};
	// A flit has the number of its packet, and says whether it is the first or the last one.
	struct flit {
		uint32_t packet : 30, head : 1, tail : 1;
	};
	struct alignas(8) input_vc {
		uint8_t first = 0, count = 0;
		bool active = false; // has an output VC
		uint8_t port = 0, vc = 0;
		uint8_t accept_port = 0, accept_vc = 0; // the allocator's pointer: next output VC of the router
	};
	struct output_vc {
		uint32_t owner = no_vc;
		uint8_t credits = 0;
		uint8_t grant = 0; // the allocator's pointer: next input VC of the router
	};
	// These are the input port and the output port of one number, with the pointers of both allocators: what a flit
	// that passes has to look at lies in one line of a cache.
	struct alignas(64) port {
		uint16_t requests[max_ports] = {}; // of this input, for each output: VCs with a flit for the switch
		uint32_t target = no_port;         // the port that the output leads to
		uint32_t upstream = no_port;       // the output that leads to the input
		uint32_t first = 0;                // port of the router
		uint16_t router = 0;
		uint16_t free = 0;   // output VCs that nobody owns
		uint16_t wanted = 0; // input ports with a flit for the switch to this output
		uint16_t wants = 0;  // outputs for which this input has a flit
		uint16_t buffered = 0;
		uint16_t flit_cycles = 0;   // from the switch, or the terminal, to where the output leads
		uint16_t credit_cycles = 0; // from a flit that leaves the input to what sent it
		uint8_t number = 0;         // in the router
		uint8_t switch_grant = 0, switch_accept = 0; // next input, next output
		uint8_t next_vc = 0;                         // of this input, for the switch
		uint8_t siblings = 1;                        // outputs to the same terminal from here
		bool shared = false;                         // the output's VCs, by all classes of routes
	};
	struct router_state {
		uint32_t first = 0; // port
		uint16_t ports = 0;
		uint16_t waiting = 0;    // outputs with input VCs that want a VC there
		uint16_t requesting = 0; // outputs with flits for the switch
	};
	// It is a set of up to 128 input VCs of one router.
	struct vc_set {
		uint64_t word[2] = {0, 0};
		bool empty() const { return (word[0] | word[1]) == 0; }
		bool one() const; // of a set that is not empty
		void add(unsigned i) { word[i >> 6] |= 1ull << (i & 63); }
		void remove(unsigned i) { word[i >> 6] &= ~(1ull << (i & 63)); }
		unsigned lowest() const;
		unsigned from(unsigned start) const; // round robin
		void without(const vc_set &o);
	};
	// This is what a terminal sends of one message class.
	struct sending {
		uint32_t packet = no_packet;
		uint16_t sent = 0; // flits of it
		uint8_t vc = 0, last_vc = 0;
	};
	struct sender {
		uint8_t last_class = 0;
		uint8_t busy = 0; // packets that it has
	};
	struct receiver {
		uint16_t waiting = 0; // VCs with flits that were not received at once
		uint16_t refused = 0; // VCs of classes that are not accepted
		uint8_t next_vc = 0;
	};
	struct arrival {
		uint32_t vc; // of a router's input, or a terminal's
		flit f;
	};
	// What arrives in the cycles to come, up to as many as there are places.
	template <typename T> class calendar
	{
	      public:
		void resize(size_t cycles, size_t most_a_cycle)
		{
			counts_.resize(cycles);
			items_.resize(cycles * most_a_cycle);
			most_ = most_a_cycle;
			mask_ = cycles - 1;
		}
		size_t cycles() const { return counts_.size(); }
		void add(uint64_t cycle, const T &item)
		{
			const size_t i = cycle & mask_;
			items_[i * most_ + counts_[i]++] = item;
		}
		std::span<const T> at(uint64_t cycle) const
		{
			const size_t i = cycle & mask_;
			return {&items_[i * most_], counts_[i]};
		}
		void clear(uint64_t cycle) { counts_[cycle & mask_] = 0; }

	      private:
		std::vector<uint32_t> counts_;
		std::vector<T> items_;
		size_t most_ = 0, mask_ = 0; // a power of 2 less 1
	};
	struct vc_grant {
		uint16_t input; // VC of the router
		uint8_t port, vc, vc_class;
	};
	// This is scratch of the router at hand.
	struct matching {
		vc_grant grants[128];
		unsigned count = 0;
	};

	void number_ports(const topology &t);
	void join(uint32_t output, uint32_t input, uint8_t cycles);
	void share_vcs();
	void allocate_memory();
	void deliver_credits();
	void deliver_flits();
	unsigned put(input_vc &in, uint32_t vc, flit f);
	void arrive(uint32_t vc, flit f);
	void hold(uint32_t vc, flit f);
	void send(unsigned terminal);
	bool has_vc(sending &s, unsigned terminal);
	void receive(uint32_t vc, flit f);
	void count_hop(unsigned router, pooled &p);
	void drain(uint32_t terminal_port);
	void run(router_state &r);
	void take(const router_state &r, const vc_grant &g);
	void allocate_vcs(router_state &r, matching &m);
	void allocate_vcs_islip(router_state &r, unsigned output, unsigned vc_class, uint32_t free, matching &m);
	void allocate_vcs_round_robin(router_state &r, unsigned output, unsigned vc_class, uint32_t free, matching &m);
	static unsigned accept_from(uint32_t vcs, const input_vc &in, unsigned output);
	void grant_vc(router_state &r, const vc_grant &g, bool move_pointers, matching &m);
	void allocate_switch(router_state &r);
	void pair_up(router_state &r, unsigned input, unsigned output);
	unsigned match_islip(router_state &r, uint8_t *output_of);
	unsigned match_round_robin(router_state &r, uint8_t *output_of);
	void traverse(router_state &r, unsigned input, unsigned output);
	void start(uint32_t vc);
	void request(uint32_t vc);
	void withdraw(uint32_t vc);
	uint32_t port_of(uint32_t vc) const { return vc >> vc_bits_; }
	uint32_t vc_of(uint32_t port, unsigned v) const { return (port << vc_bits_) + v; }
	// Returns the number of @vc among those of its port, and among those of its router's inputs.
	unsigned within_port(uint32_t vc) const { return vc & ((1u << vc_bits_) - 1); }
	unsigned within_router(uint32_t vc, const port &at) const { return vc - vc_of(at.first, 0); }
	flit &front(uint32_t vc) { return buffers_[vc * p_.depth + inputs_[vc].first]; }
	const flit &front(uint32_t vc) const { return buffers_[vc * p_.depth + inputs_[vc].first]; }
	// These are the class of VCs that a packet gets one of at an output, and the VCs of a class there. Where
	// classes of routes share VCs, the first one stands for all.
	unsigned class_at(const port &output, const packet &p) const
	{
		return p.message_class * route_classes_ + (output.shared ? 0 : class_of_route_[p.route]);
	}
	unsigned first_vc(unsigned vc_class) const { return vc_class * class_vcs_; }
	unsigned vcs_of_class(const port &output) const { return class_vcs_ * (output.shared ? route_classes_ : 1); }
	uint32_t free_vcs(const port &output, unsigned vc_class) const
	{
		return output.free & ((1u << vcs_of_class(output)) - 1) << first_vc(vc_class);
	}
	uint32_t waits_for(uint32_t vc) const;
	std::string name_of(uint32_t vc) const;
	void check_flits() const;
	void check_credits() const;
	void check_order() const;
	void check_owners() const;

	const parameters p_;
	const route_table routes_;
	unsigned route_classes_, classes_, class_vcs_;
	uint64_t now_ = 0;
	uint64_t flits_sent_ = 0, flits_received_ = 0, flits_switched_ = 0;
	unsigned held_ = 0;      // flits in the receivers' buffers
	uint32_t delivered_ = 0; // in the last cycle

	std::vector<uint32_t> first_port_; // of each router
	uint32_t router_ports_ = 0;        // of all routers; a port for each terminal's input and output follows
	unsigned vc_bits_ = 0;             // of a VC's number, which has that of its port above them
	std::vector<uint8_t> class_of_route_;
	std::vector<port> ports_;
	std::vector<router_state> routers_;
	std::vector<passage> passed_;
	std::vector<input_vc> inputs_;   // by VC number
	std::vector<output_vc> outputs_; // the same
	std::vector<flit> buffers_;      // depth a VC
	std::vector<vc_set> waiting_;    // output port * classes + class
	std::vector<uint32_t> home_;     // of a terminal: port of its output
	std::vector<sender> senders_;
	std::vector<sending> sending_;    // terminal * message classes + class
	std::vector<receiver> receivers_; // of ports behind the routers'
	calendar<arrival> flits_;
	calendar<uint32_t> credits_; // to output VCs
	std::vector<pooled> pool_;
	std::vector<uint32_t> free_packets_;
	std::vector<packet> received_;
};

} // namespace noc
