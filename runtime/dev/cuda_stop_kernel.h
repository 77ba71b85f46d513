// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes kernels whose launches can be stopped, by the PTX pass `checkpoint`: Documentation/het-ptx-checkpoint.rst.
#pragma once

#include "dev/cuda_calls.h"
#include "ptx/passes/checkpoint.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace het::rt
{

struct stop_text {
	struct kernel {
		ptx::checkpoint_size size;
		bool saves; // else it stops at the begin of blocks alone
	};
	std::string text; // empty if there is none
	std::string why;  // tells why
	std::map<std::string, kernel, std::less<>> kernels;
};

// Applies the pass to a text that is all of a program. Variables that the program may name, or that kernels write,
// would be there twice, once in each module: programs with such variables can't be stopped. @most_registers tells how
// many a kernel of that name may have, or 0 for any number.
stop_text ptx_stop_text(const char *ptx, const std::function<unsigned(const std::string &)> &most_registers);

// The last of its parameters is the pass's.
struct cuda_stop_kernel {
	// Loads both functions, and asks the driver for their parameters. Returns a code of the driver's.
	int open(const cuda_calls &cu);

	cu_function begins = nullptr, resumes = nullptr;
	stop_text::kernel what = {};
	std::vector<size_t> offsets, sizes; // of the parameters
	// A block of it took so long in the last launch that was not stopped; 0: there was none.
	mutable std::atomic<uint32_t> block_ns{0};
};

// A program makes them when they are first asked for. Returns null, having said why, if there is none of that name.
class cuda_stop_source
{
      public:
	virtual std::unique_ptr<cuda_stop_kernel> make_stop_kernel(const char *name) = 0;

      protected:
	~cuda_stop_source() = default;
};

} // namespace het::rt
