// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "etc/caches.h"

namespace etc
{

namespace
{

// A page's line of metadata lies behind the arrays.
constexpr uint64_t first_metadata_line = uint64_t{1} << 32;

} // namespace

caches::caches(const machine &m, device_memory &pages, bus &b)
    : m_(m), pages_(pages), bus_(b), where_(m), memory_(m),
      first_(m.processors, tags(m.l1_bytes / line_bytes, m.l1_ways)), second_(m.l2_bytes / line_bytes, m.l2_ways),
      metadata_(std::max(1u, m.metadata_entries), std::max(1u, m.metadata_entries))
{
}

cycle caches::translated(unsigned processor, uint32_t line, cycle t)
{
	const uint32_t page = pages_.page_of(line);
	return where_.find(processor, key_of(page, page), page, t);
}

cycle caches::from_memory(uint32_t line, cycle t)
{
	const uint32_t page = pages_.page_of(line);
	if (!pages_.is_present(page)) {
		remote_++;
		return bus_.carry(bus::to_device, line_bytes, t) + m_.remote_cycles;
	}
	if (!compressed_)
		return memory_.access(line, t);
	if (const tags::entry *const e = metadata_.find(key_of(page, page))) {
		t = std::max(t, e->ready);
	} else {
		t = memory_.access(first_metadata_line + page, t);
		metadata_.put(key_of(page, page), t);
	}
	return memory_.access(line, t) + m_.unpack_cycles;
}

void caches::put(uint32_t line, cycle ready, bool dirty)
{
	const tags::entry left = second_.put(key_of(line), ready, dirty);
	const auto gone = uint32_t(left.key);
	// What has left the device's memory meanwhile was taken along by its page.
	if (left.used && left.dirty && left.key == key_of(gone)) {
		if (pages_.is_present(pages_.page_of(gone))) {
			memory_.access(gone, ready);
		} else {
			remote_written_++;
			bus_.carry(bus::to_host, line_bytes, ready);
		}
	}
}

cycle caches::load(unsigned processor, uint32_t line, cycle t)
{
	const cycle asked = translated(processor, line, t);
	const uint64_t key = key_of(line);
	if (const tags::entry *const e = first_[processor].find(key))
		return std::max(e->ready, asked + m_.l1_cycles);
	cycle ready = asked + m_.l2_cycles;
	if (const tags::entry *const e = second_.find(key)) {
		ready = std::max(e->ready, ready);
	} else {
		ready = from_memory(line, ready);
		put(line, ready, false);
	}
	first_[processor].put(key, ready);
	return ready;
}

void caches::store(unsigned processor, uint32_t line, cycle t)
{
	const cycle there = translated(processor, line, t) + m_.l2_cycles;
	const uint32_t page = pages_.page_of(line);
	if (pages_.is_present(page))
		pages_.write(page);
	if (tags::entry *const e = second_.find(key_of(line)))
		e->dirty = true;
	else
		put(line, there, true);
}

void caches::compress(uint64_t bytes, cycle t)
{
	compressed_ = true;
	memory_.occupy(2 * bytes, t); // it is read and written
}

} // namespace etc
