// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The network once more, slow and plain: every cycle each router is looked at whole, requests are matrices of booleans,
// and the allocators are loops over them. What the fast one does has to be the same, flit by flit.
#pragma once

#include "noc/network.h"

#include <deque>
#include <map>
#include <memory>

namespace noc::test
{

class reference
{
      public:
	reference(const topology &t, const route_table &routes, const parameters &p);

	bool can_inject(unsigned terminal, unsigned message_class) const;
	void inject(const packet &p);
	void step();
	// As network::movements(), of the last cycle.
	std::vector<network::movement> movements() const;
	std::vector<packet> received() const { return received_; }

      private:
	using shared_packet = std::shared_ptr<packet>;
	struct flit {
		shared_packet of;
		unsigned number;
		bool head() const { return number == 0; }
		bool tail() const { return number + 1 == of->length; }
	};
	enum class state : uint8_t { idle, waiting, active };
	struct input {
		std::deque<flit> buffer;
		state is = state::idle;
		unsigned port = 0, vc = 0;    // of the output
		std::deque<uint64_t> arrived; // of the heads
	};
	struct output {
		unsigned credits = 0;
		bool taken = false;
	};
	struct end {
		int router = -1, terminal = -1;
		unsigned port = 0; // of the router; of the terminal, which of its ejections
	};
	struct side {
		std::vector<input> in;
		std::vector<output> out;
		end to, from;
		unsigned to_cycles = 0, from_cycles = 0;
		bool leads = false, led = false;
		unsigned grant = 0, accept = 0, turn = 0;
		unsigned ejections = 1;
	};
	struct node {
		std::vector<side> ports;
		std::vector<unsigned> vc_grant, vc_accept;
	};
	struct source {
		side line;
		std::map<unsigned, std::deque<flit>> packets;
		std::map<unsigned, unsigned> vc, last_vc;
		unsigned last_class = 0;
	};
	using grants = std::vector<std::pair<unsigned, unsigned>>;
	using matrix = std::vector<std::vector<bool>>;

	// Whether packets like @p may have @vc of an output whose VCs all classes of routes share, or don't.
	bool may_have(const packet &p, unsigned vc, bool shared) const;
	void arrive(const end &at, unsigned vc, const flit &f);
	void credit(const end &at, unsigned vc);
	void send(unsigned terminal);
	void wait(unsigned router, input &in);
	void run(unsigned router);
	void traverse(unsigned router, unsigned in_port, unsigned out_port);
	grants match(const matrix &requests, std::vector<unsigned *> grant, std::vector<unsigned *> accept,
		     allocator how) const;

	const topology t_;
	const route_table routes_;
	const parameters p_;
	uint64_t now_ = 0;
	std::vector<node> routers_;
	std::vector<source> sources_;
	struct moving {
		end to;
		unsigned vc;
		flit f;
	};
	std::multimap<uint64_t, moving> flits_;
	std::multimap<uint64_t, std::pair<end, unsigned>> credits_;
	std::vector<network::movement> movements_;
	std::vector<packet> received_;
};

} // namespace noc::test
