// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The tests apply passes through these functions.
#pragma once

#include "example.h"
#include "rewritten.h"

#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace het::ptx
{

// Applies passes, with commas between their names, and returns the result of the last. None of them may refuse.
inline pass_result instrumented(const std::string &text, const std::string &passes)
{
	std::stringstream list(passes);
	pass_list names;
	for (std::string name; std::getline(list, name, ',');)
		names.push_back(name);
	auto out = rewrite(text, names);
	EXPECT_FALSE(out.refused) << passes << ": " << out.refused->describe();
	return out;
}

// Does the same for the whole file of an example, once.
inline const pass_result &instrumented_file(std::string_view file, std::string_view passes)
{
	static std::map<std::pair<std::string, std::string>, pass_result> made;
	auto [at, fresh] = made.try_emplace({std::string(file), std::string(passes)});
	if (fresh)
		at->second = instrumented(simt::corpus_text(at->first.first), at->first.second);
	return at->second;
}

// Does it for the example's kernel alone: the interpreter takes longer to load a file than to run one kernel of it.
inline const pass_result &instrumented_example(const simt::example &e, std::string_view passes)
{
	static std::map<std::pair<std::string, std::string>, pass_result> made;
	auto [at, fresh] = made.try_emplace({e.kernel, e.file + "," + std::string(passes)});
	if (fresh) {
		at->second = instrumented_file(e.file, passes);
		at->second.text = only_kernel(at->second.text, e.kernel);
	}
	return at->second;
}

} // namespace het::ptx
