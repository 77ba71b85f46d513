// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "os/spare_file.h"

#include "os/file_io.h"
#include "os/mapping.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace het
{

namespace
{

// Pages lie in the file and in the program at once while they become the program's, so not all do at a time.
constexpr size_t at_a_time = huge_page;

} // namespace

void spare_file::open()
{
	file_ = own_descriptor(memfd_create("libhet-spare", MFD_CLOEXEC));
}

// A file beyond the limit would be SIGXFSZ, not an error.
bool spare_file::has_room(size_t n) const
{
	rlimit most{};
	getrlimit(RLIMIT_FSIZE, &most);
	return n <= most.rlim_cur && end_ <= most.rlim_cur - n;
}

void spare_file::drop(uint64_t at, size_t n)
{
	fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off_t(at), off_t(n));
}

bool spare_file::replace(range r, const void *from)
{
	if (!file_ || !has_room(r.size()))
		return false;
	if (!write_all(file_.get(), from, r.size(), off_t(end_)) || !map_file_private(r, file_.get(), end_)) {
		drop(end_, r.size());
		return false;
	}
	for (uintptr_t at = r.begin; at < r.end; at += at_a_time) {
		range piece{at, std::min(at + at_a_time, r.end)};
		if (make_pages_private(piece))
			drop(end_ + (at - r.begin), piece.size());
	}
	end_ += r.size();
	return true;
}

} // namespace het
