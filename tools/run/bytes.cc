// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/bytes.h"

#include "run/numbers.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tool::run
{

namespace
{

constexpr uint64_t usual_seed = 1;

// Returns number @n of the sequence of a seed by Sebastiano Vigna's splitmix64.
uint64_t random_bits(uint64_t seed, uint64_t n)
{
	uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

// Calls @store(number, where) for all numbers of all elements.
template <class F> void for_numbers(std::vector<std::byte> &bytes, const element &of, F store)
{
	uint64_t number = 0;
	for (std::byte *at = bytes.data(), *end = at + bytes.size(); at != end; at += of.size)
		for (size_t n = 0; n < of.numbers; n++)
			store(number++, at + n * of.number_size);
}

std::vector<std::byte> of_file(const argument_text &t, const element &of)
{
	std::vector<std::byte> bytes = read_file(t.detail);
	size_t wanted = t.elements ? *t.elements * of.size : bytes.size();
	if (wanted > bytes.size() || !wanted)
		throw std::runtime_error(t.detail + " has " + std::to_string(bytes.size()) + " bytes" +
					 (wanted ? ", and " + std::to_string(wanted) + " are wanted" : ""));
	bytes.resize(wanted);
	return bytes;
}

} // namespace

std::vector<std::byte> read_file(const std::string &path)
{
	std::ifstream in(path, std::ios::binary);
	std::string all{std::istreambuf_iterator<char>(in), {}};
	if (!in)
		throw std::runtime_error(path + ": can't be read: " + strerror(errno));
	auto *first = reinterpret_cast<const std::byte *>(all.data());
	return {first, first + all.size()};
}

void write_file(const std::string &path, const std::vector<std::byte> &bytes)
{
	std::ofstream out(path, std::ios::binary);
	out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
	if (!out.flush())
		throw std::runtime_error(path + ": can't be written: " + strerror(errno));
}

std::vector<std::byte> make_bytes(const argument_text &t, const element &of, uint64_t usual_elements)
{
	constexpr uint64_t most = uint64_t{1} << 46;
	if (t.from == origin::file)
		return of_file(t, of);
	uint64_t elements = t.elements.value_or(usual_elements);
	if (!elements || elements > most / of.size)
		throw std::runtime_error(std::to_string(elements) + " elements are " +
					 (elements ? "too many" : "no array"));
	std::vector<std::byte> bytes(elements * of.size);
	if (t.from == origin::index) {
		for_numbers(bytes, of, [&](uint64_t n, std::byte *at) { store_count(of, n, at); });
	} else if (t.from == origin::value) {
		for_numbers(bytes, of, [&](uint64_t, std::byte *at) { store_number(of, t.detail, at); });
	} else if (t.from == origin::random) {
		uint64_t seed = t.detail.empty() ? usual_seed : parse_size(t.detail, "random");
		for_numbers(bytes, of, [&](uint64_t n, std::byte *at) { store_bits(of, random_bits(seed, n), at); });
	} else if (t.from != origin::zeros) {
		throw std::runtime_error("it is an array: want zeros, index, random, value:NUMBER or @FILE, not \"" +
					 t.detail + "\"");
	}
	return bytes;
}

} // namespace tool::run
