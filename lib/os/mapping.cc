// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/mapping.h"

#include "os/log.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <gpuvm.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace het
{

namespace
{

constexpr int read_write = PROT_READ | PROT_WRITE;

void *raw_mmap(void *at, size_t n, int prot, int flags, int fd, uint64_t offset)
{
	long r = syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	return r == -1 ? nullptr : reinterpret_cast<void *>(r);
}

} // namespace

size_t page_size()
{
	static const size_t size = size_t(sysconf(_SC_PAGESIZE));
	return size;
}

void *map_private(size_t n)
{
	return raw_mmap(nullptr, n, read_write, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *map_private_like(uintptr_t like, size_t n, size_t align)
{
	if (align <= page_size())
		return map_private(n);
	void *p = map_private(n + align);
	if (!p)
		return nullptr;
	range all = range_of(p, n + align);
	uintptr_t begin = round_down(all.begin, align) + like % align;
	begin += begin < all.begin ? align : 0;
	range kept{begin, begin + n};
	if (all.begin < kept.begin)
		unmap({all.begin, kept.begin});
	if (kept.end < all.end)
		unmap({kept.end, all.end});
	if (n >= huge_page)
		madvise(kept.ptr(), n, MADV_HUGEPAGE);
	return kept.ptr();
}

void unmap(range r)
{
	syscall(SYS_munmap, r.begin, r.size());
}

bool move_mapping(range from, range to)
{
	return syscall(SYS_mremap, from.begin, from.size(), to.size(), MREMAP_MAYMOVE | MREMAP_FIXED, to.begin) != -1;
}

bool map_failing(range r)
{
	int fd = memfd_create("het-failed", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	bool ok = raw_mmap(r.ptr(), r.size(), read_write, MAP_SHARED | MAP_FIXED, fd, 0) != nullptr;
	close(fd);
	return ok;
}

namespace
{

// A mapping of the file without access, at a multiple of 2 MiB as offsets in it are: a huge page needs both.
char *map_aligned(int fd, uint64_t size)
{
	void *room = raw_mmap(nullptr, size + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!room)
		return nullptr;
	range all = range_of(room, size + huge_page);
	uintptr_t begin = round_up(all.begin, huge_page);
	range kept{begin, begin + size};
	void *p = raw_mmap(kept.ptr(), size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0);
	if (!p)
		kept = {all.end, all.end};
	if (all.begin < kept.begin)
		unmap({all.begin, kept.begin});
	if (kept.end < all.end)
		unmap({kept.end, all.end});
	return static_cast<char *>(p);
}

} // namespace

int memory_file::open()
{
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
		alias_ = map_aligned(fd_, size_);
		if (alias_)
			break;
	}
	if (!alias_) {
		close(fd_);
		return fail(GPUVM_ESALLOC, "no address space for the alias mapping: raise 'ulimit -v' or 'ulimit -f'");
	}
	madvise(alias_, size_, MADV_DONTFORK);
	madvise(alias_, size_, MADV_DONTDUMP);
	return 0;
}

bool memory_file::open_alias(uint64_t offset, size_t n) const
{
	return !mprotect(alias(offset), n, read_write);
}

void memory_file::close_alias(uint64_t offset, size_t n) const
{
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

void memory_file::punch(uint64_t offset, size_t n) const
{
	fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(offset), off_t(n));
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
	if (!raw_mmap(r.ptr(), r.size(), read_write, MAP_SHARED | MAP_FIXED, fd_, offset))
		return false;
	madvise(r.ptr(), r.size(), MADV_DONTFORK);
	return true;
}

} // namespace het
