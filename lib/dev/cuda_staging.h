// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The way from one GPU to another through the host: each piece leaves by the PCIe link of the first, waits in a slot of
// pinned host memory, and comes in by the link of the second. Two ports that copy between the host and these GPUs are
// the halves of it, and are borrowed as long as it is used.
#pragma once

#include "dev/cuda_port.h"

namespace het
{

class cuda_staging final : public cuda_carrier
{
      public:
	// @ring are cuda_port::ring_size bytes of pinned host memory, which nobody else uses meanwhile.
	void open(cuda_port &exit, cuda_port &entry, void *ring)
	{
		exit_ = &exit;
		entry_ = &entry;
		ring_ = static_cast<char *>(ring);
	}
	bool is_open() const { return exit_ != nullptr; }
	// Gives the ports back. Nothing is under way.
	void close()
	{
		exit_->give_back();
		entry_->give_back();
		exit_ = entry_ = nullptr;
	}

	int start(const cuda_place &to, const cuda_place &from, size_t size) override;
	int look() override;
	void next() override;
	void drain() override;

      private:
	cuda_port *exit_ = nullptr, *entry_ = nullptr;
	char *ring_ = nullptr;
	unsigned started_ = 0;
};

} // namespace het
