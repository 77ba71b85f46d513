// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/elf_sections.h"

namespace het::fatbin
{

bool elf_sections::open(bytes file, fault &why)
{
	Elf64_Ehdr h;
	if (!load(file, 0, h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
		return why.say("no ELF file: is it the one that het-fatbin wrote?");
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB)
		return why.say("an ELF file, but not a little-endian one of 64 bits, as fat binaries are");
	if (!h.e_shnum || h.e_shentsize != sizeof(Elf64_Shdr))
		return why.say("an ELF file without a table of sections: was it stripped of them?");
	bytes all;
	if (!cut(file, h.e_shoff, uint64_t{h.e_shnum} * sizeof(Elf64_Shdr), all))
		return why.say("cut off: the table of sections should lie at byte %llu, and the file has %zu: copy or "
			       "build it again",
			       static_cast<unsigned long long>(h.e_shoff), file.size());
	file_ = file;
	table_ = h.e_shoff;
	count_ = h.e_shnum;
	names_ = h.e_shstrndx;
	return true;
}

bool elf_sections::contents(uint32_t index, bytes &to) const
{
	Elf64_Shdr s;
	return index && index < count_ && load(file_, table_ + uint64_t{index} * sizeof(s), s) &&
	       s.sh_type != SHT_NOBITS && s.sh_type != SHT_NULL && cut(file_, s.sh_offset, s.sh_size, to);
}

uint32_t elf_sections::find(const char *name) const
{
	bytes names, wanted = std::as_bytes(std::span(name, strlen(name) + 1)), here;
	if (!contents(names_, names))
		return 0;
	for (uint32_t i = 1; i < count_; i++) {
		Elf64_Shdr s;
		if (load(file_, table_ + uint64_t{i} * sizeof(s), s) && cut(names, s.sh_name, wanted.size(), here) &&
		    memcmp(here.data(), wanted.data(), wanted.size()) == 0)
			return i;
	}
	return 0;
}

} // namespace het::fatbin
