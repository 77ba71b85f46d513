// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/waiting_kernels.h"

#include "cache/user_store.h"
#include "os/log.h"

#include <cstring>
#include <new>

namespace het::rt
{

namespace
{

// Somebody wanted to divide this kernel.
struct entry {
	uint64_t program; // is its identity, or where it has none the address of one
	text name;
	bool waits;
	entry *next;
};

// The lock has rank leaf. Entries live as long as the process.
struct known_kernels {
	futex_lock lock;
	entry *first = nullptr;
	std::atomic<uint64_t> changes{1};
};

constinit known_kernels known;

// A kernel remembers how many changes there were when it was looked for, and what was found.
constexpr uint64_t found(uint64_t changes, bool waits)
{
	return changes << 1 | waits;
}

uint64_t program_of(const het_kernel &k)
{
	return k.identity ? k.identity : reinterpret_cast<uintptr_t>(k.program.get());
}

// The caller holds the lock.
entry *find(const het_kernel &k)
{
	entry *e = known.first;
	while (e && (e->program != program_of(k) || strcmp(e->name.get(), k.name.get()) != 0))
		e = e->next;
	return e;
}

// @replaces concerns what is there already. Without memory for it the kernel is looked for again next time.
void add(const het_kernel &k, bool waits, bool replaces)
{
	size_t n = strlen(k.name.get()) + 1;
	std::unique_ptr<entry> made(new (std::nothrow)
					    entry{program_of(k), text(new (std::nothrow) char[n]), waits, nullptr});
	if (!made || !made->name)
		return;
	memcpy(made->name.get(), k.name.get(), n);
	known.lock.lock(lock_rank::leaf);
	if (entry *e = find(k)) {
		e->waits = replaces ? waits : e->waits;
	} else {
		made->next = known.first;
		known.first = made.release();
	}
	known.lock.unlock(lock_rank::leaf);
}

class kernel_key
{
      public:
	explicit kernel_key(const het_kernel &k)
	    : parts_{std::as_bytes(std::span(&k.identity, 1)), cache::bytes_of(k.name.get())}
	{
	}
	cache::key get() const { return {"waits", parts_}; }

      private:
	const cache::bytes parts_[2];
};

bool is_kept(const het_kernel &k)
{
	if (!k.identity)
		return false;
	cache::contents c = cache::user_store().get(kernel_key(k).get());
	return c && c.value.size() == sizeof(bool) && c.value[0] != std::byte{0};
}

bool look_up(const het_kernel &k)
{
	known.lock.lock(lock_rank::leaf);
	const entry *e = find(k);
	bool is_there = e, waits = e && e->waits;
	known.lock.unlock(lock_rank::leaf);
	if (is_there)
		return waits;
	waits = is_kept(k);
	add(k, waits, false);
	return waits;
}

} // namespace

bool is_known_to_wait(het_kernel &k, bool is_declared)
{
	uint64_t changes = known.changes.load(), last = k.known_to_wait.load(std::memory_order_relaxed);
	bool waits = last == found(changes, true);
	if (last >> 1 != changes) {
		waits = look_up(k);
		k.known_to_wait.store(found(changes, waits), std::memory_order_relaxed);
	}
	if (!waits)
		return false;
	constexpr char why[] = "runs on one device: a part of a divided launch has waited for another one";
	if (is_declared && !k.is_refusal_told.exchange(true))
		warn("het_launch: kernel %s %s, in this process or an earlier one", k.name.get(), why);
	else
		inform("het_launch: kernel %s %s", k.name.get(), why);
	return true;
}

void note_waiting(het_kernel &k, bool waits)
{
	add(k, waits, true);
	known.changes.fetch_add(1);
	if (k.identity)
		cache::user_store().put(kernel_key(k).get(), std::as_bytes(std::span(&waits, 1)));
}

} // namespace het::rt
