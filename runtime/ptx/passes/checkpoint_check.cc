// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/checkpoint_check.h"

#include "ptx/passes/access.h"
#include "ptx/passes/origins.h"

namespace het::ptx
{

namespace
{

struct unsaved_reason {
	std::string_view begins, why;
};

constexpr unsaved_reason unsaved[] = {
	{"mbarrier", "has an object in shared memory that must not be copied"},
	{"cp.async.mbarrier", "has an object in shared memory that must not be copied"},
	{"wgmma", "multiplies matrices that are not in registers alone"},
	{"tcgen05", "has memory that can't be saved"},
	{"setmaxnreg", "moves registers from warp to warp"},
	{"alloca", "takes local memory while it runs"},
	{"stacksave", "takes local memory while it runs"},
	{"stackrestore", "takes local memory while it runs"},
	{"barrier.cluster", "waits for other blocks of its cluster"},
};

bool is_barrier(const mnemonic &op)
{
	return (op.base() == "bar" && !op.has("warp")) || (op.base() == "barrier" && !op.has("cluster"));
}

std::optional<fault> unsaved_instruction(const module &m, const function &f, const statement &s, bool in_kernel)
{
	const instruction &i = m.instructions[s.index];
	for (const auto &[begins, why] : unsaved)
		if (m.str(i.opcode).starts_with(begins))
			return m.fault_at(s.text, std::string(why));
	mnemonic op(m.str(i.opcode));
	if (!is_barrier(op))
		return std::nullopt;
	if (!in_kernel)
		return m.fault_at(s.text, "is a barrier in a function that the kernel calls");
	if (!is_whole_barrier(m, i))
		return m.fault_at(s.text, "is a barrier of some threads, or one with a name");
	if (place_before_barrier(m, f, uint32_t(&s - m.statements_of(f).data())) == no_index)
		return m.fault_at(s.text, "is a barrier in a scope of its own, which nothing outside can come back to");
	return std::nullopt;
}

// Statements that are in no loop with a stop point may wait for a thread that has stopped, for ever.
std::optional<fault> waiting_loop(const module &m, const function &f)
{
	const control_flow flow(m, f);
	for (uint32_t header : flow.loop_headers())
		if (auto *s = find_meeting(m, f, header, flow.last_of_loop(header)))
			return m.fault_at(s->text, "is in a loop of a function that may wait for threads which stop");
	return std::nullopt;
}

std::optional<fault> unsaved_function(const module &m, uint32_t function, bool in_kernel)
{
	const auto &f = m.functions[function];
	for (const statement &s : m.statements_of(f))
		if (s.kind == statement::kind_t::instruction)
			if (auto wrong = unsaved_instruction(m, f, s, in_kernel))
				return wrong;
	if (in_kernel)
		return std::nullopt;
	for (const variable &v : m.variables)
		if (v.space == space::shared && v.block && v.function == function)
			return m.fault_at(v.name, "is shared memory that only a function of the kernel's can name");
	return waiting_loop(m, f);
}

} // namespace

bool is_whole_barrier(const module &m, const instruction &i)
{
	mnemonic op(m.str(i.opcode));
	if (!is_barrier(op) || op.has("arrive"))
		return false;
	bool reduces = op.has("red");
	uint32_t at = reduces ? 1 : 0;
	if (i.operands != at + 1 + reduces)
		return false;
	const operand &number = m.operand_of(i, at);
	return number.kind == operand::kind_t::integer && number.value == 0;
}

uint32_t place_before_barrier(const module &m, const function &f, uint32_t barrier)
{
	auto body = m.statements_of(f);
	const uint32_t outside = body.front().block;
	if (body[barrier].block == outside)
		return barrier;
	uint32_t first = barrier, last = barrier;
	while (body[first].block != outside)
		first--;
	while (last < body.size() && body[last].block != outside)
		last++;
	unsigned barriers = 0;
	for (uint32_t n = first; n < last; n++) {
		if (body[n].kind == statement::kind_t::label)
			return no_index;
		if (body[n].kind != statement::kind_t::instruction)
			continue;
		const instruction &i = m.instructions[body[n].index];
		mnemonic op(m.str(i.opcode));
		if (op.base() == "bra" || op.base() == "brx" || (is_barrier(op) && !i.guard.empty()))
			return no_index;
		barriers += is_barrier(op);
	}
	return barriers == 1 ? first : no_index;
}

const statement *find_meeting(const module &m, const function &f, uint32_t first, uint32_t last)
{
	for (uint32_t n = first; n <= last; n++) {
		const statement &s = m.statements_of(f)[n];
		if (s.kind != statement::kind_t::instruction)
			continue;
		mnemonic op(m.str(m.instructions[s.index].opcode));
		bool fence = op.base() == "membar" || op.base() == "fence" || op.base() == "nanosleep";
		if (fence || is_of_several_threads(op))
			return &s;
	}
	return nullptr;
}

std::optional<fault> save_refusal(const module &m, const reach &calls, uint32_t kernel)
{
	const function &k = m.functions[kernel];
	if (unsigned target = target_number(m); target < 70)
		return m.fault_at(m.target, "is a device whose threads can't wait for each other one by one");
	if (m.version_major < 6 || (m.version_major == 6 && m.version_minor < 3))
		return m.fault_at(k.name, "is in a version of PTX before 6.3");
	for (uint32_t f : calls.from(kernel))
		if (auto wrong = unsaved_function(m, f, f == kernel))
			return wrong;
	return std::nullopt;
}

} // namespace het::ptx
