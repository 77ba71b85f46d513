// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Foretells what the host will touch after a kernel from what it touched after those before. This is pure. Callers hold
// the array's lock.
//
// Two questions are answered apart. Whether the host will touch anything of the array after this end of a kernel: from
// the ends of the same kernel before, the newest 32, by the period that explains most of them. And which chunks that
// would be: those that were touched each time of late. A kernel is what has the same name; the caller makes it of what
// tells his kernels apart.
//
// Chunks that are expected come home at the end and stay mapped, so that no touch of them is seen any more. So one of
// each group of neighbours, another each time, is taken away as if nothing were expected: at the first end that
// foresees, as not all that a read-ahead has shown was touched; then after 8 of them; and less often as the answers
// agree, after an eighth of all that was confirmed, so that what is brought in vain when the host stops is an eighth of
// what was of use at the most. If nobody touches that chunk, its whole group is taken away at the next end, and asked
// one by one. Between these a single chunk is a probe, as often as that costs little beside the copies: if nobody
// touches it, the groups are asked at the next end, so that a host that stops gets a large part in vain a few times
// only. Where the system can tell what the host does with pages that it may use, chunks are asked in place: they come
// home with the others, and all that asking costs is a fault that waits for nobody. Then the groups are asked as often
// as that costs little, however much was confirmed. Answers also make the budget: where what seems to have come in vain
// is more than a tenth of what was of use, and more than half of the array, that is left alone for 16 ends, then 32,
// and so on.
#pragma once

#include <cstdint>

namespace het
{

enum class expectation : uint8_t { nothing, read, write };

// Each chunk has such a word.
struct chunk_history {
	enum flag : uint8_t {
		was_read = 1,
		was_written = 2,
		is_shown_read = 4,
		is_shown_write = 8,
		is_asked = 16,
		is_doubted = 32
	};

	uint16_t scores; // four bits a kernel: in how many of its intervals of late it was touched (2), and written (2)
	uint8_t flags;
	uint8_t kernel; // 1 + the one that was the last to write it; 0: none
};

// A chunk costs so many nanoseconds. Where nothing is measured, the figures are those of the machines that the library
// was measured on.
struct foresight_costs {
	uint64_t page_taken = 200, page_shown = 400;
	uint64_t touch = 15000; // from the fault until the toucher goes on; of a probe, too
	uint64_t fault = 1500;  // of a chunk that is asked in place: the kernel shows it
	uint64_t copy_64k = 6500;
};

// Touches are foretold in one of these ways. All but off and learned are for tests: eager learns, whatever the copies
// cost; always and random know nothing.
enum class foresight_kind : uint8_t { off, learned, eager, always, random };

constexpr bool learns(foresight_kind k)
{
	return k == foresight_kind::learned || k == foresight_kind::eager;
}

class foresight
{
      public:
	// @chunks is zeroed memory for @count of them, which have @pages each. @asks_in_place: the caller can find out
	// what the host does with chunks that it may use.
	void open(chunk_history *chunks, uint32_t count, uint32_t pages, uint32_t bytes, foresight_kind kind,
		  bool asks_in_place = false);

	// The host has touched chunks that it could not use so before, and they were shown in one go.
	void touched(uint32_t first, uint32_t count, bool write);

