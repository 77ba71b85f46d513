// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The program knows this device memory by its address: it is what it allocates, and variables of its programs.
#pragma once

#include "core/object.h"
#include "core/runtime.h"
#include "sched/interval_tree.h"

namespace het::rt
{

// A raw range is bytes on a device. Commands that name an address in it hold a reference, so it outlives its
// het_device_free().
class raw_range final : public object, public access_entry
{
      public:
	// @buffer is one of the device's, with a reference that the range takes over; or, with @of, an address on the
	// device.
	raw_range(het_device &on, void *buffer, const het_program *of) : device(on), buffer(buffer), program(of) {}
	~raw_range() override;

	// Returns where an address in it lies.
	size_t offset_of(uintptr_t address) const { return address - bytes.begin; }

	het_device &device;
	void *const buffer;
	const het_program *const program; // is null if it is no variable
};

// Returns 0, HET_ENODEV if the device has no addresses, HET_EDEVICE, HET_ENOMEM or HET_ESTATE.
int allocate_raw(het_device &d, size_t nbytes, void **address);
// Returns HET_EARG if nothing that was allocated begins there.
int free_raw(het_device &d, void *address);

// Adds a variable of a program's, so that copies find it; it may be called again for the same one. Returns 0 or
// HET_ENOMEM.
int add_variable(het_device &d, const het_program &p, void *address, size_t nbytes);
void forget_variables(const het_program &p);

// Returns the range of a device that holds all of @r, or null if there is none.
reference<raw_range> find_raw(het_device &d, range r);

} // namespace het::rt
