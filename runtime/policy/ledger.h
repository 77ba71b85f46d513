// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The ledger keeps the books of one launch that is shared: which rows are with whom, which of those that are done
// count, and which are for others to do again. It knows no device, no clock and no lock; the caller serialises.
//
// Each row counts once in the end, or the launch fails: a block that has ended counts, is given back, or has failed;
// rows that were given back go out again before new ones do.
//
// A member that has ended a block gets no other one if those that are at work will have done all that is left before it
// could do the smallest, and that is a large part of all: so a slow one does not keep all others waiting. And when
// nothing is left who has nothing takes rows back from a block that has not begun, whose device is busy with something
// else: when any block has ended, or could not begin. A row is taken back once at most.
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
	// It is empty when all its rows were taken back before it began.
	enum : uint8_t { under_way, counts, given_back, done_again, failed, empty } state = under_way;
	bool has_begun = false;      // nothing can be taken back
	bool was_taken_back = false; // from another member, and stays with this one
	uint64_t given_ns = 0, begun_ns = 0;
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
	rows next(unsigned member, unsigned room, uint64_t now_ns);
	// These are rows that a member has taken from a block, which may be empty now; or there is no such block.
	struct taking {
		ledger_entry *from = nullptr;
		unsigned by = 0;
		rows what = {0, 0};
	};
	// A block has ended, and nothing is left: a member without a block takes rows back, @first, who has ended it,
	// before others. Call it again until nobody takes any, and enter what was taken before.
	taking take_back(unsigned first, uint64_t now_ns);
	void enter(ledger_entry &e, uint64_t now_ns);

	// The block begins: from now on its rows are its own. It is false if it has none left.
	bool begin(ledger_entry &e, uint64_t now_ns);
	// It could not begin after all, so a member without a block may take rows of it.
	taking put_off(ledger_entry &e, uint64_t now_ns);
	// The block has ended. One of the four calls below must follow.
	void end(ledger_entry &e);
	void drop_empty(ledger_entry &e) { e.state = ledger_entry::empty; }
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
	// What of the launch is not done, by what is known of the members' speeds.
	struct rest {
		double rows = 0;     // that nobody does, or another member than the one who asks
		double together = 0; // of these, the speeds of those that are at work
		double own = 0;      // rows that the one who asks has
	};

	template <class F> void for_under_way(F f) const;
	static double rows_left_of(const ledger_entry &e, double speed, uint64_t now_ns);
	rest rest_beside(unsigned member, uint64_t now_ns) const;
	bool others_are_sooner(unsigned member, uint64_t now_ns) const;
	bool may_take(const ledger_entry &e, unsigned member, uint64_t now_ns, bool at_once) const;
	bool has_nothing(unsigned member) const;
	taking take_from(ledger_entry &e, unsigned member);
	bool is_anyone_at_work() const;
	rows take_returned();

	static constexpr double large_part = 0.1;

	std::unique_ptr<policy> policy_;
	size_t total_ = 0;
	member members_[most] = {};
	unsigned nmembers_ = 0;
	bool is_repeatable_ = false;
	ledger_entry *entries_ = nullptr; // all there ever were
	unsigned under_way_ = 0;
	unsigned returned_ = 0; // counts those that were given back, and nobody has yet
	size_t returned_rows_ = 0;
	uint64_t ended_ = 0;
};

} // namespace het::rt
