// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Checkpoint files are written and restored by commands.
//
// A write is two nodes of the graph. The *cut* reads the items: it has its place among the commands as a copy would, so
// what it finds is what all commands before it have left, and commands behind it that write the items wait. It looks
// for what has changed, and copies that. When the cut has finished those go on; the program's event is a second node,
// which follows the cut and finishes when the file holds what was copied. Later commands of an in-order queue do not
// wait for that one (node::aside).
// With launches, the cut has no place among the commands but goes before those that have not begun
// (core/checkpoint_moment.h), which are described for the file meanwhile.
// A restore is one command, which writes the items. The launches of a file are added behind it by the call.
// One thread does all of it, in the order in which they become ready: so a cut never finds the file half written.
#pragma once

#include "core/checkpoint_moment.h"
#include "core/checkpoint_store.h"
#include "core/event.h"
#include "core/memory.h"

struct het_checkpoint final : het::rt::object {
	het::rt::checkpoint_store store;

	// These are of the last write that has finished. The lock's rank is leaf.
	struct figures {
		uint64_t written, pause_ns, compared;
	};
	figures last()
	{
		het::runtime_guard g(lock_);
		return last_;
	}
	void note(const figures &f)
	{
		het::runtime_guard g(lock_);
		last_ = f;
	}

	// --- the thread that runs the commands has these ---

	// The file holds the bytes of these places, as they were at the moment (memory/changes.h).
	struct place {
		char name[het::checkpoint::most_name + 1];
		het::range bytes;
	};
	std::unique_ptr<place[]> places;
	size_t nplaces = 0;
	uint32_t moment = 0;

      private:
	het::futex_lock lock_;
	figures last_ = {};
};

namespace het::rt
{

// This is what a command does with items. One thread runs it.
class checkpoint_command : public het_event
{
      public:
	checkpoint_command(het_queue *q, het_checkpoint &c) : het_event(q), file(reference<het_checkpoint>::to(&c)) {}
	bool is_empty() const override { return false; }
	begin_result begin(executor &) override;
	virtual void run() = 0;

      protected:
	// Since then others may have waited for it.
	uint64_t begun_at() const { return begun_at_; }
	// Takes over items that were checked, which @access is done with. Returns 0 or a code.
	int take_items(const char *call, const het_checkpoint_args &args, uint32_t access);

	using item = het_checkpoint::place;
	std::span<const item> items() const { return {items_.get(), nitems_}; }
	// The file holds what these places had at the moment.
	void leave_places(uint32_t moment);

	// The program is about to hear of the end, and may free what it has named. The command has left the graph's
	// order.
	void let_go_of_items() { objects_.reset(); }

	// Who hears that the last command on a file is over may open it anew: this is given back before.
	reference<het_checkpoint> file;

      private:
	std::unique_ptr<item[]> items_;
	std::unique_ptr<reference<het_memory>[]> objects_;
	std::unique_ptr<access_entry[]> entries_;
	size_t nitems_ = 0;
	uint64_t begun_at_ = 0;
};

class checkpoint_cut final : public checkpoint_command
{
      public:
	// @done is the program's event.
	checkpoint_cut(het_checkpoint &c, het_event &done)
	    : checkpoint_command(nullptr, c), done_(reference<het_event>::to(&done))
	{
	}
	int take(const het_checkpoint_args &args);
	// Finds launches, and holds back what uses the items, until it has finished. Returns 0 or a code.
	int take_launches(const het_checkpoint_args &args);
	overtaking &moment() { return *moment_of_launches_; }
	void run() override;
	void after(int status) override;

      private:
	int add_items(checkpoint::generation_writer &w);
	int put_launches(checkpoint::generation_writer &w);
	bool is_where_it_was(const item &i) const;
	int compare(checkpoint::generation_writer &w, uint32_t number, const checkpoint::item *old, size_t at,
		    size_t n);
	int put(checkpoint::generation_writer &w, uint32_t number, uint64_t *compared);
	int cut(checkpoint::generation_writer &w, uint64_t *compared);
	uint64_t room() const;
	int write(het_checkpoint::figures &f);

	const reference<het_event> done_;
	uint64_t memory_ = 0;
	uint32_t moment_ = 0;
	std::unique_ptr<std::byte[]> copy_;
	std::unique_ptr<checkpoint_moment> moment_of_launches_;
	reference<stored_launches> launches_;
};

class checkpoint_restore final : public checkpoint_command
{
      public:
	checkpoint_restore(het_queue &q, het_checkpoint &c) : checkpoint_command(&q, c) {}
	int take(const het_checkpoint_args &args);
	// The launches of this generation are given back as well.
	void take_launches_of(uint64_t generation)
	{
		has_launches_ = true;
		generation_ = generation;
	}
	void run() override;

      private:
	int check_launches();
	int check_items();
	int restore();

	bool leaves_launches_ = false, has_launches_ = false;
	uint64_t generation_ = 0;
};

// The thread that runs them is there. It is false if none can be had.
bool start_checkpoints();

} // namespace het::rt
