// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The functions that GCC and clang call before each access under -fsanitize=thread, and the recorder behind them. This
// file is compiled without it.
#include "noc/record/record.h"

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include <sys/mman.h>

namespace noc::record
{

namespace
{

constexpr size_t line_bytes = 64, arena_bytes = size_t(256) << 20;
constexpr uint64_t no_line = ~uint64_t(0);

struct log {
	std::vector<access_event> events;
	unsigned gap = 0;
	uint64_t line = no_line; // of the last event
	bool written = false;    // by it

	void wait() { gap = std::min(gap + 1, max_gap); }
	void add(access_event::kind_t kind, uint64_t at)
	{
		events.push_back({kind, uint16_t(gap), at});
		gap = 0;
	}
};

uint8_t *arena = nullptr;
size_t used = 0;
std::vector<log> logs;
std::unique_ptr<std::barrier<>> meeting;
thread_local log *mine = nullptr;

void touch(const void *address, size_t bytes, bool write)
{
	log *const l = mine;
	if (!l)
		return;
	const uint64_t offset = uint64_t(static_cast<const uint8_t *>(address) - arena);
	if (offset >= arena_bytes || bytes == 0) {
		l->wait();
		return;
	}
	for (uint64_t at = offset / line_bytes; at <= (offset + bytes - 1) / line_bytes; at++) {
		// The line that was just used is there still.
		if (at == l->line && (l->written || !write)) {
			l->wait();
			continue;
		}
		l->add(write ? access_event::kind_t::write : access_event::kind_t::read, at);
		l->written = write;
		l->line = at;
	}
}

} // namespace

void *allocate(size_t bytes)
{
	if (!arena) {
		void *const m = mmap(nullptr, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (m == MAP_FAILED)
			throw std::bad_alloc();
		arena = static_cast<uint8_t *>(m);
	}
	const size_t taken = (bytes + line_bytes - 1) / line_bytes * line_bytes;
	if (taken < bytes || taken > arena_bytes - used)
		throw std::bad_alloc();
	used += taken;
	return arena + used - taken;
}

void run(unsigned threads, const std::function<void(unsigned)> &body)
{
	logs.resize(std::max<size_t>(logs.size(), threads));
	meeting = std::make_unique<std::barrier<>>(threads);
	std::vector<std::thread> all;
	for (unsigned t = 0; t < threads; t++)
		all.emplace_back([&, t] {
			mine = &logs[t];
			body(t);
			barrier();
			mine = nullptr;
		});
	for (std::thread &t : all)
		t.join();
}

void barrier()
{
	mine->add(access_event::kind_t::barrier, 0);
	mine->line = no_line;
	meeting->arrive_and_wait();
}

access_trace take()
{
	access_trace t;
	for (log &l : logs)
		t.push_back(std::move(l.events));
	logs.clear();
	return t;
}

} // namespace noc::record

using noc::record::touch;

// NOLINTBEGIN(bugprone-reserved-identifier): these names are the compilers'
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
#define HOOKS(bytes)                                     \
	void __tsan_read##bytes(void *a)                 \
	{                                                \
		touch(a, bytes, false);                  \
	}                                                \
	void __tsan_write##bytes(void *a)                \
	{                                                \
		touch(a, bytes, true);                   \
	}                                                \
	void __tsan_unaligned_read##bytes(void *a)       \
	{                                                \
		touch(a, bytes, false);                  \
	}                                                \
	void __tsan_unaligned_write##bytes(void *a)      \
	{                                                \
		touch(a, bytes, true);                   \
	}                                                \
	void __tsan_read_write##bytes(void *a)           \
	{                                                \
		touch(a, bytes, false);                  \
		touch(a, bytes, true);                   \
	}                                                \
	void __tsan_unaligned_read_write##bytes(void *a) \
	{                                                \
		__tsan_read_write##bytes(a);             \
	}
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
#undef HOOKS
void __tsan_read_range(void *a, unsigned long bytes)
{
	touch(a, bytes, false);
}
void __tsan_write_range(void *a, unsigned long bytes)
{
	touch(a, bytes, true);
}
void __tsan_vptr_update(void **a, void *)
{
	touch(a, sizeof(*a), true);
}
void __tsan_vptr_read(void **a)
{
	touch(a, sizeof(*a), false);
}
// clang calls these in place of the library's.
void *__tsan_memcpy(void *to, const void *from, unsigned long bytes)
{
	touch(from, bytes, false);
	touch(to, bytes, true);
	return memcpy(to, from, bytes);
}
void *__tsan_memmove(void *to, const void *from, unsigned long bytes)
{
	touch(from, bytes, false);
	touch(to, bytes, true);
	return memmove(to, from, bytes);
}
void *__tsan_memset(void *to, int value, unsigned long bytes)
{
	touch(to, bytes, true);
	return memset(to, value, bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier)
