// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "pep/record/recorder.h"

#include "pep/record/text.h"

#include <bit>
#include <limits>

namespace pep::record
{

using namespace het::ptx;

recorder::recorder(std::string program, std::initializer_list<const bench::kernel_text *> texts)
    : runner_(std::move(program), texts)
{
}

void recorder::read_text(const simt::code &kernel)
{
	const allocation a = allocate(*kernel.source, *kernel.head);
	if (a.registers > most_registers || kernel.head->statements > std::numeric_limits<uint16_t>::max())
		throw std::runtime_error(runner_.name() + ": the kernel is too large");
	trace_.registers = a.registers;
	trace_.places = a.places();
	trace_.text = instructions_of(*kernel.source, *kernel.head, a);
	trace_.shared_bytes = unsigned(runner_.program().shared_of(kernel).bytes);
	kernel_ = &kernel;
	first_statement_ = kernel.head->first_statement;
	bytes_.assign(kernel.head->statements, 0);
	atomic_.assign(kernel.head->statements, false);
	for (const simt::uop &u : kernel.ops) {
		const uint32_t n = u.statement - first_statement_;
		if (n >= bytes_.size())
			continue;
		bytes_[n] = std::max(bytes_[n], uint32_t{u.vector} * u.element);
		atomic_[n] = (u.touches & simt::touches_read) && (u.touches & simt::touches_write);
	}
}

kernel_trace recorder::run(const std::string &kernel, simt::extent grid, simt::extent block,
			   const std::vector<std::vector<uint8_t>> &values)
{
	trace_ = {};
	trace_.name = runner_.name();
	trace_.threads = unsigned(block.count());
	read_text(runner_.kernel(kernel));
	trace_.blocks.resize(grid.count());
	for (block_trace &b : trace_.blocks)
		b.warps.resize(trace_.warps());
	simt::options with;
	with.trace_barriers = true;
	with.trace = [this](const simt::step &s) { step(s); };
	runner_.run(kernel, grid, block, values, with);
	find_shared_lines();
	return std::move(trace_);
}

void recorder::step(const simt::step &s)
{
	if (s.function != kernel_)
		throw std::runtime_error(runner_.name() + ": a kernel that calls functions can't be recorded");
	const uint32_t n = s.statement - first_statement_;
	block_trace &b = trace_.blocks[s.block];
	pep::step made;
	made.instruction = uint16_t(n);
	if (trace_.text[n].unit == unit::memory && s.addresses)
		put_lines(s, b, made);
	b.warps[s.warp].push_back(made);
	b.steps++;
}

void recorder::put_lines(const simt::step &s, block_trace &b, pep::step &made)
{
	const instruction &i = trace_.text[made.instruction];
	made.first = uint32_t(b.lines.size());
	has_atomics_ |= atomic_[made.instruction];
	for (uint64_t left = s.mask; left != 0; left &= left - 1) {
		const uint64_t address = s.addresses[std::countr_zero(left)];
		if (address < simt::first_buffer)
			continue; // not global memory
		const uint64_t last = address + bytes_[made.instruction] - 1;
		for (uint64_t at = address / line_bytes; at <= last / line_bytes; at++) {
			const uint32_t line = uint32_t(at - simt::first_buffer / line_bytes) & ~line_of_several;
			if (std::find(b.lines.begin() + made.first, b.lines.end(), line) != b.lines.end())
				continue;
			b.lines.push_back(line);
			line_uses &u = lines_.try_emplace(line, line_uses{uint32_t(s.block)}).first->second;
			u.several |= u.block != s.block;
			u.read |= i.loads;
			u.written |= i.stores;
		}
	}
	made.count = uint16_t(b.lines.size() - made.first);
}

void recorder::find_shared_lines()
{
	trace_.is_idempotent = !has_atomics_;
	for (const auto &[line, u] : lines_)
		trace_.is_idempotent &= !(u.read && u.written);
	for (block_trace &b : trace_.blocks)
		for (uint32_t &line : b.lines)
			line |= lines_.at(line).several ? line_of_several : 0;
	lines_.clear();
}

} // namespace pep::record
