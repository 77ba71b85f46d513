// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the threads of a program did to memory, each in its order, and the files that keep it: a text of 8 bytes, the
// number of threads, and for each of them the number of its events and the events, as 64-bit numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace noc
{

struct access_event {
	enum class kind_t : uint8_t { read, write, barrier }; // of all threads
	kind_t kind = kind_t::read;
	uint16_t gap = 0;  // cycles of other work before it; below 2^14
	uint64_t line = 0; // of 64 bytes; below 2^48

	bool operator==(const access_event &) const = default;
};

// By thread.
using access_trace = std::vector<std::vector<access_event>>;

constexpr unsigned max_gap = (1u << 14) - 1;
constexpr char accesses_magic[] = "het-acc1"; // 8 bytes of the file

uint64_t pack(const access_event &e);
// Throws std::invalid_argument.
access_trace read_accesses(std::span<const uint8_t> file);
std::vector<uint8_t> write_accesses(const access_trace &t);
bool is_access_file(std::span<const uint8_t> file);

} // namespace noc
