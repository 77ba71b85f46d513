// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests of the pass checkpoint stop kernels with this, at a look of their choice, and let them go on.
#pragma once

#include "ptx/passes/checkpoint_report.h"
#include "stage.h"

#include <set>

namespace het::ptx
{

// Has an example whose text was made by the pass, ready to run any number of times.
class stopped_example
{
      public:
	stopped_example(const simt::example &e, const std::string &text, const checkpoint_report &report,
			const simt::options &with);

	// Runs all blocks. They are told to stop when the warps of the first launch have looked so often, and so for
	// each later one, of what was left and stopped, as long as the list goes. Stops are announced when the warps
	// have looked as often as the other list says. Returns the first error or finding, or nothing.
	std::string run(const std::vector<uint64_t> &looks, const std::vector<uint64_t> &announced = {});

	const std::vector<std::vector<uint8_t>> &buffers() const { return stage_.buffers; }
	const simt::stage &on() const { return stage_; }

	uint64_t looks = 0;               // counts those of the last run's first launch
	uint64_t stops = 0;               // counts contexts of blocks that were stopped, over all runs
	uint64_t left = 0;                // counts blocks that had not begun
	uint64_t unbegun = 0;             // counts contexts of blocks that were to go on and had not begun
	uint64_t bases = 0;               // counts contexts with a base, of blocks that were stopped
	uint64_t stop_bytes = 0;          // sums up what blocks saved when they stopped
	uint64_t rounds = 0;              // counts the times that the last run was stopped
	std::vector<uint64_t> stopped_at; // counts threads by stop point
	bool begins_again = false;        // blocks that stopped begin anew as well, which must not be
	uint64_t limit;                   // how many contexts there are
	uint32_t lead_ns = 1000;          // of announcements
	uint32_t base_limit = 1u << 30;
	uint32_t block_ns = 0;

      private:
	struct moments {
		uint64_t announced, told;
	};
	std::string launch(const simt::code *kernel, const std::vector<uint64_t> &list, moments when);
	void look();
	std::vector<uint64_t> stopped_contexts();
	void begin_again();

	const simt::example &e_;
	simt::stage stage_;
	const simt::code *new_, *resumed_;
	std::vector<checkpoint_control> control_{1};
	std::vector<checkpoint_line> line_{1};
	std::vector<uint64_t> left_, list_, stopped_blocks_;
	std::set<uint64_t> resumed_contexts_; // had a launch of their own since the last stop
	uint64_t line_address_, list_address_, contexts_, context_bytes_, seen_ = 0;
	moments when_{};
	// The module's variables as they were.
	std::vector<std::pair<uint64_t, std::vector<uint8_t>>> variables_;
};

} // namespace het::ptx
