// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/memory_file.h"

#include "os/file_io.h"
#include "os/log.h"
#include "os/mapping.h"
#include "os/numa.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <gpuvm.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifndef MFD_HUGE_2MB
#define MFD_HUGE_2MB (21u << 26)
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace het
{

namespace
{

constexpr int readable_and_writable = PROT_READ | PROT_WRITE;

} // namespace

// Reserves address space for the file and for as many huge pages as the machine can have, and nothing else: enough for
// several times the machine's memory, less where RLIMIT_AS or a sanitizer leaves less.
bool memory_file::map_alias()
{
	uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * page_size();
	uint64_t huge_room = round_up(memory, huge_page);
	// A file beyond the limit would be SIGXFSZ, not an error.
	rlimit file_size{};
	getrlimit(RLIMIT_FSIZE, &file_size);
	uint64_t most = round_down(file_size.rlim_cur, huge_page);
	for (size_ = std::min(std::max<uint64_t>(uint64_t{64} << 30, memory * 4), most); size_ >= (64 << 20);
	     size_ /= 2) {
		size_ = round_up(size_, huge_page);
		huge_room = std::min(huge_room, size_);
		if (ftruncate(file_.get(), off_t(size_)))
			continue;
		alias_ = static_cast<char *>(map_file_aligned(size_ + huge_room, PROT_NONE, file_.get(), 0));
		if (alias_)
			break;
	}
	huge_end_ = size_;
	if (alias_)
		add_huge_part(huge_room);
	return alias_;
}

// No page is taken here, nor reserved: that is what each create() does.
void memory_file::add_huge_part(uint64_t room)
{
	huge_file_ = own_descriptor(memfd_create("libhet-huge", MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB));
	if (huge_file_ && !ftruncate(huge_file_.get(), off_t(room)) &&
	    map_file(alias_ + size_, room, PROT_NONE, huge_file_.get(), 0)) {
		huge_end_ = size_ + room;
		return;
	}
	huge_file_.reset();
	unmap(range_of(alias_ + size_, room));
}

int memory_file::open()
{
	if (file_)
		return 0;
	file_ = own_descriptor(memfd_create("libhet", MFD_CLOEXEC));
	if (!file_)
		return fail(GPUVM_ESALLOC, "memfd_create failed (errno %d): raise 'ulimit -n'?", errno);
	if (!map_alias()) {
		file_.reset();
		return fail(GPUVM_ESALLOC, "no address space for the alias mapping: raise 'ulimit -v' or 'ulimit -f'");
	}
	madvise(alias_, huge_end_, MADV_DONTFORK);
	madvise(alias_, huge_end_, MADV_DONTDUMP);
	return 0;
}

memory_file::place memory_file::of(uint64_t offset) const
{
	return is_huge(offset) ? place{huge_file_.get(), off_t(offset - size_)} : place{file_.get(), off_t(offset)};
}

size_t memory_file::grain() const
{
	return page_size();
}

const write_counter *memory_file::create(uint64_t offset, size_t n, const page_use &use)
{
	static const write_counter every_write_is_caught{0};
	if (mprotect(alias(offset), n, readable_and_writable))
		return nullptr;
	prefer_node(range_of(alias(offset), n), use.node);
	// A touch of a huge page that is not to be had would be SIGBUS.
	if (!is_huge(offset) || populate(offset, n))
		return &every_write_is_caught;
	destroy(offset, n);
	return nullptr;
}

void memory_file::destroy(uint64_t offset, size_t n)
{
	place p = of(offset);
	fallocate(p.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, p.at, off_t(n));
	mprotect(alias(offset), n, PROT_NONE);
}

bool memory_file::populate(uint64_t offset, size_t n) const
{
	place p = of(offset);
	int err;
	do
		err = fallocate(p.fd, 0, p.at, off_t(n));
	while (err && errno == EINTR);
	return !err;
}

bool memory_file::fill(uint64_t offset, const void *from, size_t n) const
{
	return write_all(file_.get(), from, n, off_t(offset));
}

bool memory_file::read(uint64_t offset, void *to, size_t n) const
{
	place p = of(offset);
	return read_all(p.fd, to, n, p.at);
}

bool memory_file::map_at(range r, uint64_t offset) const
{
	place p = of(offset);
	if (!map_file(r.ptr(), r.size(), readable_and_writable, p.fd, uint64_t(p.at)))
		return false;
	madvise(r.ptr(), r.size(), MADV_DONTFORK);
	return true;
}

// Maps what lies behind the end of the file, where every touch raises SIGBUS. A file of its own would need a
// descriptor, of which there may be no more.
bool memory_file::fail_at(range r) const
{
	return map_file(r.ptr(), r.size(), readable_and_writable, file_.get(), size_);
}

bool memory_file::leave_at(range r, uint64_t offset)
{
	place p = of(offset);
	if (!map_file_private(r, p.fd, uint64_t(p.at)))
		return false;
	if (make_pages_private(r))
		destroy(offset, r.size());
	return true;
}

// Collapses pages one by one: where memory is in pieces some can be had, and others not.
size_t memory_file::make_huge(range r, uint64_t offset) const
{
	if (is_huge(offset))
		return r.size();
	madvise(r.ptr(), r.size(), MADV_HUGEPAGE);
	madvise(alias(offset), r.size(), MADV_HUGEPAGE);
	if (!populate(offset, r.size()))
		return 0;
	size_t huge = 0;
	for (size_t at = 0; at < r.size(); at += huge_page)
		huge += madvise(alias(offset + at), huge_page, MADV_COLLAPSE) ? 0 : huge_page;
	return huge;
}

} // namespace het
