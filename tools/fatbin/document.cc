// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/document.h"

#include "fatbin/checksum.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

namespace tool::fat
{

using namespace het::fatbin;

// --- files ---------------------------------------------------------------------

std::string read_file(const std::string &path)
{
	std::stringstream bytes;
	if (path == "-") {
		bytes << std::cin.rdbuf();
		return bytes.str();
	}
	std::ifstream file(path, std::ios::binary);
	if (!file || !(bytes << file.rdbuf()))
		throw std::runtime_error(path + ": can't be read, or is empty");
	return bytes.str();
}

void replace_file(const std::string &path, const std::string &bytes)
{
	std::string beside = path + ".new";
	std::ofstream file(beside, std::ios::binary);
	file.write(bytes.data(), std::streamsize(bytes.size()));
	file.close();
	std::error_code wrong;
	if (file)
		std::filesystem::rename(beside, path, wrong);
	if (file && !wrong)
		return;
	std::filesystem::remove(beside, wrong);
	throw std::runtime_error(path + ": can't be written");
}

format::bytes as_bytes(const std::string &bytes)
{
	return std::as_bytes(std::span(bytes));
}

std::string plain(const std::string &text)
{
	std::string line;
	for (char c : text) {
		bool is_blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
		if (!is_blank)
			line += c;
		else if (!line.empty() && line.back() != ' ')
			line += ' ';
	}
	return line.substr(0, line.find_last_not_of(' ') + 1);
}

// --- the directory -------------------------------------------------------------

namespace
{

class string_table
{
      public:
	uint32_t add(const std::string &s)
	{
		auto [at, is_new] = known_.try_emplace(plain(s), uint32_t(all_.size()));
		if (is_new)
			all_ += at->first + '\0';
		return at->second;
	}
	const std::string &all() const { return all_; }

      private:
	std::string all_{'\0'};
	std::unordered_map<std::string, uint32_t> known_{{"", 0}};
};

// Appends rows, and says where they lie.
template <class Row> table append(std::string &to, const std::vector<Row> &rows)
{
	to.resize((to.size() + 7) / 8 * 8);
	table t = {uint32_t(to.size()), uint32_t(rows.size()), sizeof(Row)};
	to.append(reinterpret_cast<const char *>(rows.data()), rows.size() * sizeof(Row));
	return t;
}

argument_row row_of(const argument &a, string_table &strings)
{
	return {.name = strings.add(a.name),
		.type = strings.add(a.type),
		.space = uint32_t(a.space),
		.access = uint32_t(a.access),
		.size = a.size,
		.found = a.found ? 1 + uint32_t(*a.found) : 0,
		.reach = a.reach};
}

image_row row_of(const image &i, uint32_t section, string_table &strings)
{
	return {.size = i.bytes.size(),
		.checksum = checksum(as_bytes(i.bytes)),
		.target = uint32_t(i.target),
		.name = strings.add(i.name),
		.major = i.major,
		.minor = i.minor,
		.options = strings.add(i.options),
		.section = section,
		.reason = strings.add(i.reason),
		.reserved = 0,
		.source = i.source};
}

} // namespace

std::string make_directory(const document &d, const std::vector<uint32_t> &sections)
{
	string_table strings;
	std::vector<kernel_row> kernels;
	std::vector<argument_row> arguments;
	std::vector<image_row> images;
	for (const kernel &k : d.kernels) {
		kernels.push_back({strings.add(k.name), uint32_t(arguments.size()), uint32_t(k.arguments.size()),
				   uint32_t(k.split), strings.add(k.split_reason), k.dimensions, strings.add(k.asked),
				   strings.add(k.apart), k.source});
		for (const argument &a : k.arguments)
			arguments.push_back(row_of(a, strings));
	}
	for (size_t i = 0; i < d.images.size(); i++)
		images.push_back(row_of(d.images[i], sections.at(i), strings));

	std::string out(sizeof(head), '\0');
	head h = {};
	memcpy(h.magic, magic, sizeof(magic));
	h.major = major_version;
	h.minor = minor_version;
	h.kernels = append(out, kernels);
	h.arguments = append(out, arguments);
	h.images = append(out, images);
	h.strings = uint32_t(out.size());
	out += strings.all();
	h.size = uint32_t(out.size());
	memcpy(out.data(), &h, sizeof(h));
	h.checksum = checksum(as_bytes(out).subspan(offsetof(head, major)));
	memcpy(out.data(), &h, sizeof(h));
	return out;
}

document from_elf(format::bytes file)
{
	container from;
	fault why;
	document d;
	if (!from.open(file, why))
		throw std::runtime_error(why.text);
	for (uint32_t i = 0; i < from.nkernels(); i++) {
		auto k = from.kernel(i);
		kernel &made = d.kernels.emplace_back(
			kernel{k.name, {}, k.split, k.split_reason, k.dimensions, k.apart, k.asked, k.source});
		for (uint32_t n = 0; n < k.narguments; n++) {
			auto a = from.argument(k, n);
			made.arguments.push_back({a.name, a.type, a.space, a.access, a.size, {}, a.reach});
			if (a.is_analysed)
				made.arguments.back().found = a.found;
		}
	}
	for (uint32_t i = 0; i < from.nimages(); i++) {
		auto m = from.image(i);
		format::bytes data;
		if (m.is_there() && !from.contents(m, data, why))
			throw std::runtime_error("image " + std::to_string(i + 1) + ": " + why.text);
		std::string text(reinterpret_cast<const char *>(data.data()), data.size());
		d.images.push_back({m.target, m.name, m.major, m.minor, m.options, text, m.reason, m.source});
	}
	return d;
}

uint64_t source_identity(const std::string &source, const std::string &options)
{
	return format::source_identity(checksum(as_bytes(source)), plain(options).c_str());
}

document read_document(const std::string &file, const std::string &section)
{
	std::string all = read_file(file);
	format::bytes bytes = as_bytes(all);
	format::fault why;
	format::elf_sections elf;
	try {
		if (!section.empty()) {
			if (!elf.open(bytes, why))
				throw std::runtime_error(why.text);
			if (!elf.contents(elf.find(section.c_str()), bytes))
				throw std::runtime_error("no section " + section);
		}
		return from_elf(bytes);
	} catch (const std::runtime_error &wrong) {
		throw std::runtime_error(file + ": " + wrong.what());
	}
}

} // namespace tool::fat
