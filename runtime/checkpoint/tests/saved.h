// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What a program would have saved, and a file that should hold it.
#pragma once

#include "checkpoint/reader.h"
#include "checkpoint/tests/memory_file.h"
#include "checkpoint/writer.h"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace het::checkpoint
{

// The one without a name is the last one.
struct by_place {
	bool operator()(const std::string &a, const std::string &b) const { return !a.empty() && (b.empty() || a < b); }
};
using saved = std::map<std::string, image, by_place>;

inline image random_bytes(size_t n, unsigned seed)
{
	uint32_t random = seed * 2654435761 + 1;
	image i(n);
	for (std::byte &b : i)
		b = std::byte((random = random * 1664525 + 1013904223) >> 24);
	return i;
}

// This is a checkpoint file as the process has it that writes it.
struct log_file {
	explicit log_file(memory_file &to) : f(to) {}

	bool create() { return begin_log(f, 42, 0, state); }
	outcome open() { return read_log(f, held, state, why); }
	bool write(const saved &all)
	{
		generation_writer w(f, state, room);
		uint32_t number = 0;
		for (const auto &[name, data] : all) {
			if (!w.add_item(name.c_str(), data.size(), why))
				return false;
		}
		for (const auto &[name, data] : all) {
			const item *old = held.find(name.c_str());
			old = old && old->nbytes == data.size() ? old : nullptr;
			if (!w.put_changed(number++, old, 0, data, why)) {
				w.abandon();
				return false;
			}
		}
		return w.finish(held, state, why);
	}
	// Returns whether all could be read; what could not is left out.
	bool read(saved &all)
	{
		bool ok = true;
		for (const item &i : held.all()) {
			image data(i.nbytes);
			if (read_pages(f, i, 0, i.npages(), data.data(), why) == outcome::done)
				all[i.name] = std::move(data);
			else
				ok = false;
		}
		return ok;
	}

	memory_file &f;
	contents held;
	log_state state;
	fault why;
	uint64_t room = 0;
};

// Reads a file as another process does.
inline saved read_image(const image &i, uint64_t *generation = nullptr)
{
	memory_file f(i);
	log_file file(f);
	saved all;
	EXPECT_EQ(file.open(), outcome::done) << file.why.text;
	EXPECT_TRUE(file.read(all)) << file.why.text;
	if (generation)
		*generation = file.state.generation;
	return all;
}

// Some that differ in what changes from one generation to the next, as they would: items of whole pages and others,
// some that come and go, pages that become zeros and cease to be.
inline saved make_example(unsigned number)
{
	saved s;
	s["grid"] = random_bytes(3 * page_size + 100, 1);
	s["one"] = random_bytes(1, number);
	s["zeros"] = image(3 * page_size);
	s["sized"] = random_bytes(page_size + number, 7);
	for (unsigned n = 1; n <= number; n++) {
		s["grid"][(n * 3000) % s["grid"].size()] ^= std::byte(n);
		s["zeros"][(n % 3) * page_size + n] = std::byte(n % 4 ? n : 0);
	}
	std::fill_n(s["grid"].begin() + page_size, number % 2 ? page_size : 0, std::byte{0});
	if (number % 2)
		s["now and then"] = random_bytes(2 * page_size, number);
	if (number % 3)
		s[launches_name] = random_bytes(page_size / 2 * number + 8, number % 3);
	return s;
}

// They are made once: tests ask again and again.
inline const saved &example(unsigned number)
{
	static std::map<unsigned, saved> made;
	if (!made.contains(number))
		made[number] = make_example(number);
	return made[number];
}

// The files of tests/corpus have been written with this.
inline saved small_example(unsigned number)
{
	saved s = {{"grid", random_bytes(page_size / 4 + number / 2, 1)}, {"zeros", image(3 * page_size)}};
	s["grid"][number * 70] ^= std::byte{1};
	s["zeros"][number] = std::byte(number);
	if (number == 1)
		s["x"] = random_bytes(3, number);
	return s;
}

} // namespace het::checkpoint
