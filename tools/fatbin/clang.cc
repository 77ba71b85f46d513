// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/clang.h"

#include "fatbin/child.h"
#include "fatbin/document.h"

#include <sstream>
#include <stdexcept>

namespace tool::fat
{

namespace
{

std::vector<std::string> words_of(const std::string &options)
{
	if (options.find_first_of("\"'\\") != std::string::npos)
		throw std::runtime_error("options with quotes can't be handed on to clang");
	std::vector<std::string> all;
	std::stringstream words(options);
	for (std::string w; words >> w;)
		all.push_back(w);
	return all;
}

} // namespace

std::string compile_opencl(const std::string &clang, const std::string &source, const std::string &options,
			   const std::vector<std::string> &arguments)
{
	work_folder work;
	std::string text = work.file("source.cl"), made = work.file("made");
	replace_file(text, source);
	std::vector<std::string> command = {clang, "-x", "cl", "-Xclang", "-finclude-default-header"};
	command.insert(command.end(), arguments.begin(), arguments.end());
	command.insert(command.end(), {text, "-o", made});
	auto words = words_of(options);
	command.insert(command.end(), words.begin(), words.end());
	run(command);
	return read_file(made);
}

std::string dump_tokens(const std::string &source, const std::string &options, std::string &file)
{
	work_folder work;
	file = work.file("source.cl");
	replace_file(file, source);
	std::vector<std::string> command = {analysing_clang,   "-x", "cl", "-w", "-fsyntax-only", "-Xclang",
					    "-dump-raw-tokens"};
	auto words = words_of(options);
	command.insert(command.end(), words.begin(), words.end());
	command.push_back(file);
	return run(command);
}

} // namespace tool::fat
