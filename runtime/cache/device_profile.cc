// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "cache/device_profile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

namespace het::cache
{

namespace
{

constexpr uint32_t profile_magic = 0x46505448, profile_version = 1, most_entries = 256;

struct head {
	uint32_t magic, version, entries, reserved;
	int64_t made;
};

struct entry {
	char name[48]; // ends with a zero
	double value, low, high, confidence;
};

template <typename T> void append(std::vector<std::byte> &to, const T &what)
{
	const auto *first = reinterpret_cast<const std::byte *>(&what);
	to.insert(to.end(), first, first + sizeof(what));
}

// Two machines with the same device may reach it in other ways.
std::string this_machine()
{
	std::ifstream f("/proc/cpuinfo");
	for (std::string line; std::getline(f, line);)
		if (line.starts_with("model name"))
			return line + ", " + std::to_string(std::thread::hardware_concurrency());
	return std::to_string(std::thread::hardware_concurrency());
}

// Calls @use with the key, whose parts live until it returns.
template <typename F> auto with_key(const profiled_device &d, F &&use)
{
	const std::string machine = this_machine();
	const bytes parts[] = {bytes_of(d.device), bytes_of(d.driver), bytes_of(machine)};
	return use(key{"profile", parts});
}

bool sound(const entry &e)
{
	const bool finite = std::isfinite(e.value) && std::isfinite(e.low) && std::isfinite(e.high);
	return memchr(e.name, 0, sizeof(e.name)) && e.name[0] && finite && e.value > 0 && e.low <= e.value &&
	       e.value <= e.high && e.confidence >= 0 && e.confidence <= 1;
}

} // namespace

const measured *device_profile::find(std::string_view name) const
{
	const auto it = std::find_if(all.begin(), all.end(), [&](const measured &m) { return m.name == name; });
	return it == all.end() ? nullptr : &*it;
}

std::vector<std::byte> to_bytes(const device_profile &p)
{
	std::vector<std::byte> out;
	std::vector<entry> sound_ones;
	for (const measured &m : p.all) {
		entry e = {};
		m.name.copy(e.name, sizeof(e.name) - 1);
		e.value = m.value;
		e.low = m.low;
		e.high = m.high;
		e.confidence = m.confidence;
		if (sound(e) && sound_ones.size() < most_entries)
			sound_ones.push_back(e);
	}
	append(out, head{profile_magic, profile_version, uint32_t(sound_ones.size()), 0, p.made});
	for (const entry &e : sound_ones)
		append(out, e);
	return out;
}

bool from_bytes(bytes from, device_profile &to)
{
	to = {};
	head h;
	if (!fatbin::load(from, 0, h) || h.magic != profile_magic || h.version != profile_version || h.reserved != 0 ||
	    h.entries > most_entries || from.size() != sizeof(h) + h.entries * sizeof(entry))
		return false;
	device_profile read;
	read.made = h.made;
	for (uint32_t i = 0; i < h.entries; i++) {
		entry e;
		if (!fatbin::load(from, sizeof(h) + i * sizeof(e), e) || !sound(e))
			return false;
		read.all.push_back({e.name, e.value, e.low, e.high, e.confidence});
	}
	to = std::move(read);
	return true;
}

bool get_profile(const store &from, const profiled_device &d, device_profile &to)
{
	const contents c = with_key(d, [&](const key &k) { return from.get(k); });
	if (!c) {
		to = {};
		return false;
	}
	return from_bytes(c.value, to);
}

void put_profile(const store &to, const profiled_device &d, const device_profile &p)
{
	const std::vector<std::byte> value = to_bytes(p);
	with_key(d, [&](const key &k) {
		to.put(k, value);
		return 0;
	});
}

} // namespace het::cache
