// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// noc-record-ptx runs a kernel in the PTX interpreter, like het-ptx run, and writes what its blocks did to memory, for
// noc-sim --play. See Documentation/noc.rst.
#include "common/options.h"
#include "noc/record/ptx/warps.h"
#include "ptx/input.h"
#include "ptx/run.h"

#include <fstream>
#include <stdexcept>

int main(int argc, char **argv)
{
	std::string text, path;
	unsigned cores = 64;
	tool::run_request request;
	bench::command_line line("Records the memory accesses of a kernel, block by block.");
	line.text("--ptx", text, "the kernel's text, or what contains it");
	line.text("--kernel", request.kernel, "its name; not needed if there is one");
	line.text("--grid", request.grid, "blocks: X[,Y[,Z]]");
	line.text("--block", request.block, "threads of a block: X[,Y[,Z]]");
	line.list("--arg", request.arguments, "one for each parameter, as het-ptx has them");
	line.number("--cores", cores, "on which the blocks run in turn");
	line.operand("FILE", path, "to write");
	return line.run(argc, argv, [&] {
		std::vector<het::ptx::module> modules;
		if (!tool::read_modules(text, &modules))
			return 2;
		if (cores == 0)
			throw std::invalid_argument("there must be a core");
		noc::record::warps seen(cores);
		request.with.resident_blocks = cores;
		request.with.trace = [&](const het::ptx::simt::step &s) { seen.step(s); };
		if (const int status = tool::run(std::move(modules), request, false))
			return status;
		const std::vector<uint8_t> bytes = noc::write_accesses(seen.trace());
		std::ofstream file(path, std::ios::binary);
		file.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
		if (!file.flush())
			throw std::runtime_error("cannot write " + path);
		return 0;
	});
}
