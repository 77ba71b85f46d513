// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Ways in which one array can be used by the host and by a CUDA device in turns: libhet, CUDA managed memory with and
// without prefetch hints, and copies placed by hand in pinned memory, which are the floor.
#pragma once

#include "common/cuda.h"

#include <cstddef>
#include <memory>
#include <string>

namespace bench
{

// Who keeps the copies consistent. One process can have one of them.
struct uvm_subject {
	std::string way;    // "pinned", "managed", "managed-prefetch", "libhet"
	std::string trap;   // libhet: "uffd", ...
	std::string memory; // libhet: "malloc", "library" or "huge"
	std::string spin;   // libhet: "adaptive", "always", "never"

	std::string name() const;
};

// One array. What is timed says so.
class uvm_array
{
      public:
	virtual ~uvm_array() = default;
	virtual void *host() = 0;
	virtual het::cu_deviceptr device() = 0;
	// The host has written there.
	virtual void written(size_t offset, size_t nbytes) = 0;
	// Timed: a kernel that reads and writes the array is about to be launched.
	virtual void before_kernel() = 0;
	// It has finished.
	virtual void after_kernel() = 0;
	// Timed: the host is about to touch that part.
	virtual void before_touch(size_t offset, size_t nbytes) = 0;
};

// Prepares the process (gpuvm_init() for libhet). Throws if the way can't be had here.
void start_uvm_way(const uvm_subject &subject, cuda_program &program);

std::unique_ptr<uvm_array> make_uvm_array(const uvm_subject &subject, cuda_program &program, size_t nbytes);

} // namespace bench
