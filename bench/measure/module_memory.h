// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is memory of the kernel module without the library in between, to measure what the module's own paths cost.
#pragma once

#include "common/owned.h"
#include "os/descriptor.h"

namespace bench
{

class module_memory
{
      public:
	// Makes one region in a context of its own, with all its pages. With @huge these are of 2 MiB, and mapped as
	// such if @chunk is as large. Throws with the reason if it can't be had.
	module_memory(size_t nbytes, size_t chunk, bool huge);

	char *data() const { return data_; }
	size_t size() const { return size_; }

	// Sets the state of all pages; none is mapped afterwards that the state forbids.
	void to_device() const;
	void to_host() const;
	void to_shared() const;
	// Asks of each chunk whether it was touched since it was asked the last time, and returns how many were. At
	// most GPUVM_RANGES_MAX chunks may be there.
	size_t ask() const;

      private:
	void greet();
	void create_region(bool huge) const;
	void map();
	void on_all_pages(unsigned long number, unsigned state) const;

	size_t size_, chunk_;
	het::descriptor file_, event_;
	owned_mapping mapping_;
	char *data_ = nullptr;
};

} // namespace bench
