// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests run kernels with this.
#pragma once

#include "simt/run.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#ifndef HET_CORPUS
#define HET_CORPUS "runtime/ptx/tests/corpus"
#endif

namespace het::ptx::simt
{

inline std::string corpus_text(const std::string &name)
{
	std::ifstream file(std::string(HET_CORPUS "/") + name);
	std::stringstream text;
	text << file.rdbuf();
	EXPECT_TRUE(file.good()) << name;
	return text.str();
}

inline std::string with_header(const std::string &body)
{
	return ".version 7.8\n.target sm_90\n.address_size 64\n" + body;
}

// Parses a text that must have no faults.
inline module parsed(const std::string &text)
{
	module m;
	auto wrong = parse(text, m);
	EXPECT_FALSE(wrong) << wrong->describe();
	return m;
}

class device
{
      public:
	explicit device(const std::string &text, bool track = false)
	{
		memory_.track_definedness(track);
		auto wrong = program_.load({parsed(text)});
		EXPECT_FALSE(wrong) << wrong->describe();
	}

	template <typename T> uint64_t share(std::vector<T> &v, std::string name = {})
	{
		return memory_.attach(v.data(), v.size() * sizeof(T), std::move(name));
	}

	template <typename... A> outcome run(const char *kernel, extent grid, extent block, A... arguments)
	{
		launch l;
		l.kernel = program_.find(kernel);
		l.grid = grid;
		l.block = block;
		l.shared_bytes = shared_bytes;
		EXPECT_NE(l.kernel, nullptr) << kernel;
		size_t n = 0;
		(append(&l, n++, arguments), ...);
		return simt::run(program_, l, with);
	}

	template <typename... A> void must_run(const char *kernel, extent grid, extent block, A... arguments)
	{
		auto out = run(kernel, grid, block, arguments...);
		EXPECT_FALSE(out.error) << out.error->describe();
		for (const auto &f : out.findings)
			ADD_FAILURE() << f.first.describe();
	}

	options with;
	uint32_t shared_bytes = 0;
	memory &mem() { return memory_; }
	const program &prog() const { return program_; }

      private:
	template <typename T> static void append(launch *l, size_t n, T value)
	{
		size_t at = l->kernel->parameters[n].offset;
		l->parameters.resize(at + l->kernel->parameters[n].bytes);
		memcpy(&l->parameters[at], &value, std::min(sizeof(T), size_t{l->kernel->parameters[n].bytes}));
	}

	memory memory_;
	program program_{memory_};
};

// Returns lockstep, and lanes that go their own way in a few orders.
inline std::vector<options> both_modes(bool checked = false)
{
	std::vector<options> all(4);
	for (size_t i = 0; i < all.size(); i++) {
		all[i].independent = i > 0;
		all[i].seed = i;
		all[i].resident_blocks = i > 1 ? 3 : 1;
		all[i].check_barriers = checked;
		all[i].check_races = checked;
		all[i].check_defined = checked;
	}
	return all;
}

// Returns fewer of them, for tests that go over many kernels.
inline std::vector<options> two_modes()
{
	auto all = both_modes();
	return {all[0], all[2]};
}

} // namespace het::ptx::simt
