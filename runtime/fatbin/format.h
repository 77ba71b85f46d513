// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Reader and writer of a fat binary share this layout of its bytes. Documentation/fatbin.rst explains it.
//
// An ELF64 file holds one directory and a section for each image. The directory is a head, three tables and the strings
// that they name by offset. All numbers are little-endian, checksums are XXH64. Rows may be longer than those here:
// what is added belongs to a later minor version, and earlier readers step over it. Another major version can't be
// read.
#pragma once

#include <cstdint>

namespace het::fatbin
{

inline constexpr char directory_section[] = ".het.directory";
// A number follows; the sections are found by their index, not by name.
inline constexpr char image_section_prefix[] = ".het.image.";

inline constexpr uint8_t magic[8] = {'h', 'e', 't', 'f', 'a', 't', '\r', '\n'};
inline constexpr uint16_t major_version = 1, minor_version = 3;

struct table {
	uint32_t offset; // from the directory's beginning
	uint32_t rows, row_size;
};

struct head {
	uint8_t magic[8];
	uint64_t checksum; // of the directory's bytes behind this field
	uint16_t major, minor;
	uint32_t size; // the directory's
	// From this offset to the end there are strings, each ended by a zero byte; the first one is empty.
	uint32_t strings;
	table kernels, arguments, images;
};

// Tells where an argument points, or what it is.
enum class space : uint32_t { value = 1, global, constant, local, image, sampler };
enum class access : uint32_t { none, read_only, write_only, read_write };
// Tells whether a launch may be divided over several devices, group by group in any way, and gives the bytes that one
// device gives. It is safe if no argument that is written shares bytes with another one, sizes beyond
// kernel_row::dimensions are 1, and each argument that is written and has a reach has pieces (find_pieces() in reach.h)
// in this launch.
enum class split : uint32_t { unknown, safe, unsafe };
enum class target : uint32_t { opencl_c = 1, spirv, native, ptx, cubin };

struct kernel_row {
	uint32_t name;
	uint32_t first_argument, arguments;
	uint32_t split, split_reason;
	// Since 1.1: in so many dimensions the answer and the arguments' reaches hold; sizes beyond are 1. 0 means that
	// there are none.
	uint32_t dimensions;
	// Since 1.2: says which macros the compiler must have, and which not, for the text to be the one that was
	// analysed (asked.h).
	uint32_t asked;
	// Since 1.3, and 0 before, which is the empty string: shows for a launch whether its groups use different bytes
	// (apart.h); with "" nothing does.
	uint32_t apart;
	// Has source_identity() of what was analysed. The answer, dimensions, apart, and what was found of the
	// arguments hold only if all images of which slices are made are made from that: OpenCL C and PTX. 0 means that
	// nothing was analysed.
	uint64_t source;
};

// A step is to be multiplied with this; from multiplier_argument on with the value of an argument, which is one of 4 or
// 8 bytes.
inline constexpr uint32_t multiplier_one = 0, multiplier_size_0 = 1, multiplier_size_1 = 2, multiplier_argument = 3;

// Tells how an address grows with the id in one dimension.
struct axis_row {
	int64_t step; // in bytes
	uint32_t times;
	uint32_t flags;
	int32_t first, last; // steps before and behind

	friend bool operator==(const axis_row &, const axis_row &) = default;
};

inline constexpr uint32_t axis_from_zero = 1; // the id counts without the launch's offset
// Ids are below the multiplier of the other axis: others use nothing.
inline constexpr uint32_t axis_bounded = 2;

inline constexpr uint32_t most_axes = 2;

// The work-item with certain ids uses at most these bytes of an argument: @length bytes from @offset + sum over the
// axes of @step * @times * (id + @first ... @last) on. reach.h works them out for a launch.
struct reach_row {
	int64_t offset;
	uint64_t length; // 0 if it is not known
	// The reach holds only if neither the argument nor an offset in it is longer; with 0 it holds always.
	uint64_t limit;
	axis_row axes[most_axes];

	friend bool operator==(const reach_row &, const reach_row &) = default;
};

struct argument_row {
	uint32_t name, type;
	uint32_t space, access;
	uint32_t size; // the size of a value, or of what a pointer points to; it is 0 if that is not known
	// Since 1.1: 0 if not known, else 1 + access: what the kernel's code does, which may be less than it declares.
	uint32_t found;
	reach_row reach;
};

// @name tells what an image is for: the device's identity (native), sm_NN (PTX, cubin), else "".
struct image_row {
	uint64_t size, checksum;
	uint32_t target, name;
	uint32_t major, minor; // the version of the language: OpenCL C, SPIR-V, PTX
	uint32_t options;      // those with which it is to be compiled (OpenCL C), or was
	uint32_t section;      // the index in the ELF file; 0 means it could not be made, and @reason says why
	uint32_t reason;
	uint32_t reserved; // 0
	// Since 1.2: identifies what it was made from; 0 means not known. OpenCL C is its own source.
	uint64_t source;
};

// Rows have at least these sizes, which are those of the first minor version.
inline constexpr uint32_t least_kernel_row = 20, least_argument_row = 20, least_image_row = 48;

static_assert(sizeof(head) == 64 && sizeof(kernel_row) == 40 && sizeof(argument_row) == 96 && sizeof(image_row) == 56);

} // namespace het::fatbin