	// Tells how much of what came home was of use, as far as asking tells, in chunks.
	struct verdict {
		uint64_t used, in_vain;
	};
	// A kernel that wrote these chunks has ended, after @unseen others with its name between which nobody touched
	// the array. What the host did since is learned; then expects() tells of each chunk of [first, last) what to
	// do, which is nothing unless @may.
	verdict kernel_ended(uint64_t name, uint32_t first, uint32_t last, uint32_t unseen, bool may);
	expectation expects(uint32_t c) const
	{
		uint8_t f = chunks_[c].flags;
		return f & chunk_history::is_shown_write  ? expectation::write
		       : f & chunk_history::is_shown_read ? expectation::read
							  : expectation::nothing;
	}
	// Returns whether the chunk is asked and comes home all the same. What the host does with it from this end on,
	// the caller tells by answer() before the next one.
	bool is_asked_in_place(uint32_t c) const
	{
		return chunks_[c].flags & chunk_history::is_asked && expects(c) != expectation::nothing;
	}
	// False: it is not true of any chunk.
	bool any_asked_in_place() const { return asks_in_place_ && is_asked_; }
	// The system has told what the host did with a chunk that it could use, asked or not.
	void answer(uint32_t c, expectation used);
	// Returns whether anything is expected of [first, last).
	bool any_expected() const { return expected_; }
	// All chunks that are expected lie in [first_expected(), last_expected()).
	uint32_t first_expected() const { return first_expected_; }
	uint32_t last_expected() const { return last_expected_; }
	// The chunk was taken from the host all the same.
	void was_taken(uint32_t c);
	// Returns how many kernels have ended.
	uint32_t ends() const { return ends_; }
	// Returns how many ends of the kernel that ended last can pass unseen if nobody touches the array meanwhile.
	uint32_t ends_until_next() const;

	// A foreseen copy of so many bytes has taken so long.
	void copied(uint64_t bytes, uint64_t ns);
	// A touch takes so long on average.
	void touch_takes(uint64_t ns) { costs_.touch = ns; }

      private:
	static constexpr unsigned most_kernels = 4;

	// Remembers a kernel that has ended here before.
	struct kernel {
		uint64_t name;
		uint32_t intervals; // the newest in the lowest bit: the host has touched something until the next end
		uint8_t known;      // of them
		bool touched, foresaw;
		bool probes, suspects;    // a chunk is a probe now; nobody has touched the last one
		uint16_t asked, answered; // chunks that were taken away to ask, and those of them that were touched
		uint32_t uses;            // since it was asked
		uint32_t unprobed;        // ends since then, or since there was a probe
		uint32_t confirmed;
		uint32_t age;
	};

	kernel &find(uint64_t name);
	void end_interval(kernel &k, uint32_t unseen);
	void judge(uint32_t first, uint32_t last, verdict &v);
	void learn(chunk_history &h);
	// Expects nothing if not @any.
	void expect(kernel &k, uint32_t first, uint32_t last, bool any);
	void ask_groups(kernel &k, uint32_t first, uint32_t last);
	void probe(kernel &k, uint32_t first, uint32_t last);
	bool ask_one(uint32_t first, uint32_t last, uint64_t turn);
	uint64_t ask_cost() const;
	uint32_t ends_between(uint64_t asked) const;
	uint32_t uses_until_asked(const kernel &k) const;
	expectation guess(const chunk_history &h, unsigned k);
	bool is_worth_it() const;
	void count(verdict v);
	uint32_t group_begin(uint32_t c) const { return c - c % group_; }

	chunk_history *chunks_ = nullptr;
	uint32_t count_ = 0, pages_ = 1, bytes_ = 0, group_ = 1;
	foresight_kind kind_ = foresight_kind::off;
	uint32_t expected_ = 0, first_expected_ = 0, last_expected_ = 0; // chunks, after the end that was last
	bool is_asked_ = false, asks_in_place_ = false;
	uint8_t last_ = 0; // the kernel that ended last
	foresight_costs costs_;
	kernel kernels_[most_kernels] = {};
	uint32_t ends_ = 0, asks_ = 0, probes_ = 0;
	// Count touches, and the chunks that they brought, of late.
	uint32_t touches_ = 0, brought_ = 0;
	// Count chunks, of late.
	uint64_t used_ = 0, in_vain_ = 0;
	uint32_t rest_ = 0, next_rest_ = 0;
	uint64_t random_ = 1;
};

// Returns whether the next bit of a history is expected to be set. The newest bit is the lowest, and @known of them are
// real. Only tests call this from outside.
bool continues_with_one(uint32_t history, unsigned known);

} // namespace het
