// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/trace/netrace.h"

#include <bit>
#include <cstring>
#include <stdexcept>

namespace noc
{

namespace
{

constexpr uint32_t magic = 0x484a5455;
constexpr float version = 1;
constexpr size_t name_bytes = 30, head_padding = 8, most_notes = 8192, most_regions = 100, most_dependants = 255;

static_assert(std::endian::native == std::endian::little, "files are little endian, and are copied as they are");

class reader
{
      public:
	explicit reader(std::span<const uint8_t> file) : left_(file), size_(file.size()) {}

	bool at_end() const { return left_.empty(); }
	size_t left() const { return left_.size(); }
	size_t offset() const { return size_ - left_.size(); }
	std::span<const uint8_t> take(size_t bytes)
	{
		if (bytes > left_.size())
			throw std::invalid_argument("the trace ends in the middle of what starts at byte " +
						    std::to_string(offset()));
		const std::span<const uint8_t> taken = left_.first(bytes);
		left_ = left_.subspan(bytes);
		return taken;
	}
	template <typename T> T number()
	{
		T value;
		memcpy(&value, take(sizeof(T)).data(), sizeof(T));
		return value;
	}

      private:
	std::span<const uint8_t> left_;
	size_t size_;
};

template <typename T> void put(std::vector<uint8_t> &to, T value)
{
	const auto *const bytes = reinterpret_cast<const uint8_t *>(&value);
	to.insert(to.end(), bytes, bytes + sizeof(T));
}

std::string text(std::span<const uint8_t> bytes)
{
	const auto *const begin = reinterpret_cast<const char *>(bytes.data());
	return {begin, strnlen(begin, bytes.size())};
}

void put_text(std::vector<uint8_t> &to, const std::string &s, size_t bytes)
{
	if (s.size() >= bytes || s.find('\0') != std::string::npos)
		throw std::invalid_argument("a trace's name has up to 29 characters, and its notes up to 8190");
	to.insert(to.end(), s.begin(), s.end());
	to.resize(to.size() + bytes - s.size());
}

// @return how many packets there should be.
uint64_t read_head(reader &in, packet_trace &t)
{
	if (in.number<uint32_t>() != magic)
		throw std::invalid_argument("this is no Netrace file, or it is packed still: bzip2 -d unpacks it");
	if (in.number<float>() != version)
		throw std::invalid_argument("of Netrace files only version 1.0 is known");
	t.name = text(in.take(name_bytes));
	t.nodes = in.number<uint8_t>();
	in.take(1);
	t.cycles = in.number<uint64_t>();
	const uint64_t packets = in.number<uint64_t>();
	const uint32_t notes = in.number<uint32_t>(), regions = in.number<uint32_t>();
	in.take(head_padding);
	if (notes > 0 && notes < most_notes) // Netrace passes over longer ones without a word
		t.notes = text(in.take(notes));
	if (regions > most_regions)
		throw std::invalid_argument("the trace claims to have more than 100 regions");
	for (uint32_t i = 0; i < regions; i++) {
		packet_trace::region r;
		r.offset = in.number<uint64_t>();
		r.cycles = in.number<uint64_t>();
		r.packets = in.number<uint64_t>();
		t.regions.push_back(r);
	}
	return packets;
}

traced_packet read_packet(reader &in, packet_trace &t)
{
	const size_t at = in.offset();
	traced_packet p;
	p.cycle = in.number<uint64_t>();
	p.id = in.number<uint32_t>();
	p.address = in.number<uint32_t>();
	p.type = in.number<uint8_t>();
	p.source = in.number<uint8_t>();
	p.destination = in.number<uint8_t>();
	p.node_types = in.number<uint8_t>();
	p.dependants = in.number<uint8_t>();
	p.first_dependant = uint32_t(t.dependants.size());
	for (unsigned i = 0; i < p.dependants; i++)
		t.dependants.push_back(in.number<uint32_t>());
	if (bytes_of(p.type) == 0 || p.from() > traced_node::controller || p.to() > traced_node::controller)
		throw std::invalid_argument("the packet at byte " + std::to_string(at) +
					    " has an unknown type, of its own or of its nodes");
	return p;
}

} // namespace

unsigned bytes_of(uint8_t type)
{
	constexpr uint8_t small = 8, large = 72;
	switch (type) {
	case 2: // read response, also with invalidate; write request; write back
	case 3:
	case 4:
	case 6:
	case 16: // exclusive and downgrade response
	case 30:
		return large;
	case 1: // read request; write, upgrade response and request; exclusive request
	case 5:
	case 13:
	case 14:
	case 15:
	case 25: // bad address
	case 27: // invalidate request and response; downgrade request
	case 28:
	case 29:
		return small;
	default:
		return 0;
	}
}

packet_trace read_netrace(std::span<const uint8_t> file)
{
	reader in(file);
	packet_trace t;
	const uint64_t packets = read_head(in, t);
	while (!in.at_end())
		t.packets.push_back(read_packet(in, t));
	if (packets != 0 && packets != t.packets.size())
		throw std::invalid_argument("the trace has " + std::to_string(t.packets.size()) +
					    " packets and claims to have " + std::to_string(packets));
	return t;
}

std::vector<uint8_t> write_netrace(const packet_trace &t)
{
	std::vector<uint8_t> out;
	put(out, magic);
	put(out, version);
	put_text(out, t.name, name_bytes);
	put(out, t.nodes);
	put(out, uint8_t(0));
	put(out, t.cycles);
	put(out, uint64_t(t.packets.size()));
	put(out, uint32_t(t.notes.empty() ? 0 : t.notes.size() + 1));
	put(out, uint32_t(t.regions.size()));
	put(out, uint64_t(0));
	if (!t.notes.empty())
		put_text(out, t.notes, std::min(t.notes.size() + 1, most_notes - 1));
	if (t.regions.size() > most_regions)
		throw std::invalid_argument("a trace has at most 100 regions");
	for (const packet_trace::region &r : t.regions) {
		put(out, r.offset);
		put(out, r.cycles);
		put(out, r.packets);
	}
	for (const traced_packet &p : t.packets) {
		if (p.dependants > most_dependants)
			throw std::invalid_argument("at most 255 packets may wait for one");
		put(out, p.cycle);
		put(out, p.id);
		put(out, p.address);
		put(out, p.type);
		put(out, p.source);
		put(out, p.destination);
		put(out, p.node_types);
		put(out, uint8_t(p.dependants));
		for (unsigned i = 0; i < p.dependants; i++)
			put(out, t.dependants[p.first_dependant + i]);
	}
	return out;
}

} // namespace noc
