// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// noc-record runs a program of many threads and writes what each did to memory, for noc-sim --play. See
// Documentation/noc.rst.
#include "common/options.h"
#include "noc/record/programs/programs.h"
#include "noc/record/record.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>

using namespace noc::record;

namespace
{

const program &named(const std::string &name)
{
	for (const program &p : programs)
		if (name == p.name)
			return p;
	throw std::invalid_argument("no program is called " + name);
}

std::vector<std::string> names()
{
	std::vector<std::string> all;
	for (const program &p : programs)
		all.emplace_back(p.name);
	return all;
}

// @return 1 if the program's result is wrong.
int record_one(const std::string &name, const std::string &path, unsigned size, unsigned threads)
{
	const program &p = named(name);
	const bool right = p.run(size ? size : p.size, threads);
	const noc::access_trace t = take();
	size_t events = 0;
	for (const auto &of_thread : t)
		events += of_thread.size();
	printf("%s: %u %s, %zu events of %u threads, %s\n", p.name, size ? size : p.size, p.meaning, events, threads,
	       right ? "right" : "WRONG");
	const std::vector<uint8_t> bytes = noc::write_accesses(t);
	std::ofstream file(path, std::ios::binary);
	file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
	if (!file.flush())
		throw std::runtime_error("cannot write " + path);
	return right ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
	std::string name = "stencil", path;
	unsigned size = 0, threads = 64;
	bench::command_line line("Records the memory accesses of a program of many threads.");
	line.text("--program", name, "which", names());
	line.number("--size", size, "of its problem, in its own measure; if not given, the usual one");
	line.number("--threads", threads, "of the program");
	line.operand("FILE", path, "to write");
	return line.run(argc, argv, [&] { return record_one(name, path, size, threads); });
}
