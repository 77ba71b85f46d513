// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A document is a fat binary in memory, as it is made and changed. All functions throw std::runtime_error with a
// sentence.
#pragma once

#include "fatbin/container.h"

#include <optional>
#include <string>
#include <vector>

namespace tool::fat
{

namespace format = het::fatbin;

struct argument {
	std::string name, type;
	format::space space = format::space::value;
	format::access access = format::access::none;
	uint32_t size = 0;
	std::optional<format::access> found; // there if the kernel was analysed
	format::reach_row reach = {};
	friend bool operator==(const argument &, const argument &) = default;
};

struct kernel {
	std::string name;
	std::vector<argument> arguments;
	format::split split = format::split::unknown;
	std::string split_reason;
	uint32_t dimensions = 0;
	std::string apart;   // as in kernel_row
	std::string asked;   // as in kernel_row
	uint64_t source = 0; // as in kernel_row
	friend bool operator==(const kernel &, const kernel &) = default;
};

struct image {
	format::target target = format::target::opencl_c;
	std::string name; // as in image_row
	uint32_t major = 0, minor = 0;
	std::string options;
	std::string bytes;   // none if it could not be made
	std::string reason;  // says why
	uint64_t source = 0; // as in image_row
	friend bool operator==(const image &, const image &) = default;
};

struct document {
	std::vector<kernel> kernels;
	std::vector<image> images;
	friend bool operator==(const document &, const document &) = default;
};

// Returns all bytes of a file, "-" being the standard input.
std::string read_file(const std::string &path);
// Replaces a file so that readers of what stands there see the old bytes or the new ones.
void replace_file(const std::string &path, const std::string &bytes);
format::bytes as_bytes(const std::string &bytes);

// Returns the directory: everything but the images, whose @sections are those in the ELF file.
std::string make_directory(const document &d, const std::vector<uint32_t> &sections);
std::string to_elf(const document &d);
// Reads everything, and checks all checksums.
document from_elf(format::bytes file);

// Reads a file, or its section that is a fat binary ("" for none).
document read_document(const std::string &file, const std::string &section);

uint64_t source_identity(const std::string &source, const std::string &options);

// Returns the text in one line, with what terminals take for commands replaced by blanks.
std::string plain(const std::string &text);

} // namespace tool::fat
