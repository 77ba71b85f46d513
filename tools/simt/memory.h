// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Kernels see this device memory: buffers have addresses of their own, with gaps between, so that whatever lies outside
// is noticed. One thread may use it at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace het::ptx::simt
{

// Generic addresses of the other state spaces lie in these windows; global and generic addresses are the same.
constexpr uint64_t window_bytes = uint64_t{1} << 40;
constexpr uint64_t shared_window = uint64_t{0x10} << 40;
constexpr uint64_t local_window = uint64_t{0x11} << 40;
constexpr uint64_t param_window = uint64_t{0x12} << 40;
constexpr uint64_t function_window = uint64_t{0x13} << 40;
constexpr uint64_t first_buffer = uint64_t{0x7000} << 32;

struct buffer {
	uint64_t address = 0;
	uint64_t size = 0;
	uint8_t *bytes = nullptr;
	// Each byte has a 1 here if it was written. This is null unless asked for.
	std::unique_ptr<uint8_t[]> defined;
	std::unique_ptr<uint8_t[]> owned;
	std::string name;
	bool read_only = false;

	bool holds(uint64_t a, uint64_t n) const { return a - address < size && n <= size - (a - address); }
};

class memory
{
      public:
	// Buffers made from now on know which of their bytes were written.
	void track_definedness(bool on) { track_ = on; }

	// Allocates fresh memory, which is all zeroes but not defined. It is aligned to 64 KiB.
	uint64_t allocate(uint64_t size, std::string name = {});
	// Attaches the caller's memory, which must outlive it here; it counts as written.
	uint64_t attach(void *bytes, uint64_t size, std::string name = {});
	bool release(uint64_t address);

	// Returns the buffer that @address lies in, or null.
	buffer *find(uint64_t address);
	// Returns the buffer that is nearest to an address outside all of them, for messages, or null if there is none.
	const buffer *nearest(uint64_t address) const;
	// These return false if the range does not lie within one buffer.
	bool write(uint64_t address, const void *bytes, uint64_t n);
	bool read(uint64_t address, void *bytes, uint64_t n);
	// Changes whenever a buffer comes or goes: what was found before is out of date.
	uint64_t generation() const { return generation_; }

      private:
	buffer &add(uint64_t size, std::string name);

	std::map<uint64_t, buffer> buffers_;
	uint64_t next_ = first_buffer, generation_ = 1;
	bool track_ = false;
};

} // namespace het::ptx::simt
