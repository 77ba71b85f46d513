// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The windows that the program has, and the messages of its one-sided calls. What is known of a window is an attribute
// of it, as MPI may give its handle to the next one, of another thread, while it is freed.
#pragma once

#include "public_copy.h"
#include "requests.h"

#include <limits>
#include <list>
#include <mutex>

namespace hetmpi
{

constexpr int every_rank = std::numeric_limits<int>::min(); // is not MPI_PROC_NULL of any MPI

class window
{
      public:
	// Returns null if nothing is known of it: it is over other memory, and no message was kept.
	static window *of(MPI_Win w);
	// Finds what is known of it, or begins to know it. Returns MPI_SUCCESS or MPI's error.
	static int find(MPI_Win w, window **found);
	// Returns as find() does. The window has a public copy from now on.
	static int made(MPI_Win w, std::unique_ptr<public_copy> copy);

	// Is null for windows over other memory.
	public_copy *copy() const { return copy_.get(); }
	// The message's bytes are MPI's until the operations at the rank are completed.
	void keep(int rank, hold &&h);
	// They are completed. What has come from the rank goes where the program wants it. Returns as hold::give().
	int completed(int rank);

      private:
	struct kept {
		int rank;
		hold bytes;
	};

	std::unique_ptr<public_copy> copy_;
	std::mutex lock_; // covers:
	std::list<kept> messages_;
};

} // namespace hetmpi
