// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/input.h"

#include "ptx/fatbin.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace tool
{

namespace
{

bool looks_like_ptx(std::string_view text)
{
	size_t version = text.find(".version"), target = text.find(".target");
	return version != text.npos && target != text.npos && version < target;
}

// Returns the text without what a program has in front of it, up to the last byte that no text contains.
std::string_view without_binary_head(std::string_view text)
{
	for (size_t i = text.find(".version"); i > 0; i--) {
		unsigned char c = static_cast<unsigned char>(text[i - 1]);
		if (c >= 0x7f || (c < ' ' && c != '\n' && c != '\t' && c != '\r'))
			return text.substr(i);
	}
	return text;
}

} // namespace

bool read_file(const std::string &path, std::string *out)
{
	std::stringstream bytes;
	if (path == "-") {
		bytes << std::cin.rdbuf();
	} else {
		std::ifstream file(path, std::ios::binary);
		if (!file) {
			fprintf(stderr, "het-ptx: can't read %s\n", path.c_str());
			return false;
		}
		bytes << file.rdbuf();
	}
	*out = bytes.str();
	return true;
}

bool write_file(const std::string &path, std::string_view bytes)
{
	std::ofstream file(path, std::ios::binary);
	file.write(bytes.data(), std::streamsize(bytes.size()));
	file.close();
	if (!file)
		fprintf(stderr, "het-ptx: can't write %s\n", path.c_str());
	return bool(file);
}

std::vector<std::string> texts_of(const std::string &bytes, std::vector<std::string> *problems)
{
	if (bytes.find('\0') == bytes.npos)
		return {bytes};
	auto [texts, wrong] = read_fatbins(bytes);
	*problems = std::move(wrong);
	if (!texts.empty() || !problems->empty())
		return texts;
	for (const auto &piece : het::ptx::split_image(bytes))
		if (looks_like_ptx(piece))
			texts.emplace_back(without_binary_head(piece));
	return texts;
}

bool read_modules(const std::string &path, std::vector<het::ptx::module> *out)
{
	std::string bytes;
	if (!read_file(path, &bytes))
		return false;
	std::vector<std::string> problems;
	auto texts = texts_of(bytes, &problems);
	for (const auto &p : problems)
		fprintf(stderr, "het-ptx: %s: %s\n", path.c_str(), p.c_str());
	if (texts.empty() && problems.empty())
		fprintf(stderr, "het-ptx: %s: there is no PTX text in it\n", path.c_str());
	if (texts.empty() || !problems.empty())
		return false;
	for (size_t i = 0; i < texts.size(); i++) {
		auto wrong = het::ptx::parse(std::move(texts[i]), out->emplace_back());
		if (!wrong)
			continue;
		auto which = texts.size() > 1 ? " (text " + std::to_string(i + 1) + ")" : "";
		fprintf(stderr, "%s%s:%s\n", path.c_str(), which.c_str(), wrong->describe().c_str());
		return false;
	}
	return true;
}

} // namespace tool
