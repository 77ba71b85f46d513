// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A carrier takes the pieces of one bulk copy over a path, in order.
#pragma once

#include "dev/cuda_api.h"

#include <cstddef>

namespace het
{

// Bytes are in pinned host memory, where there is no context, or in a device's.
struct cuda_place {
	cu_context context;
	cu_deviceptr at;

	cuda_place operator+(size_t bytes) const { return {context, at + bytes}; }
};

inline cuda_place on_host(const void *p)
{
	return {nullptr, cu_deviceptr(reinterpret_cast<uintptr_t>(p))};
}

class cuda_carrier
{
      public:
	virtual ~cuda_carrier() = default;
	// Starts a piece. All return a cu_result.
	virtual int start(const cuda_place &to, const cuda_place &from, size_t size) = 0;
	// Returns what has become of the oldest piece: cu_error_not_ready while it is under way.
	virtual int look() = 0;
	// The oldest piece is over.
	virtual void next() = 0;
	// Waits until nothing is under way any more, whether it went well or not.
	virtual void drain() = 0;
	// Where nothing of the oldest piece has been begun, all that is under way can be taken back: none of it arrives
	// any more.
	virtual bool has_begun() { return true; }
	virtual void take_back() {}
};

// Puts a copy into a stream of the current context.
int put_copy(const cuda_api &cu, const cuda_place &to, const cuda_place &from, size_t size, cu_stream stream);

} // namespace het
