// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bytes of a message belong to the host while MPI works on them: they are home, commands that write them wait, and
// if MPI writes them, so do commands that read them. It is het_map()'s promise.
#pragma once

#include "bytes.h"

#include <het.h>
#include <utility>

namespace hetmpi
{

// This is what MPI does with a message. A receive may be shorter than its buffer, and a type may have gaps: then bytes
// stay as they are, so that they come home, too.
enum class use : uint32_t { read = HET_READ_ONLY, written = HET_READ_WRITE };

class hold
{
      public:
	hold() = default;
	hold(hold &&h) noexcept : held_(std::exchange(h.held_, {})), use_(h.use_) {}
	hold &operator=(hold &&) = delete;
	~hold() { release(); }

	// Returns when the bytes are home: MPI_SUCCESS, or MPI_ERR_BUFFER, of which the reason is on stderr.
	int take(bytes b, use u);
	void release();

      private:
	static int map(bytes b, use u);

	bytes held_; // are mapped
	use use_ = use::read;
};

} // namespace hetmpi
