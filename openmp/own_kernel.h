// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel of the plug-in's own is made when it is first needed. If that can't be done it is not tried again. Whoever
// has one sees to it that one thread at a time calls these.
#pragma once

#include <het.h>

namespace het_omp
{

class own_kernel
{
      public:
	// The text of its PTX stays where it is, with the 0 behind it.
	own_kernel(const char *name, const char *ptx) : name_(name), ptx_(ptx) {}
	~own_kernel();
	own_kernel(const own_kernel &) = delete;
	own_kernel &operator=(const own_kernel &) = delete;

	// Returns whether it is there.
	bool make();
	// Returns null before it has been made, or if it can't be.
	het_kernel *get() const { return kernel_; }
	void give_up();

      private:
	const char *const name_, *const ptx_;
	bool was_tried_ = false;
	het_program *program_ = nullptr;
	het_kernel *kernel_ = nullptr;
};

} // namespace het_omp
