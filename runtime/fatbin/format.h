// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The bytes of a fat binary, which reader and writer share. Documentation/fatbin.rst explains them.
//
// An ELF64 file holds one directory and a section for each image. The directory is a head, three tables and the strings that
// they name by offset. All numbers are little-endian, checksums are XXH64. Rows may be longer than those here: what is added belongs to a
// later minor version, and earlier readers step over it. Another major version can't be read.
#pragma once

#include <cstdint>

namespace het::fatbin
{

inline constexpr char directory_section[] = ".het.directory";
inline constexpr char image_section_prefix[] = ".het.image."; // and a number; found by their index, not by name

inline constexpr uint8_t magic[8] = {'h', 'e', 't', 'f', 'a', 't', '\r', '\n'};
inline constexpr uint16_t major_version = 1, minor_version = 0;

struct table {
	uint32_t offset; // in the directory
	uint32_t rows, row_size;
};

struct head {
	uint8_t magic[8];
	uint64_t checksum; // of the directory's bytes behind this field
	uint16_t major, minor;
	uint32_t size;    // of the directory
	uint32_t strings; // offset; from there to the end: strings, each ended by a zero byte, the first one empty
	table kernels, arguments, images;
};

// Where an argument points, or what it is.
enum class space : uint32_t { value = 1, global, constant, local, image, sampler };
enum class access : uint32_t { none, read_only, write_only, read_write };
// Whether a launch may be divided over several devices.
enum class split : uint32_t { unknown, safe, unsafe };
enum class target : uint32_t { opencl_c = 1, spirv, native, ptx, cubin };

struct kernel_row {
	uint32_t name;
	uint32_t first_argument, arguments;
	uint32_t split, split_reason;
};

struct argument_row {
	uint32_t name, type;
	uint32_t space, access;
	uint32_t size; // of a value; of what a pointer points to, 0 if that is not known
};

// What an image is for, with @name: the device's identity (native), sm_NN (PTX, cubin), else "".
struct image_row {
	uint64_t size, checksum;
	uint32_t target, name;
	uint32_t major, minor; // version of the language: OpenCL C, SPIR-V, PTX
	uint32_t options;      // with which it is to be compiled (OpenCL C), or was
	uint32_t section;      // index in the ELF file; 0: could not be made, and @reason says why
	uint32_t reason;
	uint32_t reserved; // 0
};

static_assert(sizeof(head) == 64 && sizeof(kernel_row) == 20 && sizeof(argument_row) == 20 && sizeof(image_row) == 48);

} // namespace het::fatbin
