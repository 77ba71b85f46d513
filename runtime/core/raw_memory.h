// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Device memory that the program knows by its address: what it allocates, and variables of its programs.
#pragma once

#include "core/object.h"
#include "core/runtime.h"
#include "sched/interval_tree.h"

namespace het::rt
{

// Bytes on a device. Commands that name an address in it hold a reference, so it outlives its het_device_free().
class raw_range final : public object, public access_entry
{
      public:
	// @buffer: of the device's, with a reference that the range takes over; or, with @of, an address on the device.
	raw_range(het_device &on, void *buffer, const het_program *of) : device(on), buffer(buffer), program(of) {}
	~raw_range() override;

	// Where an address in it lies.
	size_t offset_of(uintptr_t address) const { return address - bytes.begin; }

	het_device &device;
	void *const buffer;
	const het_program *const program; // null: it is no variable
};

// 0, HET_ENODEV if the device has no addresses, HET_EDEVICE, HET_ENOMEM, HET_ESTATE.
int allocate_raw(het_device &d, size_t nbytes, void **address);
// HET_EARG: nothing that was allocated begins there.
int free_raw(het_device &d, void *address);

// A variable of a program's, so that copies find it; may be called again for the same one. 0 or HET_ENOMEM.
int add_variable(het_device &d, const het_program &p, void *address, size_t nbytes);
void forget_variables(const het_program &p);

// The range of a device that holds all of @r; null if there is none.
reference<raw_range> find_raw(het_device &d, range r);

} // namespace het::rt
