// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// An image is what mkoffload has linked for the device: the program's code, and what it needs of libgomp's and libc's.
#pragma once

#include "libgomp.h"
#include "team_geometry.h"

#include <deque>
#include <het.h>
#include <vector>

namespace het_omp
{

struct function {
	const char *name;
	het_kernel *kernel;
	capacity has;
};

class image
{
      public:
	image(het_device *device, const image_data &of) : data(&of), device_(device) {}
	~image();
	image(const image &) = delete;
	image &operator=(const image &) = delete;

	// Builds it. Returns false if that fails; het has said why.
	bool load();
	// Returns what libgomp wants to know: functions, variables, and the variable that it tells the device in.
	std::vector<table_entry> table() const { return table_; }

	const image_data *const data;

      private:
	bool build();
	bool find_functions();
	bool find_variables();
	// Finds nothing if the image does without it.
	void find_told_variable();

	het_device *const device_;
	het_program *program_ = nullptr;
	std::deque<function> functions_; // libgomp keeps their addresses
	std::vector<table_entry> table_;
};

} // namespace het_omp
