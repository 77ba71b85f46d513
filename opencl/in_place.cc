// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "in_place.h"

namespace hetcl
{

// A mapping of the runtime's that lasted would have other commands on the bytes wait for its end. To OpenCL these are
// undefined, but programs make them and then wait for them, with the bytes still mapped.
int show_to_host(command &c, const _cl_mem &m, size_t offset, size_t size, uint32_t access, void **address)
{
	auto a = c.arguments<het_map_args>();
	a.memory = m.for_command();
	a.offset = offset;
	a.nbytes = size;
	a.access = access;
	const int err = het_map(c.queue(), &a, address, c.out());
	if (err)
		return err;
	het_unmap_args end = {};
	end.size = sizeof(end);
	end.memory = m.for_command();
	end.pointer = *address;
	// One that has failed already is none: the event tells why.
	const int end_err = het_unmap(c.queue(), &end, nullptr);
	return end_err == HET_EARG ? 0 : end_err;
}

bool is_in_place(const _cl_mem &m, size_t offset, const void *pointer)
{
	return static_cast<char *>(het_memory_pointer(m.memory.get())) + offset == pointer;
}

} // namespace hetcl
