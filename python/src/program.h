// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A program from OpenCL C, PTX, a fat binary, functions of the host, or several of these.
#pragma once

#include <cstdint>
#include <het.h>
#include <optional>
#include <string>
#include <vector>

namespace het::python
{

struct host_function {
	std::string name;
	uintptr_t address;
	uint32_t nargs;
};

struct image {
	uint32_t kind;
	std::string bytes;
};

struct sources {
	std::optional<std::string> source, options, fat_binary, file, section;
	std::vector<image> images;
	std::vector<host_function> functions;
	uint32_t instruments = 0;
};

class program
{
      public:
	explicit program(const sources &s);
	program(const program &) = delete;
	program &operator=(const program &) = delete;
	~program() { het_program_release(p_); }

	het_program *get() const { return p_; }
	void build(het_device *device);
	std::string log(het_device *device) const { return het_program_log(p_, device); }
	// Returns the names of its kernels, as far as an OpenCL driver tells.
	std::string kernel_names(het_device *device) const;

      private:
	het_program *p_ = nullptr;
};

} // namespace het::python
