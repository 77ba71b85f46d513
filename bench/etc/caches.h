// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The way of a line: the processor's own cache, that of all, and the device's memory or, for a page that is not there
// and is used in place, the bus. Writes go through the first cache and stay in the second one.
#pragma once

#include "etc/bus.h"
#include "etc/device_memory.h"
#include "etc/memory_channels.h"
#include "etc/tags.h"
#include "etc/translation.h"

namespace etc
{

class caches
{
      public:
	caches(const machine &m, device_memory &pages, bus &b);

	// The line's page is present, or is used in place. Returns when a load's bytes are there.
	cycle load(unsigned processor, uint32_t line, cycle t);
	void store(unsigned processor, uint32_t line, cycle t);

	// From now on lines of the device's memory lie there compressed; all of it is written once.
	void compress(uint64_t bytes, cycle t);

	// Lines that were read, and written, over the bus.
	uint64_t remote() const { return remote_; }
	uint64_t remote_written() const { return remote_written_; }
	const translation &pages() const { return where_; }

      private:
	cycle translated(unsigned processor, uint32_t line, cycle t);
	uint64_t key_of(uint32_t line) const { return key_of(line, pages_.page_of(line)); }
	uint64_t key_of(uint32_t number, uint32_t page) const { return pages_.generation(page) << 32 | number; }
	cycle from_memory(uint32_t line, cycle t);
	void put(uint32_t line, cycle ready, bool dirty);

	const machine m_;
	device_memory &pages_;
	bus &bus_;
	translation where_;
	memory_channels memory_;
	std::vector<tags> first_;
	tags second_, metadata_;
	bool compressed_ = false;
	uint64_t remote_ = 0, remote_written_ = 0;
};

} // namespace etc
