// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Files of Netrace 1.0 (Hestness, Grot, Keckler 2010): the packets of a program's caches and which of them wait for
// which. They are little endian; those that are offered for download are packed with bzip2, which is taken off before.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace noc
{

enum class traced_type : uint8_t {
	read_request = 1,
	read_response = 2,
	write_back = 6,
	upgrade_request = 13,
	upgrade_response = 14,
	exclusive_request = 15,
	exclusive_response = 16,
	invalidate_request = 27,
	invalidate_response = 28,
	downgrade_request = 29,
	downgrade_response = 30
};

enum class traced_node : uint8_t { l1_data, l1_code, l2, controller };

struct traced_packet {
	uint64_t cycle = 0;
	uint32_t id = 0, address = 0;
	uint8_t type = 0; // traced_type, or another one of the format
	uint8_t source = 0, destination = 0;
	uint8_t node_types = 0;                       // the source's above, the destination's below
	uint32_t first_dependant = 0, dependants = 0; // in packet_trace::dependants; at most 255

	traced_node from() const { return traced_node(node_types >> 4); }
	traced_node to() const { return traced_node(node_types & 15); }
	bool operator==(const traced_packet &) const = default;
};

struct packet_trace {
	struct region {
		uint64_t offset = 0, cycles = 0, packets = 0;
		bool operator==(const region &) const = default;
	};

	std::string name;  // at most 29 characters
	std::string notes; // at most 8190
	uint8_t nodes = 64;
	uint64_t cycles = 0;
	std::vector<region> regions; // at most 100
	std::vector<traced_packet> packets;
	std::vector<uint32_t> dependants; // ids

	bool operator==(const packet_trace &) const = default;
};

// Returns 8 or 72, or 0 if there is no such type.
unsigned bytes_of(uint8_t type);

// Throws std::invalid_argument that says what is wrong and where. What depends on what is not judged.
packet_trace read_netrace(std::span<const uint8_t> file);
std::vector<uint8_t> write_netrace(const packet_trace &t);

} // namespace noc
