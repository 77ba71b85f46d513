// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The moment of a write with launches: of the commands that use the items, those that have begun are over at that
// moment, and those that have not are the file's.
//
// It begins with the call. What uses the items and has not begun is *held back*: it comes as far as its executor, which
// sets it aside. The cut waits for what has begun. When it has read the items, all that is held back goes on. Commands
// that are added meanwhile have the cut before them, as always; but between the two steps of the call they are none of
// the file's, and only held back.
// So at the cut all commands that have been at the items have ended, with all that those waited for; none of the others
// has changed a byte of them.
//
// Why nobody waits for ever: what the cut waits for has begun, so it waits for nothing that is held back, which has
// not. What is set aside has no memory of a device, and stands in no line for it.
#pragma once

#include "core/item_ranges.h"
#include "core/numbered_events.h"

namespace het::rt
{

class checkpoint_moment final : public overtaking
{
      public:
	checkpoint_moment() = default;
	checkpoint_moment(const checkpoint_moment &) = delete;
	checkpoint_moment &operator=(const checkpoint_moment &) = delete;
	~checkpoint_moment();

	// Holds back what uses the items, whose bytes are those of @accesses, but for their edges, and finds what of it
	// is to be in the file. Returns 0 or a code: there is something that can't be.
	int begin(std::span<const access_entry> accesses, const item_ranges &items);
	uint64_t begun_at() const { return begun_at_; }
	// The items have been read, or will not be: what is held back goes on. No lock is held.
	void end();

	// These are commands for the file, each behind those that it waits for.
	size_t ncommands() const { return order_.size(); }
	het_event &command(size_t i) const { return order_[i]; }
	// It is one of those that use the items; the others only stand between two such.
	bool is_launch(size_t i) const { return is_launch_[i]; }
	// Returns the numbers of those that it waits for.
	std::span<const uint32_t> before(size_t i) const
	{
		const size_t first = i ? ends_[i - 1] : 0;
		return {before_.get() + first, ends_[i] - first};
	}

	bool waits_for(node &user) override;
	bool lacks_room() const override { return lacks_room_; }
	bool make_room() override;

      private:
	enum class refusal : uint8_t { none, no_room, user_event, mapping, other };
	struct step {
		het_event *e;
		size_t next_edge;
	};

	bool allocate(size_t n);
	bool wait_for(het_event &e);
	bool hold_back(het_event &e);
	bool is_for_file(const het_event &e) const;
	refusal check(const het_event &e) const;
	refusal note(het_event &e);
	refusal go_through(het_event &e);
	refusal collect(std::span<const access_entry> accesses);
	static int say(refusal why);
	void forget_found();

	uint64_t begun_at_ = 0;
	const item_ranges *items_ = nullptr;
	// The graph's lock guards what follows until begin() has returned; but held_, until end(). Sets have
	// references.
	numbered_events begun_, held_, order_;
	std::unique_ptr<size_t[]> ends_; // of what each waits for, in before_
	std::unique_ptr<uint32_t[]> before_;
	std::unique_ptr<bool[]> is_launch_;
	std::unique_ptr<step[]> path_;
	bool lacks_room_ = false;
};

} // namespace het::rt
