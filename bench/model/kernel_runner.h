// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Runs a program's kernels in the PTX interpreter on the host's arrays, for who records what their warps do.
#pragma once

#include "common/kernel_text.h"
#include "simt/run.h"

#include <cstring>
#include <memory>

namespace model
{

// An array as a kernel's argument.
struct array {
	uint64_t address = 0;
};

class kernel_runner
{
      public:
	// Throws std::runtime_error if the kernels can't be read.
	kernel_runner(std::string program, std::initializer_list<const bench::kernel_text *> texts);

	const std::string &name() const { return name_; }
	const het::ptx::simt::program &program() const { return *program_; }
	// The bytes, which outlive this, are the device's as well.
	array attach(void *bytes, uint64_t n) { return {memory_.attach(bytes, n)}; }
	// Throws std::runtime_error if there is none.
	const het::ptx::simt::code &kernel(const std::string &name) const;

	// Throws std::runtime_error if the kernel is unknown, has other parameters, or fails. @values are the bytes of
	// its arguments.
	void run(const std::string &kernel, het::ptx::simt::extent grid, het::ptx::simt::extent block,
		 const std::vector<std::vector<uint8_t>> &values, const het::ptx::simt::options &how) const;

	template <typename... A> static std::vector<std::vector<uint8_t>> bytes_of(const A &...values)
	{
		std::vector<std::vector<uint8_t>> bytes;
		(bytes.push_back(bytes_of_one(values)), ...);
		return bytes;
	}

      private:
	template <typename T> static std::vector<uint8_t> bytes_of_one(const T &value)
	{
		std::vector<uint8_t> bytes(sizeof value);
		memcpy(bytes.data(), &value, sizeof value);
		return bytes;
	}

	std::string name_;
	het::ptx::simt::memory memory_;
	std::unique_ptr<het::ptx::simt::program> program_;
};

} // namespace model
