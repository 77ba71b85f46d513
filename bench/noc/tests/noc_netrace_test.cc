// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/random.h"
#include "noc/trace/accesses.h"
#include "noc/trace/netrace.h"

#include <cstring>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace noc;

namespace
{

packet_trace drawn_trace(random_stream &random)
{
	constexpr uint8_t types[] = {1, 2, 6, 13, 14, 15, 16, 27, 28, 29, 30};
	packet_trace t;
	t.name = "drawn";
	t.notes = random.below(2) ? "notes of the trace" : "";
	t.cycles = random.next();
	for (unsigned i = 0; i < random.below(3); i++)
		t.regions.push_back({random.next(), random.next(), random.next()});
	for (unsigned i = 0; i < random.below(20); i++) {
		traced_packet p;
		p.cycle = random.next();
		p.id = uint32_t(random.next());
		p.address = uint32_t(random.next());
		p.type = types[random.below(std::size(types))];
		p.source = uint8_t(random.below(256));
		p.destination = uint8_t(random.below(256));
		p.node_types = uint8_t(random.below(4) << 4 | random.below(4));
		p.first_dependant = uint32_t(t.dependants.size());
		p.dependants = random.below(5) ? random.below(4) : 255;
		for (unsigned d = 0; d < p.dependants; d++)
			t.dependants.push_back(uint32_t(random.next()));
		t.packets.push_back(p);
	}
	return t;
}

// Whatever is read can be written, and is then the same; what is not read says why.
template <typename R, typename W> bool is_read(std::span<const uint8_t> file, R &&read, W &&write)
{
	try {
		const auto t = read(file);
		EXPECT_EQ(read(write(t)), t);
		return true;
	} catch (const std::invalid_argument &e) {
		EXPECT_GT(strlen(e.what()), 10u);
		return false;
	}
}

// Damages a file at random: bytes changed, cut off, doubled.
std::vector<uint8_t> damaged(std::vector<uint8_t> file, random_stream &random)
{
	for (unsigned n = 1 + random.below(3); n > 0 && !file.empty(); n--) {
		const size_t at = random.below(uint32_t(file.size()));
		switch (random.below(4)) {
		case 0:
			file.resize(at);
			break;
		case 1:
			file.insert(file.end(), file.begin(), file.begin() + long(at));
			break;
		default:
			file[at] = random.below(3) ? uint8_t(random.next()) : 0xff;
		}
	}
	return file;
}

} // namespace

TEST(netrace, what_is_written_is_read_again)
{
	random_stream random(11);
	for (unsigned n = 0; n < 200; n++) {
		const packet_trace t = drawn_trace(random);
		EXPECT_EQ(read_netrace(write_netrace(t)), t);
	}
}

// The bytes of a file with one packet, on which another waits, put together by hand from the format's description.
TEST(netrace, the_bytes_are_those_of_the_format)
{
	const char head[] = "UTJH"                                             // 0x484a5455
			    "\0\0\x80\x3f"                                     // 1.0f
			    "blackscholes\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" // 30
			    "\x40\0"                                           // nodes
			    "\xe8\3\0\0\0\0\0\0"                               // cycles
			    "\1\0\0\0\0\0\0\0"                                 // packets
			    "\0\0\0\0\0\0\0\0"                                 // notes, regions
			    "\0\0\0\0\0\0\0\0";
	const char packet[] = "\x0a\0\0\0\0\0\0\0\7\0\0\0\x80\0\0\0\2\5\x3f\x32\1\x08\0\0\0";
	std::vector<uint8_t> file(head, head + sizeof(head) - 1);
	ASSERT_EQ(file.size(), 72u);
	file.insert(file.end(), packet, packet + sizeof(packet) - 1);
	const packet_trace t = read_netrace(file);
	EXPECT_EQ(t.name, "blackscholes");
	EXPECT_EQ(t.nodes, 64);
	EXPECT_EQ(t.cycles, 1000u);
	ASSERT_EQ(t.packets.size(), 1u);
	const traced_packet &p = t.packets[0];
	EXPECT_EQ(p.cycle, 10u);
	EXPECT_EQ(p.id, 7u);
	EXPECT_EQ(p.address, 128u);
	EXPECT_EQ(bytes_of(p.type), 72u);
	EXPECT_EQ(p.source, 5);
	EXPECT_EQ(p.destination, 63);
	EXPECT_EQ(p.from(), traced_node::controller);
	EXPECT_EQ(p.to(), traced_node::l2);
	EXPECT_EQ(t.dependants, std::vector<uint32_t>({8}));
	EXPECT_EQ(write_netrace(t), file);
}

TEST(netrace, refuses_what_it_is_not)
{
	packet_trace t;
	t.packets.resize(1);
	t.packets[0].type = 1;
	const std::vector<uint8_t> good = write_netrace(t);
	const auto with = [&](size_t at, uint8_t value) {
		std::vector<uint8_t> file = good;
		file[at] = value;
		return file;
	};
	EXPECT_NO_THROW(read_netrace(good));
	EXPECT_THROW(read_netrace({}), std::invalid_argument);
	EXPECT_THROW(read_netrace(with(0, 'B')), std::invalid_argument);
	EXPECT_THROW(read_netrace(with(7, 0x40)), std::invalid_argument);    // version
	EXPECT_THROW(read_netrace(with(48, 2)), std::invalid_argument);      // packets
	EXPECT_THROW(read_netrace(with(60, 101)), std::invalid_argument);    // regions
	EXPECT_THROW(read_netrace(with(72 + 16, 0)), std::invalid_argument); // type
	EXPECT_THROW(read_netrace(with(72 + 19, 0x40)), std::invalid_argument);
	EXPECT_THROW(read_netrace(with(72 + 20, 1)), std::invalid_argument); // a dependant
	t.name = std::string(30, 'x');
	EXPECT_THROW(write_netrace(t), std::invalid_argument);
}

TEST(netrace, damaged_files_are_read_or_refused)
{
	random_stream random(12);
	unsigned read = 0, refused = 0;
	for (unsigned n = 0; n < 3000; n++)
		(is_read(damaged(write_netrace(drawn_trace(random)), random), read_netrace, write_netrace) ? read
													   : refused)++;
	EXPECT_GT(read, 100u);
	EXPECT_GT(refused, 100u);
}

TEST(accesses, what_is_written_is_read_again_and_damage_is_refused)
{
	random_stream random(13);
	unsigned read = 0, refused = 0;
	for (unsigned n = 0; n < 1000; n++) {
		access_trace t(random.below(5));
		for (auto &events : t)
			for (unsigned i = 0; i < random.below(9); i++)
				events.push_back({access_event::kind_t(random.below(3)),
						  uint16_t(random.below(max_gap + 1)), random.next() >> 16});
		const std::vector<uint8_t> file = write_accesses(t);
		ASSERT_EQ(read_accesses(file), t);
		EXPECT_TRUE(is_access_file(file));
		(is_read(damaged(file, random), read_accesses, write_accesses) ? read : refused)++;
	}
	EXPECT_GT(read, 20u);
	EXPECT_GT(refused, 100u);
}
