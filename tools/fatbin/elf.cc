// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Fat binaries are written by libelf.
#include "fatbin/document.h"

#include <gelf.h>
#include <libelf.h>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace tool::fat
{

namespace
{

constexpr uint64_t image_alignment = 16;

[[noreturn]] void elf_failed(const char *what)
{
	throw std::runtime_error(std::string(what) + ": " + elf_errmsg(-1));
}

// libelf writes to files alone; this one is never seen.
class file_in_memory
{
      public:
	file_in_memory() : fd_(memfd_create("fat binary", MFD_CLOEXEC))
	{
		if (fd_ < 0)
			throw std::runtime_error("no memory for the fat binary");
	}
	file_in_memory(const file_in_memory &) = delete;
	file_in_memory &operator=(const file_in_memory &) = delete;
	~file_in_memory() { close(fd_); }

	int fd() const { return fd_; }
	std::string all() const
	{
		std::string bytes(size_t(lseek(fd_, 0, SEEK_END)), '\0');
		if (pread(fd_, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
			throw std::runtime_error("the fat binary can't be read back");
		return bytes;
	}

      private:
	const int fd_;
};

struct elf_end_of {
	void operator()(Elf *e) const { elf_end(e); }
};

class elf_writer
{
      public:
	elf_writer()
	{
		elf_version(EV_CURRENT);
		elf_.reset(elf_begin(file_.fd(), ELF_C_WRITE, nullptr));
		if (!elf_ || !gelf_newehdr(elf_.get(), ELFCLASS64))
			elf_failed("libelf");
	}

	// Both must stay until finish(). Returns the section's index.
	uint32_t add(const std::string &name, const std::string &bytes, uint32_t type)
	{
		Elf_Scn *section = elf_newscn(elf_.get());
		Elf_Data *data = section ? elf_newdata(section) : nullptr;
		GElf_Shdr s;
		if (!data || !gelf_getshdr(section, &s))
			elf_failed("libelf, a section");
		data->d_buf = const_cast<char *>(bytes.data());
		data->d_size = bytes.size();
		data->d_align = type == SHT_STRTAB ? 1 : image_alignment;
		s.sh_name = uint32_t(names_.size());
		s.sh_type = type;
		names_ += name + '\0';
		if (!gelf_update_shdr(section, &s))
			elf_failed("libelf, a section");
		return uint32_t(elf_ndxscn(section));
	}

	std::string finish()
	{
		// The table of names has its own name in it, so its bytes are known afterwards.
		uint32_t names = add(".shstrtab", names_, SHT_STRTAB);
		Elf_Data *data = elf_getdata(elf_getscn(elf_.get(), names), nullptr);
		data->d_buf = names_.data();
		data->d_size = names_.size();
		GElf_Ehdr h;
		if (!gelf_getehdr(elf_.get(), &h))
			elf_failed("libelf");
		h.e_ident[EI_DATA] = ELFDATA2LSB;
		h.e_version = EV_CURRENT;
		h.e_shstrndx = uint16_t(names);
		if (!gelf_update_ehdr(elf_.get(), &h) || elf_update(elf_.get(), ELF_C_WRITE) < 0)
			elf_failed("libelf, writing");
		return file_.all();
	}

      private:
	file_in_memory file_;
	std::string names_{'\0'};
	std::unique_ptr<Elf, elf_end_of> elf_;
};

} // namespace

std::string to_elf(const document &d)
{
	elf_writer elf;
	std::vector<uint32_t> sections;
	for (const image &i : d.images) {
		std::string name = format::image_section_prefix + std::to_string(sections.size() + 1);
		sections.push_back(i.bytes.empty() ? 0 : elf.add(name, i.bytes, SHT_PROGBITS));
	}
	std::string directory = make_directory(d, sections);
	elf.add(format::directory_section, directory, SHT_PROGBITS);
	return elf.finish();
}

} // namespace tool::fat
