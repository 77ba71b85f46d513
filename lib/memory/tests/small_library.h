// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A library that nobody has started: without threads and settings of its own, with a trap and devices that remember
// what they were asked for. Pages stay as they are, so a test looks at the trap for what the host may do, and touches
// by calling serve().
#pragma once

#include "memory/host_touch.h"
#include "memory/lane.h"
#include "memory/library.h"
#include "memory/link.h"
#include "memory/touch.h"
#include "os/memory_file.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <gpuvm.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace het
{

inline constexpr size_t page = 4096, chunk_bytes = 64 << 10;

class fake_trap final : public trap
{
      public:
	const char *name() const override { return "fake"; }
	trap_features features() const override { return can; }
	int hold(range) override { return hold_error; }
	void unhold(range) override { log.push_back("unhold"); }
	int watch(const pages &p) override
	{
		watched = p.at;
		set(p.at, access::write);
		return 0;
	}
	int unwatch(const pages &) override { return 0; }
	int protect(const pages &p, access to) override
	{
		log.push_back(to == access::none ? "take" : "lower");
		if (during_protect)
			during_protect();
		if (protect_error)
			return protect_error;
		for (uintptr_t at = p.at.begin; at < p.at.end; at += page)
			allowed[at / page] = std::min(allowed[at / page], to);
		return 0;
	}
	int admit(const pages &p, access to) override
	{
		log.push_back("show");
		if (during_admit)
			during_admit();
		if (admit_error)
			return admit_error;
		shown.push_back(p.at);
		set(p.at, to);
		return 0;
	}
	// If it fails the pages are gone, but for those that were mapped before.
	int open_for_writes(const pages &p) override
	{
		if (!open_error)
			log.push_back("open");
		if (!open_error)
			return admit(p, access::write);
		set(p.at, access::none);
		set({p.at.begin, p.at.begin + opened_before_error}, access::write);
		return open_error;
	}
	void wake(const pages &p) override { woken.push_back(p.at); }
	int spoil(const pages &p, const page_source &) override
	{
		log.push_back("spoil");
		set(p.at, access::none);
		return 0;
	}
	int heal(const pages &p, const page_source &) override
	{
		log.push_back("heal");
		set(p.at, access::none);
		return 0;
	}
	void take_accesses(std::span<const pages> of, access *answers) override
	{
		for (const pages &p : of)
			*answers++ = std::exchange(uses[p.at.begin], access::none);
		questions += of.size();
	}
	bool next(touch &, wait_policy) override { return false; }
	void interrupt() override {}
	bool has_touch() const override { return false; }
	void forked_child() override {}

	// The host does so with the chunk that begins there; a test tells, as nobody else sees it.
	void use(const void *chunk, access how)
	{
		access &now = uses[reinterpret_cast<uintptr_t>(chunk)];
		now = std::max(now, how);
	}
	// What the host may do with the page at @at.
	access at(const void *at) const { return allowed.at(reinterpret_cast<uintptr_t>(at) / page); }
	bool was_woken(const void *at) const
	{
		for (range r : woken) {
			if (r.contains(reinterpret_cast<uintptr_t>(at)))
				return true;
		}
		return false;
	}
	size_t count(const std::string &what) const { return size_t(std::count(log.begin(), log.end(), what)); }
	void forget()
	{
		log.clear();
		shown.clear();
		woken.clear();
	}

	trap_features can{.shared_reads = true};
	int hold_error = 0, protect_error = 0, admit_error = 0, open_error = 0;
	size_t opened_before_error = 0;
	std::function<void()> during_admit, during_protect;
	range watched;
	std::vector<std::string> log;
	std::vector<range> shown, woken;
	size_t questions = 0; // about one chunk each

      private:
	void set(range r, access to)
	{
		for (uintptr_t p = r.begin; p < r.end; p += page)
			allowed[p / page] = to;
	}

	std::map<uintptr_t, access> allowed, uses;
};

// Its buffers are memory of the test's.
class fake_device final : public device
{
      public:
	const char *name() const override { return "fake"; }
	int retain(void *, size_t) override
	{
		buffers++;
		return 0;
	}
	void release(void *) override { buffers--; }
	range memory_of(void *devbuf, size_t n) const override
	{
		return has_host_memory ? range_of(devbuf, n) : range{};
	}
	bool pin(void *, size_t) override
	{
		if (during_pin)
			during_pin();
		return during_pin != nullptr;
	}
	int read(unsigned, std::span<const transfer> pieces) override
	{
		reads++;
		if (fails)
			return GPUVM_EDEVALLOC;
		if (during_read)
			during_read();
		for (const transfer &t : pieces) {
			memcpy(t.host, static_cast<char *>(t.devbuf) + t.offset, t.size);
			bytes_read += t.size;
		}
		return 0;
	}
	int write(unsigned, std::span<const transfer> pieces) override
	{
		writes++;
		if (fails)
			return GPUVM_EDEVALLOC;
		// They arrive last of all.
		std::vector<std::string> taken;
		for (const transfer &t : pieces)
			taken.emplace_back(static_cast<const char *>(t.host), t.size);
		if (during_write)
			during_write();
		for (size_t i = 0; i < pieces.size(); i++) {
			const transfer &t = pieces[i];
			memcpy(static_cast<char *>(t.devbuf) + t.offset, taken[i].data(), t.size);
			bytes_written += t.size;
		}
		return 0;
	}
	int start_read(unsigned, const transfer &piece, read_ticket &ticket) override
	{
		started.push_back(piece);
		ticket.handle = reinterpret_cast<void *>(started.size() - 1);
		return 0;
	}
	int finish_read(unsigned lane, read_ticket &ticket) override
	{
		return read(lane, {&started[reinterpret_cast<uintptr_t>(ticket.handle)], 1});
	}
	int retain_event(void *event, void **kept) override
	{
		*kept = event;
		return 0;
	}
	int wait_event(void *) override
	{
		waits++;
		if (during_wait)
			during_wait();
		return kernel == event_state::failed ? GPUVM_EDEVALLOC : 0;
	}
	event_state look_at_event(void *) override
	{
		looks++;
		if (during_look)
			during_look();
		return kernel;
	}
	void release_event(void *) override { released++; }

	// What becomes of the kernel behind the events.
	event_state kernel = event_state::done;
	bool fails = false, has_host_memory = false;
	std::function<void()> during_read, during_write, during_wait, during_look;
	std::function<void()> during_pin; // memory can be pinned if there is one
	int buffers = 0, reads = 0, writes = 0, looks = 0, released = 0;
	std::atomic<int> waits{0};
	size_t bytes_read = 0, bytes_written = 0;

      private:
	std::vector<transfer> started;
};

// A resolver, without a thread of its own.
class fake_server final : public server
{
      public:
	unsigned lane() const override { return 0; }
	bool in_handler() const override { return is_in_handler; }
	void wait_for_device(bool) override {}
	bool is_in_handler = false;
};

class small_library : public testing::Test
{
      protected:
	static constexpr unsigned devices = 2;
	static constexpr size_t chunks = 4, bytes = chunks * chunk_bytes;

	small_library()
	{
		// Never destroyed, as the library's own: one alias for all tests.
		static memory_file &file = *new memory_file;
		EXPECT_EQ(file.open(), 0);
		l.source = &file;
		l.space.open(file);
		l.lanes.emplace(1, caller_lanes);
		auto caught = std::make_unique<fake_trap>();
		trap_ = caught.get();
		l.catcher = std::move(caught);
		l.ndevs = devices;
		for (unsigned d = 0; d < devices; d++) {
			auto made = std::make_unique<fake_device>();
			device_[d] = made.get();
			l.devices[d] = std::move(made);
			buffer_[d].assign(bytes, '-');
		}
		host = static_cast<char *>(
			mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
		memset(host, 'h', bytes);
	}
	~small_library() override
	{
		for (auto *d : device_)
			d->fails = false;
		while (array *a = l.arrays.first_overlap(range_of(host, bytes))) {
			structure_guard g(l);
			unlink_all(l, *a, {.force = true});
		}
		munmap(host, bytes);
	}

	int link(unsigned device = 0, link_options o = {})
	{
		return link_array(l, host, bytes, device, buffer_[device].data(), o);
	}
	array &linked() { return *l.arrays.find(reinterpret_cast<uintptr_t>(host)); }
	char *chunk_at(size_t c) { return host + c * chunk_bytes; }
	char *buffer_at(size_t c, unsigned device = 0) { return buffer_[device].data() + c * chunk_bytes; }
	usage whole(unsigned device = 0) const { return {device, range_of(host, bytes), true}; }
	usage part(size_t first, size_t n, unsigned device = 0) const
	{
		return {device, range_of(host + first, n), false};
	}
	chunk_state state(size_t c) { return linked().chunks[c].state(); }
	verdict touch_at(const char *at, bool write = false)
	{
		return serve(l.arrays, {reinterpret_cast<uintptr_t>(at), write}, server_);
	}

	library l;
	fake_trap *trap_;
	fake_device *device_[devices];
	std::vector<char> buffer_[devices];
	fake_server server_;
	char *host;
};

} // namespace het
