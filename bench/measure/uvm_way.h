// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The host and a CUDA device can use one array in turns in these ways: libhet, CUDA managed memory with and without
// prefetch hints, and copies placed by hand in pinned memory, which are the floor.
#pragma once

#include "common/cuda.h"

#include <cstddef>
#include <memory>
#include <string>

namespace bench
{

// A subject keeps the copies consistent. One process can have one of them.
struct uvm_subject {
	std::string way;    // "pinned", "managed", "managed-prefetch", "libhet"
	std::string trap;   // with libhet: "uffd", ...
	std::string memory; // with libhet: "malloc", "library" or "huge"
	std::string spin;   // with libhet: "adaptive", "always", "never"
	bool foresight = false;

	std::string name() const;
};

// The array is used in one of the ways. The comments below say which calls are timed.
class uvm_array
{
      public:
	virtual ~uvm_array() = default;
	virtual void *host() = 0;
	virtual het::cu_deviceptr device() = 0;
	// Tells that the host has written there.
	virtual void written(size_t offset, size_t nbytes) = 0;
	// Tells that a kernel that reads and writes the array is about to be launched. This is timed.
	virtual void before_kernel() = 0;
	// Tells that the kernel has finished.
	virtual void after_kernel() = 0;
	// Tells that the host is about to touch that part. This is timed.
	virtual void before_touch(size_t offset, size_t nbytes) = 0;
};

// Prepares the process (gpuvm_init() for libhet). Throws if the way can't be had here.
void start_uvm_way(const uvm_subject &subject, cuda_program &program);

std::unique_ptr<uvm_array> make_uvm_array(const uvm_subject &subject, cuda_program &program, size_t nbytes);

} // namespace bench
