// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tiny core has as much of a memory core as a test of a trap needs: one array of whole pages, one device, one
// resolver.
#pragma once

#include "os/lock.h"
#include "trap/trap.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace het
{

class tiny_core
{
      public:
	static constexpr size_t page = 4096, pages = 64, chunk_pages = 4, chunks = pages / chunk_pages;
	static constexpr size_t bytes = page * pages, chunk_bytes = page * chunk_pages;

	// The device takes @fetch_delay_us for a fetch.
	tiny_core(std::unique_ptr<trap> (*make)(const touch_sink &, const char **), unsigned fetch_delay_us = 0)
	    : delay_us_(fetch_delay_us)
	{
		self = this;
		trap_ = make({touched_here}, &why_);
		if (!trap_)
			return;
		file_ = memfd_create("tiny", MFD_CLOEXEC);
		if (ftruncate(file_, bytes) || fallocate(file_, 0, 0, bytes))
			abort();
		alias_ = map_file(nullptr, 0);
		primary_ = map_file(nullptr, 0);
		if (trap_->watch({body()}))
			abort();
		resolver_ = std::thread([this] { resolve(); });
	}

	~tiny_core()
	{
		if (trap_) {
			stop_.store(true);
			trap_->interrupt();
			resolver_.join();
			trap_.reset();
			munmap(alias_, bytes);
			munmap(primary_, bytes);
			close(file_);
		}
		self = nullptr;
	}

	const char *why() const { return why_; }
	trap &the_trap() { return *trap_; }
	volatile char *primary() { return primary_; }
	char *alias() { return alias_; }
	range body() const { return range_of(primary_, bytes); }
	range chunk(size_t c) const { return range_of(primary_ + c * chunk_bytes, chunk_bytes); }

	// Makes the device's copy the only one: every byte is @value there, and something else in the alias.
	void give_to_device(char value)
	{
		std::lock_guard no_fetch(transfer_);
		guard g(lock_, lock_rank::array);
		for (auto &s : state_)
			s = access::none;
		if (trap_->protect({body()}, access::none))
			abort();
		memset(alias_, '?', bytes);
		device_ = value;
	}

	// Does as a device that reads the array: what the host could write it may only read now.
	void share()
	{
		guard g(lock_, lock_rank::array);
		for (size_t n = 0; n < chunks; n++) {
			if (state_[n] != access::write)
				continue;
			state_[n] = access::read;
			if (trap_->protect({chunk(n)}, access::read))
				abort();
		}
	}

	// Does as the last unlink: the array is forgotten, and its memory is ordinary.
	void forget()
	{
		guard g(lock_, lock_rank::array);
		known_ = false;
		if (trap_->unwatch({body()}))
			abort();
		visible_.store(false);
	}

	// Makes all of it valid on the host, and shows none of it.
	void know_again()
	{
		guard g(lock_, lock_rank::array);
		visible_.store(true);
		known_ = true;
		for (auto &s : state_)
			s = access::write;
		if (trap_->watch({body()}) || trap_->protect({body()}, access::none))
			abort();
	}

	// @r is private memory that is being adopted: touches of it wait.
	void set_held(range r)
	{
		guard g(lock_, lock_rank::array);
		held_ = r;
	}

	// The device of @r has failed: who touches it is told so, and those who wait try again.
	void set_failed(range r)
	{
		guard g(lock_, lock_rank::array);
		failed_ = r;
	}

	// A toucher takes so long between its fault and the look at what is known.
	std::atomic<unsigned> think_us{0};
	std::atomic<unsigned> reads{0}, writes{0}, fetches{0};

      private:
	static inline tiny_core *self = nullptr;

	char *map_file(void *at, int flags)
	{
		return static_cast<char *>(mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file_, 0));
	}

	bool is_held(touch t)
	{
		guard g(lock_, lock_rank::array);
		return held_.contains(t.addr);
	}

	bool is_failed(touch t)
	{
		guard g(lock_, lock_rank::array);
		return failed_.contains(t.addr);
	}

	static bool touched_here(touch t)
	{
		tiny_core &c = *self;
		if (unsigned us = c.think_us.load())
			usleep(us);
		if (c.is_failed(t)) {
			c.trap_->wake({{round_down(t.addr, page), round_down(t.addr, page) + page}});
			return false;
		}
		if (c.is_held(t)) {
			c.trap_->hand_over(t);
			return true;
		}
		if (!c.visible_.load() || !c.body().contains(t.addr))
			return false;
		(t.write ? c.writes : c.reads).fetch_add(1);
		if (!c.serve_valid(t))
			c.trap_->hand_over(t);
		return true;
	}

	// Shows the chunk if the host has a copy that allows it, or only has to become the owner.
	bool serve_valid(touch t)
	{
		guard g(lock_, lock_rank::array);
		size_t n = (t.addr - body().begin) / chunk_bytes;
		if (!known_ || state_[n] == access::none)
			return !known_;
		if (t.write)
			state_[n] = access::write;
		trap_->admit({from_touch(t, n)}, state_[n]);
		return true;
	}

	// The range begins with the touched page, as userfaultfd shows pages up to the first that is there already.
	range from_touch(touch t, size_t n) const { return {round_down(t.addr, page), chunk(n).end}; }

	void fetch(touch t)
	{
		std::lock_guard one_at_a_time(transfer_);
		if (serve_valid(t))
			return;
		fetches.fetch_add(1);
		size_t n = (t.addr - body().begin) / chunk_bytes;
		bool stops = trap_->features().stops_threads;
		if (stops) {
			trap_->stop_threads();
			trap_->admit({chunk(n)}, access::write);
		}
		if (delay_us_)
			usleep(delay_us_);
		memset(stops ? primary_ + n * chunk_bytes : alias_ + n * chunk_bytes, device_, chunk_bytes);
		{
			guard g(lock_, lock_rank::array);
			bool shared = !t.write && trap_->features().shared_reads;
			state_[n] = shared ? access::read : access::write;
			if (known_)
				trap_->admit({chunk(n)}, state_[n]);
		}
		if (stops)
			trap_->resume_threads();
	}

	void resolve()
	{
		signals_blocked all;
		while (!stop_.load()) {
			touch t;
			if (!trap_->next(t, {20000}))
				continue;
			// The touch may have been handed over after the waiters were woken, so nobody else will wake
			// this one.
			while (is_held(t) && !stop_.load())
				usleep(100);
			// The touch may be of a held range, which is not the device's.
			if (body().contains(t.addr))
				fetch(t);
			trap_->wake({{round_down(t.addr, page), round_down(t.addr, page) + page}});
		}
	}

	std::unique_ptr<trap> trap_;
	const char *why_ = nullptr;
	int file_ = -1;
	char *alias_ = nullptr, *primary_ = nullptr;
	unsigned delay_us_;
	std::atomic<bool> stop_{false}, visible_{true};
	std::thread resolver_;

	// The lock is held while bytes travel. It is an ordinary mutex, so that whoever waits for it can be stopped
	// meanwhile.
	std::mutex transfer_;
	futex_lock lock_; // guards what follows
	bool known_ = true;
	range held_{}, failed_{};
	char device_ = 0;
	std::array<access, chunks> state_ = [] {
		std::array<access, chunks> all;
		all.fill(access::write);
		return all;
	}();
};

} // namespace het
