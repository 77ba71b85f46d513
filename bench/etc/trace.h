// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What the warps of a program do to the memory of its arrays, in the order of each warp: this is what the model
// replays. The arrays lie one behind the other from address 0 on, each from the begin of a page on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace etc
{

constexpr unsigned line_bytes = 128;
constexpr unsigned lanes_of_warp = 32;

struct item {
	enum class kind_t : uint8_t {
		load,
		store,
		change,  // an atomic operation: a load that also writes
		use,     // what was loaded so far is needed from here on
		barrier, // of the block
	};
	kind_t kind = kind_t::use;
	bool whole = false; // a store that writes every byte of its lines
	uint8_t count = 0;  // distinct lines of a load or store
	uint16_t gap = 0;   // other instructions before it
	uint32_t first = 0; // of its lines, in launch::lines

	bool touches() const { return kind <= kind_t::change; }
	bool reads() const { return kind == kind_t::load || kind == kind_t::change; }
	bool writes() const { return kind == kind_t::store || kind == kind_t::change; }
};

struct part {
	uint32_t begin = 0, end = 0;
	bool operator==(const part &) const = default;
};

struct launch {
	std::string kernel;
	std::vector<uint32_t> lines; // address / line_bytes
	std::vector<item> items;
	std::vector<part> warps;  // their items
	std::vector<part> blocks; // their warps

	std::span<const uint32_t> lines_of(const item &i) const { return std::span(lines).subspan(i.first, i.count); }
};

struct program_trace {
	std::string name;
	uint64_t bytes = 0; // of all arrays, with what lies between them
	std::vector<launch> launches;
};

// Makes the launch's next block of what each of its warps does. An item's @first is set here. What a warp waits for at
// its very end changes nothing and is left out.
struct warp_item {
	item what;
	std::vector<uint32_t> lines;
};
void add_block(launch &l, std::span<const std::vector<warp_item>> warps);

// What a program is like, apart from any machine.
struct access_counts {
	uint64_t accesses = 0, lines = 0, pages = 0; // of warps; pages of @page_bytes
};
access_counts count_accesses(const program_trace &t, uint64_t page_bytes);
unsigned pages_of(std::span<const uint32_t> lines, uint64_t lines_of_page);

} // namespace etc
