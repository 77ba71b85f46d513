// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// This is what reader and writer need of a file. Tests have one that fails when they say so.
#pragma once

#include "fatbin/bytes.h"

namespace het::checkpoint
{

using fatbin::bytes;
using fatbin::fault;

class file
{
      public:
	virtual ~file() = default;

	virtual uint64_t size() const = 0;
	// They are false, with the system's reason in errno, unless all is done.
	virtual bool read(uint64_t at, std::span<std::byte> to) = 0;
	virtual bool write(uint64_t at, bytes from) = 0;
	// All that was written before is on the disk.
	virtual bool sync() = 0;
	// What lies behind is dropped.
	virtual bool cut(uint64_t size) = 0;
};

template <class T> bool read_object(file &f, uint64_t at, T &to)
{
	return f.read(at, std::as_writable_bytes(std::span(&to, 1)));
}

template <class T> bytes image_of(const T &object)
{
	return std::as_bytes(std::span(&object, 1));
}

} // namespace het::checkpoint
