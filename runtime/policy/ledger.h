// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The ledger keeps the books of one launch that is shared: which rows are with whom, which of those that are done
// count, and which are for others to do again. It knows no device, no clock and no lock; the caller serialises.
//
// Each row counts once in the end, or the launch fails: a block that has ended counts, is given back, or has failed;
// rows that were given back go out again before new ones do.
#pragma once

#include "policy/policy.h"

#include <cstdint>

namespace het::rt
{

// A block has such an entry, which the caller keeps as long as the ledger.
struct ledger_entry {
	unsigned member;
	rows what;
	ledger_entry *next = nullptr; // was entered before
	enum : uint8_t { under_way, counts, given_back, done_again, failed } state = under_way;
};

class ledger
{
      public:
	static constexpr unsigned most = 32; // the number of members

	struct member {
		unsigned under_way;
		double rows, seconds; // what it has done, and how long it was busy
		uint64_t last_end;
		bool out; // true once it has failed
	};

	// A failure may leave its work to others, which had not been found out before (first) or had (known); or nobody
	// can do it (final).
	enum class loss : uint8_t { first, known, final };

	// @is_repeatable says that what blocks began with is somewhere still when they have counted.
	void open(std::unique_ptr<policy> p, unsigned members, bool is_repeatable);

	// Returns what the member is to do next, if it has less than @room under way; a count of 0 means nothing.
	rows next(unsigned member, unsigned room);
	void enter(ledger_entry &e);

	// The block has ended. One of the three calls below must follow.
	void end(ledger_entry &e);
	void count(ledger_entry &e, uint64_t began_ns, uint64_t now_ns);
	void give_back(ledger_entry &e);
	void fail(ledger_entry &e) { e.state = ledger_entry::failed; }

	// The member does no more. @again says that others may do the block that has shown it, @keeps_results that what
	// it has done counts still.
	loss lose(unsigned member, bool again, bool keeps_results);

	const member &of(unsigned number) const { return members_[number]; }
	unsigned under_way() const { return under_way_; }
	// Returns how many blocks have ended, however.
	uint64_t ended() const { return ended_; }
	bool any_counts(unsigned member) const;
	// Returns the longest time to expect by this launch: inputs differ, and so do devices. Returns 0 if nothing is
	// known.
	double longest_expected(size_t rows) const;

      private:
	rows take_returned();

	std::unique_ptr<policy> policy_;
	member members_[most] = {};
	unsigned nmembers_ = 0;
	bool is_repeatable_ = false;
	ledger_entry *entries_ = nullptr; // all there ever were
	unsigned under_way_ = 0;
	unsigned returned_ = 0; // counts those that were given back, and nobody has yet
	uint64_t ended_ = 0;
};

} // namespace het::rt
