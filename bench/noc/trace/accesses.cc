// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "noc/trace/accesses.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace noc
{

namespace
{

constexpr unsigned line_bits = 48, gap_bits = 14;
constexpr size_t magic_bytes = 8;

access_event unpack(uint64_t bits)
{
	access_event e;
	const uint64_t kind = bits >> (line_bits + gap_bits);
	if (kind > uint64_t(access_event::kind_t::barrier))
		throw std::invalid_argument("an access is neither a read nor a write nor a barrier");
	e.kind = access_event::kind_t(kind);
	e.gap = uint16_t(bits >> line_bits & max_gap);
	e.line = bits & ((uint64_t(1) << line_bits) - 1);
	return e;
}

} // namespace

uint64_t pack(const access_event &e)
{
	return uint64_t(e.kind) << (line_bits + gap_bits) | uint64_t(e.gap) << line_bits | e.line;
}

bool is_access_file(std::span<const uint8_t> file)
{
	return file.size() >= magic_bytes && memcmp(file.data(), accesses_magic, magic_bytes) == 0;
}

access_trace read_accesses(std::span<const uint8_t> file)
{
	if (!is_access_file(file))
		throw std::invalid_argument("this is no file of accesses");
	file = file.subspan(magic_bytes);
	const auto number = [&] {
		uint64_t value = 0;
		if (file.size() < sizeof(value))
			throw std::invalid_argument("the file of accesses ends too early");
		memcpy(&value, file.data(), sizeof(value));
		file = file.subspan(sizeof(value));
		return value;
	};
	const uint64_t threads = number();
	if (threads > file.size() / sizeof(uint64_t))
		throw std::invalid_argument("the file of accesses is too short for its threads");
	access_trace t(threads);
	for (std::vector<access_event> &events : t) {
		const uint64_t n = number();
		if (n > file.size() / sizeof(uint64_t))
			throw std::invalid_argument("the file of accesses ends too early");
		events.reserve(n);
		for (uint64_t i = 0; i < n; i++)
			events.push_back(unpack(number()));
	}
	if (!file.empty())
		throw std::invalid_argument("more follows where the file of accesses should end");
	return t;
}

std::vector<uint8_t> write_accesses(const access_trace &t)
{
	std::vector<uint8_t> out(accesses_magic, accesses_magic + magic_bytes);
	const auto put = [&](uint64_t value) {
		const auto *const bytes = reinterpret_cast<const uint8_t *>(&value);
		out.insert(out.end(), bytes, bytes + sizeof(value));
	};
	put(t.size());
	for (const std::vector<access_event> &events : t) {
		put(events.size());
		for (const access_event &e : events)
			put(pack(e));
	}
	return out;
}

} // namespace noc
