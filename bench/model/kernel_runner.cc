// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "model/kernel_runner.h"

#include <stdexcept>

namespace model
{

using namespace het::ptx;

kernel_runner::kernel_runner(std::string program, std::initializer_list<const bench::kernel_text *> texts)
    : name_(std::move(program)), program_(std::make_unique<simt::program>(memory_))
{
	std::vector<module> modules;
	for (const bench::kernel_text *text : texts)
		if (const auto wrong = parse(text->ptx, modules.emplace_back()))
			throw std::runtime_error(name_ + ": " + wrong->describe());
	if (const auto wrong = program_->load(std::move(modules)))
		throw std::runtime_error(name_ + ": " + wrong->describe());
}

const simt::code &kernel_runner::kernel(const std::string &kernel) const
{
	const simt::code *found = program_->find(kernel);
	if (!found)
		throw std::runtime_error(name_ + " has no kernel " + kernel);
	return *found;
}

void kernel_runner::run(const std::string &name, simt::extent grid, simt::extent block,
			const std::vector<std::vector<uint8_t>> &values, const simt::options &how) const
{
	simt::launch l;
	l.kernel = &kernel(name);
	const std::vector<simt::argument> &parameters = l.kernel->parameters;
	if (parameters.size() != values.size())
		throw std::runtime_error(name + " has another number of parameters");
	for (size_t i = 0; i < values.size(); i++) {
		if (parameters[i].bytes != values[i].size())
			throw std::runtime_error(name + " has a parameter of another size");
		l.parameters.resize(parameters[i].offset + parameters[i].bytes);
		memcpy(&l.parameters[parameters[i].offset], values[i].data(), values[i].size());
	}
	l.grid = grid;
	l.block = block;
	if (const simt::outcome o = simt::run(*program_, l, how); o.error)
		throw std::runtime_error(name + ": " + o.error->describe());
}

} // namespace model
