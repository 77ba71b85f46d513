// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Launches that have not begun are described for a checkpoint file: in words that mean the same in another process.
#pragma once

#include "checkpoint/launches.h"
#include "core/checkpoint_moment.h"

#include <het.h>

namespace het::rt
{

class launch_description
{
      public:
	// @ranges has the places of the items, whose number is that in the call.
	launch_description(const het_checkpoint_args &args, const item_ranges &ranges) : args_(args), ranges_(ranges) {}
	// Describes what the moment has found; nothing of it begins meanwhile. @all is empty if there is no launch.
	// Returns 0 or a code.
	int describe(const checkpoint_moment &m, checkpoint::list<std::byte> &all);

      private:
	int add_names();
	int find_kernel(const het_kernel &k, uint32_t *number);
	int add_launch(const het_event &e, const kernel_command &c);
	int add_argument(const kernel_command &c, size_t i, size_t use);
	int add_memory(const kernel_command &c, size_t i, size_t use);
	int refuse(const kernel_command &c, size_t i, const char *why) const;

	const het_checkpoint_args &args_;
	const item_ranges &ranges_;
	checkpoint::launch_list_builder list_;
	checkpoint::list<const het_kernel *> kernels_;
};

} // namespace het::rt
