// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/vma.h"

#include "os/mapping.h"
#include "os/settings.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_COLD
#define MADV_COLD 20
#endif
#ifndef MLOCK_ONFAULT
#define MLOCK_ONFAULT 1
#endif

namespace het
{

namespace
{

// Debian 12's headers lack struct procmap_query of Linux 6.11.
struct procmap_query {
	uint64_t size;
	uint64_t query_flags;
	uint64_t query_addr;
	uint64_t vma_start;
	uint64_t vma_end;
	uint64_t vma_flags;
	uint64_t vma_page_size;
	uint64_t vma_offset;
	uint64_t inode;
	uint32_t dev_major;
	uint32_t dev_minor;
	uint32_t vma_name_size;
	uint32_t build_id_size;
	uint64_t vma_name_addr;
	uint64_t build_id_addr;
};

#define PROCMAP_QUERY_IOCTL _IOWR('f', 17, procmap_query)

constexpr uint64_t vma_readable = 1, vma_writable = 2, vma_shared = 8, query_covering_or_next = 16;

struct mapping {
	range r;
	bool writable;
	bool shared;
	bool file;
	bool stack;
};

memory_kind kind_of(const mapping &m)
{
	if (!m.writable)
		return memory_kind::read_only;
	if (m.stack)
		return memory_kind::stack;
	if (m.shared)
		return memory_kind::shared;
	return m.file ? memory_kind::private_file : memory_kind::private_anonymous;
}

// Holds the answer so far for a walk of mappings in address order.
class classifier
{
      public:
	classifier(range r, range body) : r_(r), body_(body), at_(r.begin) {}
	// Returns true when the answer is known.
	bool add(const mapping &m)
	{
		if (m.r.end <= at_)
			return false;
		if (m.r.begin > at_)
			kind_ = memory_kind::unmapped;
		else if (m.r.overlaps(body_) || !m.writable)
			kind_ = kind_of(m);
		at_ = m.r.end;
		return kind_ != memory_kind::private_anonymous || at_ >= r_.end;
	}
	memory_kind answer() const
	{
		bool open = kind_ == memory_kind::private_anonymous && at_ < r_.end;
		return open ? memory_kind::unmapped : kind_;
	}
	uintptr_t at() const { return at_; }

      private:
	range r_, body_;
	uintptr_t at_;
	memory_kind kind_ = memory_kind::private_anonymous;
};

// Needs one ioctl for each mapping. Returns false if this kernel can't.
bool classify_by_query(int maps, classifier &c)
{
	for (;;) {
		char name[64];
		procmap_query q{};
		q.size = sizeof(q);
		q.query_flags = query_covering_or_next;
		q.query_addr = c.at();
		q.vma_name_size = sizeof(name);
		q.vma_name_addr = reinterpret_cast<uintptr_t>(name);
		if (ioctl(maps, PROCMAP_QUERY_IOCTL, &q)) {
			if (errno == ENOENT)
				return true;
			if (errno != ENAMETOOLONG)
				return false;
			// Only files have long names.
			q.vma_name_size = 0;
			q.vma_name_addr = 0;
			if (ioctl(maps, PROCMAP_QUERY_IOCTL, &q))
				return false;
		}
		mapping m{.r = {q.vma_start, q.vma_end},
			  .writable = (q.vma_flags & (vma_readable | vma_writable)) == (vma_readable | vma_writable),
			  .shared = (q.vma_flags & vma_shared) != 0,
			  .file = q.inode != 0,
			  .stack = q.vma_name_size && !strcmp(name, "[stack]")};
		if (c.add(m))
			return true;
	}
}

// Reads the text of /proc/self/maps with a buffer of our own, since stdio would allocate.
class maps_text
{
      public:
	explicit maps_text(int fd) : fd_(fd) {}
	bool line(char *out, size_t size)
	{
		size_t n = 0;
		for (;;) {
			if (at_ == have_) {
				ssize_t got = read(fd_, buffer_, sizeof(buffer_));
				if (got <= 0)
					return false;
				at_ = 0;
				have_ = size_t(got);
			}
			char c = buffer_[at_++];
			if (c == '\n')
				break;
			if (n + 1 < size)
				out[n++] = c;
		}
		out[n] = 0;
		return true;
	}

      private:
	int fd_;
	char buffer_[4096];
	size_t at_ = 0, have_ = 0;
};

void classify_by_text(int maps, classifier &c)
{
	maps_text text(maps);
	char line[256];
	while (text.line(line, sizeof(line))) {
		unsigned long begin, end, inode;
		char flags[5];
		if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu", &begin, &end, flags, &inode) != 4)
			continue;
		mapping m{.r = {begin, end},
			  .writable = flags[0] == 'r' && flags[1] == 'w',
			  .shared = flags[3] == 's',
			  .file = inode != 0,
			  .stack = !inode && strstr(line, "[stack]")};
		if (c.add(m))
			return;
	}
}

// Stacks of other threads than the first are plain mappings.
bool on_own_stack(range r)
{
	pthread_attr_t attr;
	if (gettid() == getpid() || pthread_getattr_np(pthread_self(), &attr))
		return false;
	void *base;
	size_t size;
	pthread_attr_getstack(&attr, &base, &size);
	pthread_attr_destroy(&attr);
	return range_of(base, size).overlaps(r);
}

} // namespace

memory_kind classify(range r, range body)
{
	if (on_own_stack(body))
		return memory_kind::stack;
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (maps < 0)
		return memory_kind::unknown;
	classifier c(r, body);
	if (settings().kernel_6_1 || !classify_by_query(maps, c))
		classify_by_text(maps, c);
	close(maps);
	return c.answer();
}

const char *describe(memory_kind kind)
{
	switch (kind) {
	case memory_kind::private_anonymous:
		return "private anonymous memory";
	case memory_kind::unmapped:
		return "not mapped";
	case memory_kind::read_only:
		return "not writable";
	case memory_kind::private_file:
		return "a private file mapping";
	case memory_kind::shared:
		return "shared memory";
	case memory_kind::stack:
		return "on a stack";
	case memory_kind::unknown:
		break;
	}
	return "unknown memory";
}

bool is_locked(uintptr_t page)
{
	// MADV_COLD is a hint with no effect on contents, and refused on locked memory.
	return madvise(reinterpret_cast<void *>(page), page_size(), MADV_COLD) && errno == EINVAL;
}

void lock_pages(range r)
{
	mlock2(r.ptr(), r.size(), MLOCK_ONFAULT);
}

bool populated_pages(range r, std::span<uint64_t> words)
{
	constexpr uint64_t present_or_swapped = uint64_t{3} << 62;
	std::fill(words.begin(), words.end(), 0);
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size_t pages = r.size() / page_size(), done = 0;
	uint64_t entries[256];
	while (done < pages) {
		size_t want = std::min(pages - done, std::size(entries)) * sizeof(uint64_t);
		off_t offset = off_t((r.begin / page_size() + done) * sizeof(uint64_t));
		if (pread(fd, entries, want, offset) != ssize_t(want))
			break;
		for (size_t i = 0; i < want / sizeof(uint64_t); i++, done++)
			if (entries[i] & present_or_swapped)
				words[done / 64] |= uint64_t{1} << (done % 64);
	}
	close(fd);
	return done == pages;
}

} // namespace het
