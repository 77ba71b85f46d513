// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What one host touch on a device-resident chunk costs: the measurement itself, which runs in a process of its
// own for each trap.
#pragma once

#include "common/child.h"

#include <cstddef>
#include <string>
#include <vector>

namespace bench
{

// Who serves the touches. One process can have one of them.
struct touch_subject {
	std::string device;            // "host", "opencl0", ...
	std::string trap;              // "uffd", ...
	std::string spin = "adaptive"; // "always", "never"

	bool operator==(const touch_subject &) const = default;
	std::string name() const { return device + "/" + trap + (spin == "adaptive" ? "" : "-spin-" + spin); }
};

// The traps that gpuvm_init() offers to a benchmark, slowest first.
const std::vector<std::string> &trap_names();
// The flags of gpuvm_init() for names of traps, and of ways to spin: "adaptive", "always", "never".
int trap_flag(const std::string &name);
int spin_flag(const std::string &name);

// Under which circumstances.
struct touch_cell {
	size_t size;            // of the array
	unsigned live;          // threads that work 10 µs and sleep 1 ms
	unsigned busy;          // threads that never sleep
	bool by_system = false; // write(2) touches, in the program's place

	bool operator==(const touch_cell &) const = default;
	std::string name() const;
};

// Samples of one batch, in µs.
struct touch_samples {
	std::vector<double> touch;       // first read of a chunk that the device has just written
	std::vector<double> raw;         // blocking read of as many bytes by the device's own call, just after a kernel
	std::vector<double> first_write; // first write of a page of anonymous memory
	size_t fetched = 0;              // bytes that one touch brought
};

// Body of the child process: starts the library for the subject. Throws if the trap can't be had.
answer_fn start_touch_session(const touch_subject &subject);

// Waits until such a child is ready. Returns the trap and why it is this one. Throws if the trap can't be had.
json greet_touch_session(child &session);

// Asks such a child for one batch: @samples of each kind, fewer if they take longer than @seconds.
touch_samples ask_touch_session(child &session, const touch_cell &cell, unsigned samples, double seconds);

} // namespace bench
