// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures what one host touch on a device-resident chunk costs, in a process of its own for each trap.
#pragma once

#include "common/child.h"

#include <cstddef>
#include <string>
#include <vector>

namespace bench
{

// A subject serves the touches. One process can have one of them.
struct touch_subject {
	std::string device;            // "host", "opencl0", ...
	std::string trap;              // "uffd", ...
	std::string spin = "adaptive"; // "always", "never"

	bool operator==(const touch_subject &) const = default;
	std::string name() const { return device + "/" + trap + (spin == "adaptive" ? "" : "-spin-" + spin); }
};

// Returns the traps that gpuvm_init() offers to a benchmark, slowest first.
const std::vector<std::string> &trap_names();
// Return the flags of gpuvm_init() for names of traps, and of ways to spin: "adaptive", "always", "never".
int trap_flag(const std::string &name);
int spin_flag(const std::string &name);

// A cell has the circumstances of a touch.
struct touch_cell {
	size_t size;            // size of the array
	unsigned live;          // so many threads work 10 µs and sleep 1 ms
	unsigned busy;          // so many threads never sleep
	bool by_system = false; // write(2) touches in the program's place

	bool operator==(const touch_cell &) const = default;
	std::string name() const;
};

// Holds the samples of one batch, in µs.
struct touch_samples {
	std::vector<double> touch;       // first read of a chunk that the device has just written
	std::vector<double> raw;         // blocking read of as many bytes by the device's own call, just after a kernel
	std::vector<double> first_write; // first write of a page of anonymous memory
	size_t fetched = 0;              // bytes that one touch brought
};

// Runs in the child process, and starts the library for the subject. Throws if the trap can't be had.
answer_fn start_touch_session(const touch_subject &subject);

// Waits until such a child is ready. Returns the trap and why it is this one. Throws if the trap can't be had.
json greet_touch_session(child &session);

// Asks such a child for one batch: @samples of each kind, fewer if they take longer than @seconds.
touch_samples ask_touch_session(child &session, const touch_cell &cell, unsigned samples, double seconds);

} // namespace bench
