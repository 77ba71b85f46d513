// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "options.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace hetcl
{

namespace
{

// Words are parted by blanks, but for those between quotes and behind backslashes.
std::vector<std::string> words_of(const char *text)
{
	std::vector<std::string> words;
	std::string word;
	bool quoted = false, begun = false;
	for (const char *c = text ? text : ""; *c; c++) {
		if (*c == '"') {
			quoted = !quoted;
			begun = true;
		} else if ((*c == ' ' || *c == '\t' || *c == '\n' || *c == '\r') && !quoted) {
			if (begun)
				words.push_back(word);
			word.clear();
			begun = false;
		} else {
			if (*c == '\\' && c[1])
				word += *c++;
			word += *c;
			begun = true;
		}
	}
	if (begun)
		words.push_back(word);
	return words;
}

struct option {
	std::string_view text;
	enum { alone, begins, with_word } how;
};

constexpr option compiler_options[] = {
	{"-D", option::with_word},
	{"-I", option::with_word},
	{"-x", option::with_word},
	{"-w", option::alone},
	{"-Werror", option::alone},
	{"-g", option::alone},
	{"-cl-single-precision-constant", option::alone},
	{"-cl-denorms-are-zero", option::alone},
	{"-cl-fp32-correctly-rounded-divide-sqrt", option::alone},
	{"-cl-opt-disable", option::alone},
	{"-cl-strict-aliasing", option::alone},
	{"-cl-uniform-work-group-size", option::alone},
	{"-cl-no-subgroup-ifp", option::alone},
	{"-cl-mad-enable", option::alone},
	{"-cl-no-signed-zeros", option::alone},
	{"-cl-unsafe-math-optimizations", option::alone},
	{"-cl-finite-math-only", option::alone},
	{"-cl-fast-relaxed-math", option::alone},
	{"-cl-kernel-arg-info", option::alone},
	{"-cl-std=CL1.1", option::alone},
	{"-cl-std=CL1.2", option::alone},
	{"-cl-std=CL2.0", option::alone},
	{"-cl-std=CL3.0", option::alone},
	// Drivers' own.
	{"-O", option::begins},
	{"-f", option::begins},
	{"-m", option::begins},
	{"-W", option::begins},
	{"-cl-nv-", option::begins},
	{"-nv-", option::begins},
};
constexpr option linker_options[] = {
	{"-create-library", option::alone},
	{"-enable-link-options", option::alone},
	{"-cl-denorms-are-zero", option::alone},
	{"-cl-no-signed-zeros", option::alone},
	{"-cl-unsafe-math-optimizations", option::alone},
	{"-cl-finite-math-only", option::alone},
	{"-cl-fast-relaxed-math", option::alone},
	{"-cl-no-subgroup-ifp", option::alone},
	{"-cl-kernel-arg-info", option::alone},
};

// What follows an option may stand in its word, or be the next one.
bool fits(const option &o, std::string_view word, bool is_last)
{
	switch (o.how) {
	case option::alone:
		return word == o.text;
	case option::begins:
		return word.starts_with(o.text);
	case option::with_word:
		return word.starts_with(o.text) && (word != o.text || !is_last);
	}
	return false;
}

template <size_t n> bool are_known(const char *text, const option (&known)[n])
{
	const std::vector<std::string> words = words_of(text);
	for (size_t i = 0; i < words.size(); i++) {
		const bool is_last = i + 1 == words.size();
		const auto *o = std::find_if(std::begin(known), std::end(known),
					     [&](const option &k) { return fits(k, words[i], is_last); });
		if (o == std::end(known))
			return false;
		i += o->how == option::with_word && words[i] == o->text;
	}
	return true;
}

} // namespace

bool are_compiler_options(const char *options)
{
	return are_known(options, compiler_options);
}

bool are_linker_options(const char *options)
{
	return are_known(options, linker_options);
}

// OpenCL C before 2.0 has no such groups.
bool allow_partial_groups(const char *options)
{
	const std::vector<std::string> words = words_of(options);
	bool is_new = false;
	for (const std::string &w : words) {
		if (w == "-cl-uniform-work-group-size")
			return false;
		is_new |= w == "-cl-std=CL2.0" || w == "-cl-std=CL3.0";
	}
	return is_new;
}

} // namespace hetcl
