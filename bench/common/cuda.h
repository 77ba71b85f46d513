// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Wraps the CUDA driver with exceptions, and one device of it as a program uses it. The driver's library is opened when
// the first device is asked for.
#pragma once

#include "common/kernel_text.h"
#include "dev/cuda_abi.h"

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace bench
{

// Opens the driver once. Throws where there is none.
const het::cuda_functions &cuda();
// Returns another function of it, or null.
void *cuda_symbol(const char *name);

// Throws a device_error with the call's name and the error's unless @err is 0.
void cuda_check(int err, const char *call);

// Returns how many devices there are, which is 0 without a driver.
unsigned cuda_device_count();

// Holds the primary context of a device, which is current in this thread, a stream, and kernels.
class cuda_program
{
      public:
	using sizes = std::array<unsigned, 3>;

	explicit cuda_program(unsigned ordinal);
	~cuda_program();
	cuda_program(const cuda_program &) = delete;
	cuda_program &operator=(const cuda_program &) = delete;

	std::string device_name() const;
	int attribute(int which) const;
	// Returns the driver's CUDA version as "13.0".
	static std::string driver_version();

	het::cu_stream stream() const { return stream_; }
	// A text's kernels are loaded when the first one is asked for.
	het::cu_function function(const kernel_text &text, const std::string &kernel);
	// Returns a variable's address and size. It lives as long as this.
	std::pair<het::cu_deviceptr, size_t> variable(const kernel_text &text, const std::string &name);
	// @arguments has the addresses of the values.
	void launch(const kernel_text &text, const std::string &kernel, const sizes &blocks, const sizes &threads,
		    std::vector<void *> arguments);
	void launch(const kernel_text &text, const std::string &kernel, unsigned blocks, unsigned threads,
		    std::vector<void *> arguments)
	{
		launch(text, kernel, sizes{blocks, 1, 1}, sizes{threads, 1, 1}, std::move(arguments));
	}
	void finish() const;

      private:
	struct loaded {
		het::cu_module module = nullptr;
		std::map<std::string, het::cu_function> functions;
	};

	loaded &load(const kernel_text &text);

	het::cu_device device_ = 0;
	het::cu_stream stream_ = nullptr;
	std::map<const kernel_text *, loaded> loaded_;
};

} // namespace bench
