// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A hand is one direction of a GPU's PCIe link, for pieces that a kernel copies: its multiprocessors read pinned host
// memory, or write it. A copy engine serves streams in order, so a piece waits there for all that others have sent;
// what a kernel reads and writes shares the link with them.
//
// A kernel begins when a multiprocessor has room for it, which others' kernels may take for long. Until then its piece
// can be taken back, and another way carries the bytes.
#pragma once

#include "dev/cuda_carrier.h"

#include <cstdint>

namespace het
{

// The kernel, in a GPU's context.
class cuda_copy_kernel
{
      public:
	// Returns a cu_result. The context is current.
	int open(const cuda_api &cu);
	void close(const cuda_api &cu);
	cu_function function() const { return function_; }

      private:
	cu_module module_ = nullptr;
	cu_function function_ = nullptr;
};

class cuda_hand final : public cuda_carrier
{
      public:
	static constexpr unsigned slots = 4;
	// Both ends of a piece must be so aligned.
	static constexpr size_t alignment = 16;

	// close() undoes also what open() did before it failed. The context is current in both.
	int open(const cuda_api &cu, cu_context context, cu_function kernel);
	void close();
	bool is_open() const { return function_ != nullptr; }
	// Nothing that was taken back is still to come.
	bool is_idle();

	int start(const cuda_place &to, const cuda_place &from, size_t size) override;
	int look() override;
	void next() override { oldest_++; }
	void drain() override { take_back(); }
	bool has_begun() override;
	void take_back() override;

      private:
	struct control;

	bool is_at_work() const;
	int launch(unsigned slot, cu_deviceptr to, cu_deviceptr from, size_t size);
	int address(const cuda_place &p, cu_deviceptr *address) const;

	const cuda_api *cu_ = nullptr;
	cu_context context_ = nullptr;
	cu_function function_ = nullptr;
	cu_stream stream_ = nullptr;
	cu_event ended_[slots] = {};
	control *controls_ = nullptr; // pinned, one for each slot
	cu_deviceptr controls_there_ = 0;
	unsigned started_ = 0, oldest_ = 0;
	bool stale_ = false; // kernels of pieces that were taken back may be still to come
};

} // namespace het
