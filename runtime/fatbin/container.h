// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reads which kernels and images a fat binary has. Nothing is allocated and no system call made: everything lies in the
// bytes.
#pragma once

#include "fatbin/elf_sections.h"
#include "fatbin/format.h"

namespace het::fatbin
{

struct argument {
	const char *name, *type;
	fatbin::space space;
	fatbin::access access;
	uint32_t size;
	bool is_analysed; // the next is known
	// The kernel's code does this; none means that it does not use the argument.
	fatbin::access found;
	fatbin::reach_row reach; // not known with length 0

	bool has_reach() const { return reach.length != 0; }
};

struct kernel {
	const char *name;
	uint32_t first_argument, narguments;
	fatbin::split split;
	const char *split_reason;
	// The split answer and the arguments' reaches apply to launches of so many dimensions; 0 means that they are
	// not known.
	uint32_t dimensions;
	const char *asked; // as in kernel_row
	const char *apart; // as in kernel_row
	uint64_t source;   // as in kernel_row
	bool is_analysed;  // false if it was not, or not what the images are made from
};

struct image {
	fatbin::target target;
	const char *name;
	uint32_t major, minor;
	const char *options, *reason;
	uint64_t size, checksum;
	uint32_t section;
	uint64_t source; // as in image_row

	bool is_there() const { return section != 0; }
};

class container
{
      public:
	// Looks at all but the images: after it nothing of the directory can be wrong. @file must stay as it is.
	bool open(bytes file, fault &why);

	// Returns the checksum of the directory, which has those of the images.
	uint64_t identity() const { return head_.checksum; }
	uint16_t major() const { return head_.major; }
	uint16_t minor() const { return head_.minor; }
	uint32_t nkernels() const { return head_.kernels.rows; }
	uint32_t nimages() const { return head_.images.rows; }
	fatbin::kernel kernel(uint32_t i) const;
	// @i is below the kernel's number.
	fatbin::argument argument(const fatbin::kernel &k, uint32_t i) const;
	fatbin::image image(uint32_t i) const;
	// Returns false if there is no kernel of that name.
	bool find(const char *name, fatbin::kernel &found) const;

	// Gives an image's bytes, once their checksum is right.
	bool contents(const fatbin::image &i, bytes &to, fault &why) const;

      private:
	bool open_directory(fault &why);
	bool check_table(const table &t, size_t least, const char *what, fault &why) const;
	bool check_strings(fault &why) const;
	bool check_rows(fault &why) const;
	bool check_arguments(const kernel_row &k) const;
	void find_source();
	template <class Row> Row row(const table &t, uint32_t i) const;
	const char *string(uint32_t offset) const;
	bool has_string(uint32_t offset) const { return offset < head_.size - head_.strings; }

	elf_sections elf_;
	bytes directory_;
	fatbin::head head_ = {};
	bool has_sliced_images_ = false; // there are images from which slices are made
	uint64_t source_ = 0;            // that of all of them
};

// Returns the identity of an OpenCL C text that is compiled with these options.
uint64_t source_identity(uint64_t checksum_of_text, const char *options);

// Returns "OpenCL C", "SPIR-V", "native binary", "PTX" or "cubin", and "image of an unknown kind" for those of later
// versions.
const char *name_of(target t);

} // namespace het::fatbin
