// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps descriptors of the library's in a process whose program may close any number, or put a file of its own there.
// What is written to, mapped from or punched out of such a number is the program's data then, so its user looks first
// whether the file is still the one that was opened.
//
// Three things make that rare. The numbers are out of the way, above those that programs get. The C library's close()
// and its kin spare them (lib/api/interpose_descriptors.cc). And a thread has the files in a descriptor table of its
// own, so that what the system does for them, as the watch of a userfaultfd, does not end with the number: nobody sees
// a stale page meanwhile.
#pragma once

#include <span>
#include <sys/types.h>
#include <utility>

namespace het
{

class own_descriptor
{
      public:
	own_descriptor() = default;
	// Takes @fd over, and gives it another number; a negative one is none. At most 16 are spared at a time.
	explicit own_descriptor(int fd);
	own_descriptor(own_descriptor &&o) noexcept { *this = std::move(o); }
	own_descriptor &operator=(own_descriptor &&o) noexcept
	{
		std::swap(fd_, o.fd_);
		std::swap(device_, o.device_);
		std::swap(inode_, o.inode_);
		return *this;
	}
	~own_descriptor() { reset(); }
	void reset();
	explicit operator bool() const { return fd_ >= 0; }

	// Returns the number of our file. If it is another's by now the process ends, with one sentence: what the
	// library was asked to do can't be done. It is async-signal-safe.
	int get() const
	{
		check();
		return fd_;
	}
	void check() const;
	// Returns the number without a look, for calls that every other file refuses; check() must follow such a
	// refusal.
	int number() const { return fd_; }

      private:
	bool is_ours() const;

	int fd_ = -1;
	dev_t device_ = 0;
	ino_t inode_ = 0;
};

// Returns whether it is one of the numbers above, in the process that opened them (not in a child after vfork, say). It
// is async-signal-safe.
bool is_own_descriptor(int fd);
// Returns all of them in rising order; @room has room for 16.
std::span<int> own_descriptors(std::span<int> room);

// Starts the thread that keeps them, once. Returns false if no thread could be had.
bool keep_own_descriptors();
// Closes them in a forked child, which has no use for them: a copy of the program's number table may keep its memory
// for long.
void close_own_descriptors();

} // namespace het
