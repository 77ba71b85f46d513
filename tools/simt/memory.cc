// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "simt/memory.h"

#include <cstring>

namespace het::ptx::simt
{

namespace
{

constexpr uint64_t grain = 64 << 10; // Buffers begin on a multiple of this, and at least as much lies between them.

} // namespace

buffer &memory::add(uint64_t size, std::string name)
{
	generation_++;
	buffer &b = buffers_[next_];
	b.address = next_;
	b.size = size;
	b.name = std::move(name);
	if (track_)
		b.defined = std::make_unique<uint8_t[]>(size);
	next_ += (size + 2 * grain - 1) / grain * grain;
	return b;
}

uint64_t memory::allocate(uint64_t size, std::string name)
{
	buffer &b = add(size, std::move(name));
	b.owned = std::make_unique<uint8_t[]>(size);
	b.bytes = b.owned.get();
	return b.address;
}

uint64_t memory::attach(void *bytes, uint64_t size, std::string name)
{
	buffer &b = add(size, std::move(name));
	b.bytes = static_cast<uint8_t *>(bytes);
	if (b.defined)
		memset(b.defined.get(), 1, size);
	return b.address;
}

bool memory::release(uint64_t address)
{
	generation_++;
	return buffers_.erase(address) > 0;
}

buffer *memory::find(uint64_t address)
{
	auto after = buffers_.upper_bound(address);
	if (after == buffers_.begin())
		return nullptr;
	buffer &b = std::prev(after)->second;
	return b.holds(address, 1) ? &b : nullptr;
}

const buffer *memory::nearest(uint64_t address) const
{
	auto after = buffers_.upper_bound(address);
	if (after != buffers_.begin()) {
		const buffer &b = std::prev(after)->second;
		if (after == buffers_.end() || address - (b.address + b.size) <= after->first - address)
			return &b;
	}
	return after == buffers_.end() ? nullptr : &after->second;
}

bool memory::write(uint64_t address, const void *bytes, uint64_t n)
{
	buffer *b = find(address);
	if (!b || !b->holds(address, n))
		return n == 0;
	memcpy(b->bytes + (address - b->address), bytes, n);
	if (b->defined)
		memset(b->defined.get() + (address - b->address), 1, n);
	return true;
}

bool memory::read(uint64_t address, void *bytes, uint64_t n)
{
	buffer *b = find(address);
	if (!b || !b->holds(address, n))
		return n == 0;
	memcpy(bytes, b->bytes + (address - b->address), n);
	return true;
}

} // namespace het::ptx::simt
