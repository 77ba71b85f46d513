// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Knows the ways through a function: its basic blocks, its loops, and which blocks run only if a branch goes their way.
// Statements are numbered within the body.
#pragma once

#include "ptx/module.h"

#include <map>
#include <string_view>
#include <vector>

namespace het::ptx
{

// Control leaves a block at its end alone, and comes in at its begin.
struct basic_block {
	uint32_t first = 0, end = 0;
	std::vector<uint32_t> next, before; // blocks that follow, and those that this one follows
	bool leaves = false;                // some or all threads may end here, or return
};

class control_flow
{
      public:
	control_flow(const module &m, const function &f);

	const std::vector<basic_block> &blocks() const { return blocks_; }
	uint32_t block_of(uint32_t statement) const { return block_of_[statement]; }

	// Returns the labels that a branch behind them goes to: every way that comes to its begin again passes one.
	const std::vector<uint32_t> &loop_headers() const { return headers_; }
	// Returns the last statement that goes back to such a label.
	uint32_t last_of_loop(uint32_t header) const { return last_back_.at(header); }

	// Tells for each block whether a thread that is in @from can come there, @from itself only if it can come back.
	std::vector<bool> reached_from(uint32_t from) const;
	// Tells the same of ways that come through none of @barred.
	std::vector<bool> reached_from(uint32_t from, const std::vector<bool> &barred) const;

	// Returns whether a thread that leaves @block can come back to it without coming to one of @barred.
	bool comes_back(uint32_t block, const std::vector<bool> &barred) const;

	// Returns for each block those that decide whether it runs, by the way that they take at their end. The ways
	// into the blocks of @without don't count.
	std::vector<std::vector<uint32_t>> deciders(const std::vector<bool> &without) const;
	// Returns for each block the nearest one that all ways from it pass, without the ways into the blocks of
	// @without; one more than the last block stands for the end of the thread, and no_index says that a loop
	// without an end lies between.
	std::vector<uint32_t> nearest_common(const std::vector<bool> &without) const;

      private:
	struct place {
		uint32_t statement, scope;
	};
	void find_labels();
	void find_blocks();
	void connect();
	void edge(uint32_t from, uint32_t to);
	uint32_t target_of(const statement &s, std::string_view label) const;
	std::vector<uint32_t> targets_of(uint32_t n) const;
	std::vector<uint32_t> ways_from(uint32_t block, const std::vector<bool> &without) const;
	std::vector<bool> endless(const std::vector<bool> &without) const;

	const module &m_;
	const function &f_;
	std::map<std::string_view, std::vector<place>> labels_;
	std::vector<span> indexed_;
	std::vector<basic_block> blocks_;
	std::vector<uint32_t> block_of_;
	std::vector<uint32_t> headers_;
	std::map<uint32_t, uint32_t> last_back_;
};

} // namespace het::ptx
