// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Private first-level caches above a shared second one in banks, kept coherent by a MESI directory beside each bank: it
// says which messages an access causes, and which of them wait for which. It has no clock: an access is over when the
// next one begins.
#pragma once

#include "noc/trace/netrace.h"

#include <cstdint>
#include <span>
#include <vector>

namespace noc
{

struct cache_options {
	unsigned cores = 64;       // at most 64, each with a bank beside it
	unsigned line = 64;        // bytes
	unsigned l1_bytes = 65536; // of each core
	unsigned l1_ways = 4;      // open in the thesis, as those of the second level
	unsigned l2_bytes = 16 << 20;
	unsigned l2_ways = 16;
	unsigned controllers = 8;
	// Cycles that an answer takes where the request has arrived.
	unsigned l1_cycles = 3, l2_cycles = 8, memory_cycles = 100;
};

struct coherence_message {
	traced_type type = traced_type::read_request;
	traced_node from_type = traced_node::l1_data, to_type = traced_node::l2;
	uint8_t from = 0, to = 0; // core, bank, or controller
	uint16_t delay = 0;       // cycles after the last of those it waits for
	// These messages of the same access must have arrived first; an access' first messages wait for none.
	uint16_t first_waited = 0, waited = 0;
	uint64_t line = 0;

	bool operator==(const coherence_message &) const = default;
};

class caches
{
      public:
	explicit caches(const cache_options &o);

	enum class outcome : uint8_t { hit, miss };
	// The core goes on when the last of messages() has arrived, if it was a miss.
	outcome access(unsigned core, uint64_t line, bool write);
	std::span<const coherence_message> messages() const { return messages_; }
	std::span<const uint16_t> waited(const coherence_message &m) const
	{
		return std::span(waited_).subspan(m.first_waited, m.waited);
	}

	unsigned bank_of(uint64_t line) const { return unsigned(line % o_.cores); }
	unsigned controller_of(uint64_t line) const { return unsigned(line / o_.cores % o_.controllers); }

	enum class state : uint8_t { invalid, shared, exclusive, modified };
	state of(unsigned core, uint64_t line) const;
	bool in_second_level(uint64_t line) const;
	// Throws std::logic_error where two caches disagree, or the directory with them.
	void check() const;

      private:
	struct entry {
		uint64_t line = 0, used = 0; // 0: free
		state what = state::invalid;
	};
	struct shared_entry {
		uint64_t line = 0, used = 0;
		uint64_t sharers = 0; // cores that have it
		bool dirty = false;
	};
	const entry *find(unsigned core, uint64_t line) const;
	entry *find(unsigned core, uint64_t line);
	const shared_entry *find_shared(uint64_t line) const;
	shared_entry *find_shared(uint64_t line);
	entry &make_room(unsigned core, uint64_t line);
	shared_entry &make_shared_room(uint64_t line, uint16_t asked);
	shared_entry &bring(uint64_t line, uint16_t &after);
	void recall(shared_entry &e, unsigned except, bool all, std::vector<uint16_t> &after);
	uint16_t say(traced_type type, traced_node from_type, unsigned from, traced_node to_type, unsigned to,
		     uint64_t line, unsigned delay, std::span<const uint16_t> after);

	const cache_options o_;
	unsigned l1_sets_, l2_sets_;
	uint64_t clock_ = 0;
	std::vector<entry> l1_;        // core, set, way
	std::vector<shared_entry> l2_; // bank, set, way
	std::vector<coherence_message> messages_;
	std::vector<uint16_t> waited_;
};

} // namespace noc
