// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Wraps userfaultfd(2): opening, features, and the ioctls with their retry rules. There is no policy here.
#pragma once

#include "core/range.h"
#include "os/own_descriptor.h"

#include <cstdint>
#include <optional>

namespace het
{

class userfaultfd
{
      public:
	// Opens through /dev/userfaultfd, then the system call, then the system call for user-mode faults only, and
	// negotiates UFFD_FEATURE_... bits @extra beside what the library always needs (minor faults and write
	// protection on shared memory). On failure it returns nothing, and *why says what to do.
	static std::optional<userfaultfd> open(uint64_t extra, const char **why);

	// Events are read from this file, which may be polled for them.
	const own_descriptor &file() const { return file_; }
	// Returns whether faults taken inside system calls are reported, too.
	bool kernel_mode() const { return kernel_mode_; }
	// Returns whether UFFDIO_CONTINUE can map read-only (Linux 6.4).
	bool continue_wp() const { return continue_wp_; }

	// Returns 0 or -errno. Ranges may span mappings that the program split (mlock or madvise of a part).
	int register_shared(range r) const;  // MISSING, MINOR, WP: library memory in its primary place
	int register_private(range r) const; // MISSING, WP: anonymous memory that is being adopted
	int unregister(range r) const;
	// Write-protects present pages and marks absent ones; without @on it lifts that and wakes.
	int write_protect(range r, bool on) const;
	// Maps pages that are in the page cache, from the first page on, until the end or a page that is mapped
	// already, and wakes who waits there. Returns 0 if the first page is mapped now, -EEXIST if it was before and
	// nothing was done, and -EFAULT if the file has a hole there. Where the program split the mapping, each part is
	// treated so; the answer is the first part's, or -ENOENT if a part is gone.
	int continue_from(range r, bool read_only) const;
	void wake(range r) const;

      private:
	userfaultfd(own_descriptor &&file, bool kernel_mode) : file_(std::move(file)), kernel_mode_(kernel_mode) {}
	int call(unsigned long request, void *arg) const;
	bool probe_continue_wp() const;
	int continue_in_mapping(range r, bool read_only) const;

	own_descriptor file_;
	bool kernel_mode_;
	bool continue_wp_ = false;
};

// Calls madvise(MADV_DONTNEED), also on locked memory. Returns 0 or -errno.
int drop_pages(range r);

} // namespace het
