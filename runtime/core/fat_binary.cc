// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/fat_binary.h"

#include "os/descriptor.h"
#include "os/log.h"
#include "os/mapping.h"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>

namespace het::rt
{

namespace
{

constexpr char running_executable[] = "/proc/self/exe";

// Narrows an executable down to one of its sections.
bool take_section(const char *name, fatbin::bytes &bytes, fatbin::fault &why)
{
	fatbin::elf_sections elf;
	if (!elf.open(bytes, why))
		return false;
	uint32_t i = elf.find(name);
	if (!i)
		return why.say("no section %s: was it added with objcopy --add-section, and not stripped?", name);
	return elf.contents(i, bytes) || why.say("section %s is not inside the file: it is cut off", name);
}

} // namespace

fat_binary::~fat_binary()
{
	if (!mapped_.empty())
		unmap(mapped_);
}

int fat_binary::copy(const void *from, size_t n)
{
	copy_.reset(new (std::nothrow) std::byte[n]);
	if (!copy_)
		return fail(HET_ENOMEM, "fat binary: no memory for %zu bytes", n);
	memcpy(copy_.get(), from, n);
	bytes_ = {copy_.get(), n};
	return 0;
}

int fat_binary::map(const char *file)
{
	descriptor d(::open(file, O_RDONLY | O_CLOEXEC));
	struct stat s;
	if (d.get() < 0 || fstat(d.get(), &s))
		return fail(HET_EIMAGE, "fat binary %s: can't be opened: %s", file, strerror(errno));
	if (!S_ISREG(s.st_mode) || s.st_size <= 0)
		return fail(HET_EIMAGE, "fat binary %s: %s", file, s.st_size ? "no regular file" : "an empty file");
	auto n = size_t(s.st_size);
	void *p = map_file(nullptr, n, PROT_READ, d.get(), 0);
	if (!p)
		return fail(HET_ENOMEM, "fat binary %s: %zu bytes can't be mapped", file, n);
	mapped_ = range_of(p, n);
	bytes_ = {static_cast<std::byte *>(p), n};
	return 0;
}

int fat_binary::open(const het_program_args &args)
{
	const char *file = args.file ? args.file : running_executable;
	if (int err = args.fat_binary ? copy(args.fat_binary, args.fat_binary_size) : map(file))
		return err;
	fatbin::fault why;
	bool good = !args.section || take_section(args.section, bytes_, why);
	if (good && contents_.open(bytes_, why))
		return 0;
	return fail(HET_EIMAGE, "fat binary %s: %s", args.fat_binary ? "in memory" : file, why.text);
}

} // namespace het::rt
