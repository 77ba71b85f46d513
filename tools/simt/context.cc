// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/context.h"

#include <cstdio>

namespace het::ptx::simt
{

namespace
{

std::string hex(uint64_t v)
{
	char s[20];
	snprintf(s, sizeof(s), "0x%llx", static_cast<unsigned long long>(v));
	return s;
}

const char *verb(access how)
{
	return how == access::read ? "reads " : how == access::write ? "writes " : "updates ";
}

std::string whereabouts(const memory &mem, uint64_t address, uint64_t n)
{
	const buffer *b = mem.nearest(address);
	if (!b)
		return "there is no memory";
	auto name = b->name.empty() ? "the buffer at " + hex(b->address) : b->name;
	auto size = " (" + std::to_string(b->size) + " bytes)";
	if (address < b->address)
		return std::to_string(b->address - address) + " bytes before " + name + size;
	uint64_t end = b->address + b->size;
	if (address < end)
		return std::to_string(address + n - end) + " bytes past the end of " + name + size;
	return std::to_string(address - end) + " bytes behind " + name + size;
}

} // namespace

void context::fail(const uop &u, unsigned lane, std::string what)
{
	if (failed_)
		return;
	failed_ = true;
	failed_lane_ = lane;
	failed_op_ = &u;
	failure_ = std::move(what);
}

place_in_memory context::locate_slowly(const uop &u, unsigned lane, uint64_t address, unsigned n, access how)
{
	buffer *b = mem->find(address);
	if (!b || !b->holds(address, n)) {
		fail(u, lane,
		     verb(how) + std::to_string(n) + " bytes at " + hex(address) + ", " +
			     whereabouts(*mem, address, n));
		return {};
	}
	if (address & (n - 1)) {
		fail(u, lane, verb(how) + std::to_string(n) + " bytes at " + hex(address) + ", which is not aligned");
		return {};
	}
	if (how != access::read && b->read_only) {
		fail(u, lane, verb(how) + std::to_string(n) + " bytes of " + b->name + ", which is read-only");
		return {};
	}
	*cache = {b->address, b->size, mem->generation(), b->bytes, b->defined.get(), b->read_only};
	uint64_t at = address - b->address;
	return {b->bytes + at, b->defined ? b->defined.get() + at : nullptr};
}

place_in_memory context::in_lane_memory(const lane_memory &m, const uop &u, unsigned lane, uint64_t offset, unsigned n,
					const char *what)
{
	if (offset >= m.size || n > m.size - offset) {
		fail(u, lane,
		     std::to_string(n) + " bytes at offset " + hex(offset) + " of " + what + ", which has " +
			     std::to_string(m.size));
		return {};
	}
	if (offset & (n - 1)) {
		fail(u, lane,
		     std::to_string(n) + " bytes at offset " + hex(offset) + " of " + what + ", which is not aligned");
		return {};
	}
	uint64_t at = uint64_t{lane} * m.stride + offset;
	return {m.bytes + at, m.defined ? m.defined + at : nullptr};
}

place_in_memory context::locate(const uop &u, unsigned lane, enum space s, uint64_t address, unsigned n, access how)
{
	switch (s) {
	case space::shared:
		return in_lane_memory(shared, u, lane, address, n, "shared memory");
	case space::local:
		return in_lane_memory(local, u, lane, address, n, "local memory");
	case space::param:
		return in_lane_memory(param, u, lane, address, n, "parameters");
	default:
		break;
	}
	if (s == space::none && address - shared_window < function_window + window_bytes - shared_window) {
		if (address < local_window)
			return in_lane_memory(shared, u, lane, address - shared_window, n, "shared memory");
		if (address < param_window)
			return in_lane_memory(local, u, lane, address - local_window, n, "local memory");
		if (address < function_window)
			return in_lane_memory(kernel_param, u, lane, address - param_window, n,
					      "the kernel's parameters");
	}
	return locate_global(u, lane, address, n, how);
}

} // namespace het::ptx::simt
