// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Memory-aware throttling, after ETC (Li and others, ASPLOS 2019): where the data of all processors together thrash the
// memory, some of them stop, as many as let the others' data stay. This says which. It knows no clock and no device;
// the caller serialises, and tells the time.
//
// Half of the units stop at first. Then phases follow each other in turns. A detection phase ends after its time, if
// nothing faulted, and the unit that has stopped last goes on; or at the first fault: when that is served, the unit
// that faulted stops if something was evicted since the phase began. In an execution phase nothing changes.
#pragma once

#include <cstdint>
#include <vector>

namespace het::rt
{

class throttle
{
      public:
	struct settings {
		uint64_t detection = 0, execution = 0; // how long the phases take
		unsigned down = 1, up = 1;             // units that stop and go on at once
		unsigned least = 1;                    // units that always run
		bool adapts = true;                    // false: half of them stop, for good
	};
	// Units are numbered from 0; what they are (processors, blocks or warps of each processor) is the caller's.
	throttle(unsigned units, const settings &s, uint64_t now);

	bool runs(unsigned unit) const { return running_[unit]; }
	unsigned running() const { return count_; }
	unsigned size() const { return unsigned(running_.size()); }

	// Returns how often a unit has stopped or gone on.
	uint64_t changes() const { return changes_; }

	// A unit has met data that are not there.
	void faulted(unsigned unit, uint64_t now);
	// Data had to leave for what a fault wants.
	void evicted();
	// What a unit has faulted on is there.
	void served(unsigned unit, uint64_t now);
	// Returns when the phase ends if nothing happens; it is `never` while a fault is waited for.
	uint64_t ends() const { return ends_; }
	// It is @now, which may be any time at all: a phase may end.
	void look(uint64_t now);

	static constexpr uint64_t never = ~uint64_t{0};

      private:
	enum class phase : uint8_t { detection, service, execution };
	void begin(phase p, uint64_t ends);
	void stop(unsigned unit);
	void go_on();

	const settings s_;
	std::vector<bool> running_;
	std::vector<unsigned> stopped_; // the last one stopped last
	unsigned count_;
	uint64_t changes_ = 0;
	phase phase_ = phase::detection;
	uint64_t ends_ = never;
	unsigned faulted_ = 0; // whose fault has ended the detection phase
	bool evicted_ = false; // since the detection phase began
};

} // namespace het::rt
