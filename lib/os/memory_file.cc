// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/memory_file.h"

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

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace het
{

namespace
{

constexpr int read_write = PROT_READ | PROT_WRITE;

} // namespace

int memory_file::open()
{
	if (fd_ >= 0)
		return 0;
	fd_ = memfd_create("libhet", MFD_CLOEXEC);
	if (fd_ < 0)
		return fail(GPUVM_ESALLOC, "memfd_create failed (errno %d): raise 'ulimit -n'?", errno);
	// Address space only: enough for several times the machine's memory, less where RLIMIT_AS or a sanitizer
	// leaves less.
	uint64_t memory = uint64_t(sysconf(_SC_PHYS_PAGES)) * page_size();
	// A file beyond the limit would be SIGXFSZ, not an error.
	rlimit file_size{};
	getrlimit(RLIMIT_FSIZE, &file_size);
	uint64_t most = round_down(file_size.rlim_cur, huge_page);
	for (size_ = std::min(std::max<uint64_t>(uint64_t{64} << 30, memory * 4), most); size_ >= (64 << 20);
	     size_ /= 2) {
		size_ = round_up(size_, huge_page);
		if (ftruncate(fd_, off_t(size_)))
			continue;
		alias_ = static_cast<char *>(map_file_aligned(size_, PROT_NONE, fd_, 0));
		if (alias_)
			break;
	}
	if (!alias_) {
		close(fd_);
		fd_ = -1;
		return fail(GPUVM_ESALLOC, "no address space for the alias mapping: raise 'ulimit -v' or 'ulimit -f'");
	}
	madvise(alias_, size_, MADV_DONTFORK);
	madvise(alias_, size_, MADV_DONTDUMP);
	return 0;
}

size_t memory_file::grain() const
{
	return page_size();
}

const write_counter *memory_file::create(uint64_t offset, size_t n, const page_use &use)
{
	static const write_counter every_write_is_caught{0};
	if (mprotect(alias(offset), n, read_write))
		return nullptr;
	prefer_node(range_of(alias(offset), n), use.node);
	return &every_write_is_caught;
}

void memory_file::destroy(uint64_t offset, size_t n)
{
	fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(offset), off_t(n));
	mprotect(alias(offset), n, PROT_NONE);
}

bool memory_file::populate(uint64_t offset, size_t n) const
{
	int err;
	do
		err = fallocate(fd_, 0, off_t(offset), off_t(n));
	while (err && errno == EINTR);
	return !err;
}

namespace
{

// pread(2) or pwrite(2) until all is done.
template <class Call> bool transfer_all(Call call, char *p, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t done = call(p, n, off_t(offset));
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		p += done;
		offset += uint64_t(done);
		n -= size_t(done);
	}
	return true;
}

} // namespace

bool memory_file::fill(uint64_t offset, const void *from, size_t n) const
{
	auto call = [this](char *p, size_t size, off_t at) { return pwrite(fd_, p, size, at); };
	return transfer_all(call, static_cast<char *>(const_cast<void *>(from)), n, offset);
}

bool memory_file::read(uint64_t offset, void *to, size_t n) const
{
	auto call = [this](char *p, size_t size, off_t at) { return pread(fd_, p, size, at); };
	return transfer_all(call, static_cast<char *>(to), n, offset);
}

bool memory_file::map_at(range r, uint64_t offset) const
{
	if (!map_file(r.ptr(), r.size(), read_write, fd_, offset))
		return false;
	madvise(r.ptr(), r.size(), MADV_DONTFORK);
	return true;
}

bool memory_file::make_huge(range r, uint64_t offset) const
{
	madvise(r.ptr(), r.size(), MADV_HUGEPAGE);
	madvise(alias(offset), r.size(), MADV_HUGEPAGE);
	return populate(offset, r.size()) && !madvise(alias(offset), r.size(), MADV_COLLAPSE);
}

} // namespace het
