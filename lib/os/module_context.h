// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Holds a context of the kernel module, as kmod/uapi/linux/gpuvm.h describes it: its pages, their states, its ring of
// touches. It has no policy.
#pragma once

#include "os/own_descriptor.h"
#include "os/page_source.h"
#include "os/spare_file.h"

#include <memory>
#include <span>

struct gpuvm_ring;

namespace het
{

// A touch of a page in the primary mapping goes on, goes on if it reads, waits, or is SIGBUS.
enum class page_state : uint8_t { host, shared, device, failed };

class module_context final : public page_source
{
      public:
	// Returns whether the device file exists, whoever may open it.
	static bool is_present();
	// Returns why programs that did not ask for it should not get it (static text), or null.
	static const char *objection();
	// Returns null, with the reason in *why (static text), if it can't be opened.
	static std::unique_ptr<module_context> open(const char **why);

	module_context(const module_context &) = delete;
	module_context &operator=(const module_context &) = delete;
	~module_context();

	// Returns whether the module knows the state shared.
	bool can_share() const;
	// Returns whether the module knows what the host has accessed.
	bool can_tell_accesses() const;

	// Changes the state of pages and lets all who wait there look again. Returns -errno, 1 if the host had written
	// to some of them since they became shared, or else 0.
	int set_state(uint64_t offset, size_t n, page_state to) const;
	// Lets all who wait there post their touch anew.
	void wake(uint64_t offset, size_t n) const;
	// Returns whether the host has written to one of the pages since it became shared.
	bool was_written(uint64_t offset, size_t n) const;

	struct part {
		uint64_t offset;
		size_t size;
	};
	static constexpr size_t most_parts = 64;
	// Tells what the host has done to parts, which are of whole chunks, since they were asked about the last time:
	// of at most most_parts. Where nothing is answered, which is an error of the system's, it was a read.
	void take_accesses(std::span<const part> parts, access *answers) const;

	struct touch {
		uint64_t offset;
		uintptr_t address; // of the page
		bool write;
	};
	// These are about the ring. One thread at a time may take from it.
	bool has_touch() const;
	bool take(touch *t) const;
	// The file is readable while the ring holds touches. All event files look alike: the module's other file tells
	// of both.
	int event_fd() const
	{
		file_.check();
		return event_file_.get();
	}

	size_t grain() const override;
	size_t huge_chunk() const override;
	const char *cure() const override;
	const write_counter *create(uint64_t offset, size_t n, const page_use &use) override;
	void destroy(uint64_t offset, size_t n) override;
	bool populate(uint64_t offset, size_t n) const override;
	// These two make the pages exist.
	bool fill(uint64_t offset, const void *from, size_t n) const override;
	bool read(uint64_t offset, void *to, size_t n) const override;
	bool map_at(range r, uint64_t offset) const override;
	bool fail_at(range) const override { return false; }
	bool leave_at(range r, uint64_t offset) override;
	size_t make_huge(range r, uint64_t offset) const override;

      private:
	explicit module_context(own_descriptor &&file) : file_(std::move(file)) {}
	bool greet(const char **why);
	bool map_tables();

	own_descriptor file_, event_file_;
	spare_file spare_;
	uint64_t features_ = 0;
	size_t page_ = 0;
	const uint8_t *states_ = nullptr;
	const write_counter *counters_ = nullptr;
	gpuvm_ring *ring_ = nullptr;
	size_t ring_bytes_ = 0;
};

} // namespace het
