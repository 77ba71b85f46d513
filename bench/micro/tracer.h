// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel's work is written once in C++, over something that memory is accessed through: plain, which does it, or a
// tracer, which also tells.
#pragma once

#include <cstdint>

namespace micro
{

enum class access_kind {
	dependent, // a load that the next one waits for
	load,
	store,
	local,    // a dependent load of local memory, whose addresses begin with 0
	constant, // a dependent load of constant memory
	texture,  // a dependent load through a texture
};

struct plain {
	static uint32_t next(const uint32_t *p) { return *p; }
	static uint64_t next(const uint64_t *p) { return *p; }
	static uint32_t load(const uint32_t *p) { return *p; }
	static void store(uint32_t *p, uint32_t v) { *p = v; }
	static void store(uint64_t *p, uint64_t v) { *p = v; }
	static void local(uint32_t) {}
	static uint32_t constant(const uint32_t *p) { return *p; }
	static uint32_t texture(const uint32_t *p) { return *p; }
};

class tracer
{
      public:
	virtual ~tracer() = default;
	virtual void on(access_kind how, uint64_t address, unsigned nbytes) = 0;

	// Words are read before that is told: a processor waits for them beside what a tracer does.
	uint32_t next(const uint32_t *p)
	{
		const uint32_t v = *p;
		on(access_kind::dependent, reinterpret_cast<uintptr_t>(p), 4);
		return v;
	}
	uint64_t next(const uint64_t *p)
	{
		const uint64_t v = *p;
		on(access_kind::dependent, reinterpret_cast<uintptr_t>(p), 8);
		return v;
	}
	uint32_t load(const uint32_t *p)
	{
		const uint32_t v = *p;
		on(access_kind::load, reinterpret_cast<uintptr_t>(p), 4);
		return v;
	}
	void store(uint32_t *p, uint32_t v)
	{
		on(access_kind::store, reinterpret_cast<uintptr_t>(p), 4);
		*p = v;
	}
	void store(uint64_t *p, uint64_t v)
	{
		on(access_kind::store, reinterpret_cast<uintptr_t>(p), 8);
		*p = v;
	}
	void local(uint32_t byte) { on(access_kind::local, byte, 4); }
	uint32_t constant(const uint32_t *p)
	{
		const uint32_t v = *p;
		on(access_kind::constant, reinterpret_cast<uintptr_t>(p), 4);
		return v;
	}
	uint32_t texture(const uint32_t *p)
	{
		const uint32_t v = *p;
		on(access_kind::texture, reinterpret_cast<uintptr_t>(p), 4);
		return v;
	}
	// Return the clocks, and the ns, that have passed since the thread began, or 0 if it can't tell.
	virtual uint64_t clocks() const { return 0; }
	virtual uint64_t nanoseconds() const { return 0; }
	// Tells of steps of arithmetic on one of several ways that threads may take.
	virtual void work(uint32_t way, uint32_t steps)
	{
		(void)way;
		(void)steps;
	}
};

} // namespace micro
