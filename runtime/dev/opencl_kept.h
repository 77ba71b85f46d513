// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps binaries of built programs for other processes (runtime/cache).
#pragma once

#include "cache/store.h"
#include "dev/opencl_program.h"

namespace het::rt
{

// Stands for a text that is to be built with certain options.
class kept_program
{
      public:
	// All that is given must live as long.
	kept_program(const opencl_place &at, fatbin::bytes text, const char *options);

	// Returns what an earlier process has kept.
	cache::contents find() const;
	void keep(cl_program built) const;

      private:
	cache::key key() const { return {"opencl", parts_}; }

	const opencl_place &at_;
	const cache::bytes parts_[3];
	const bool is_kept_;
};

} // namespace het::rt
