// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Opens the CUDA driver for programs that call it themselves beside the library: NVIDIA's, or selftests/fake where
// LD_LIBRARY_PATH leads there.
#pragma once

#include "dev/cuda_abi.h"

#include <string>

namespace het
{

// A program calls these; each has what stands before it as well.
enum class cuda_calls { device, program, managed };

// The driver's library stays open for the rest of the process.
class cuda_driver : public cuda_functions
{
      public:
	explicit cuda_driver(cuda_calls wanted);

	bool is_there() const { return library_; }
	// Returns a sentence if there is no driver, or it lacks a function that is wanted, and else "".
	const std::string &why_not() const { return why_not_; }
	// Returns null if the library has no such symbol.
	void *symbol(const char *name) const;

      private:
	void *library_;
	std::string why_not_;
};

} // namespace het
