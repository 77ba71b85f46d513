// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What other ranks see of a window over the program's memory, which may be an array on a device. It is what MPI calls a
// window's public copy, of the separate memory model: other ranks read and write this one, kernels and the program
// the array (the private copy), and both meet where the program synchronises them.
#pragma once

#include "changes.h"
#include "room.h"

#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace hetmpi
{

class public_copy
{
      public:
	// Returns null if there is no memory for it.
	static std::unique_ptr<public_copy> of(void *base, size_t nbytes);

	void *at() const { return public_.at(); }
	void *base() const { return base_; }

	// What the program has changed others see from now on; and the reverse. What has not changed on the one side
	// stays as it is on the other, to the byte, as several ranks may write beside each other. They wait for kernels
	// that use the array; of the program's threads none may write near what comes in meanwhile (within 64 bytes of
	// it). Return MPI_SUCCESS or MPI_ERR_BUFFER, of which the reason is on stderr.
	int show();
	int take();

      private:
	public_copy(void *base, size_t nbytes) : base_(base), nbytes_(nbytes) {}
	int write(const std::vector<change> &near);

	void *base_;
	size_t nbytes_;
	room public_, agreed_, own_; // agreed_: as both were last; own_: the array's, while they are compared
	std::mutex lock_;            // covers agreed_ and own_: the rank's threads may synchronise the window at once
};

} // namespace hetmpi
