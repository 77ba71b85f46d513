// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Makes frames and calls.
#include "simt/lanewise.h"
#include "simt/runner.h"

#include <algorithm>

namespace het::ptx::simt
{

namespace
{

constexpr uint32_t deepest_call = 1024, most_local_bytes = 512 << 10;

// Returns where the local memory of one lane ends, without and with what alloca took.
uint32_t static_end(const frame &f, unsigned lane)
{
	auto begin = uint32_t(f.registers[size_t{f.function->local_base_register} * warp_size + lane]);
	return (begin + f.function->local_bytes + 15) & ~15u;
}

uint32_t frame_end(const frame &f, unsigned lane)
{
	return static_end(f, lane) + f.taken[lane];
}

} // namespace

frame *runner::new_frame(warp &w, const code &function)
{
	if (w.free_frames.empty())
		w.free_frames.push_back(w.frames.emplace_back(std::make_unique<frame>()).get());
	frame *f = w.free_frames.back();
	w.free_frames.pop_back();
	f->function = &function;
	f->number = function.number;
	f->caller = nullptr;
	f->depth = 0;
	f->alive = 0;
	f->registers.resize(size_t{function.registers} * warp_size);
	if (o_.rubbish)
		std::fill(f->registers.begin(), f->registers.end(), o_.rubbish);
	std::fill_n(&f->registers[size_t{function.local_base_register} * warp_size], warp_size, 0);
	f->taken.fill(0);
	f->local_end = static_end(*f, 0);
	f->params.resize(size_t{function.param_bytes} * warp_size);
	if (o_.check_defined) {
		f->defined.assign(function.registers, 0);
		f->defined[function.local_base_register] = all_lanes;
		f->params_defined.assign(f->params.size(), 0);
	}
	return f;
}

void runner::release(warp &w, frame *f)
{
	w.free_frames.push_back(f);
}

// Returns the frame that other lanes of the same call are in, or a new one.
frame *runner::frame_for(warp &w, const fragment &f, const code &callee)
{
	for (auto &one : w.frames)
		if (one->alive && one->caller == f.in && one->call_op == f.pc && one->function == &callee)
			return one.get();
	frame *made = new_frame(w, callee);
	made->caller = f.in;
	made->call_op = f.pc;
	made->depth = f.in->depth + 1;
	return made;
}

bool runner::grow_local(warp &w, frame &f)
{
	uint32_t need = f.local_end;
	if (need <= w.local_stride)
		return true;
	uint32_t stride = std::max<uint32_t>(need, std::min(2 * w.local_stride, most_local_bytes));
	auto spread = [&](std::vector<uint8_t> &bytes) {
		std::vector<uint8_t> wider(size_t{stride} * warp_size, uint8_t(o_.rubbish));
		for (unsigned l = 0; l < warp_size && w.local_stride; l++)
			memcpy(&wider[size_t{l} * stride], &bytes[size_t{l} * w.local_stride], w.local_stride);
		bytes.swap(wider);
	};
	spread(w.local);
	if (o_.check_defined)
		spread(w.local_defined);
	w.local_stride = stride;
	return true;
}

uint64_t runner::argument_value(const frame &f, const argument &a, unsigned lane) const
{
	if (a.value.valid())
		return c_.at(a.value)[lane];
	uint64_t v = 0;
	memcpy(&v, &f.params[size_t{lane} * f.function->param_bytes + a.offset], std::min(a.bytes, 8u));
	return v;
}

// Copies from one frame to another; registers of frames are found in the frames, not through the context.
void runner::copy_argument(const argument &from, frame *source, const argument &to, frame *target, lanes m)
{
	auto words = [](frame *f, ref r) { return &f->registers[size_t{r.index()} * warp_size]; };
	auto bytes = [](frame *f, const argument &a, unsigned l) {
		return size_t{l} * f->function->param_bytes + a.offset;
	};
	bool tracks = o_.check_defined;
	uint32_t n = std::min({from.bytes, to.bytes, from.value.valid() || to.value.valid() ? 8u : ~0u});
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		uint64_t word = 0;
		bool defined = true;
		if (from.value.valid()) {
			bool is_register = from.value.is_register();
			word = is_register ? words(source, from.value)[l] : c_.at(from.value)[l];
			defined = !tracks || !is_register || (source->defined[from.value.index()] >> l & 1);
		} else if (to.value.valid()) {
			memcpy(&word, &source->params[bytes(source, from, l)], n);
			for (uint32_t i = 0; tracks && i < n; i++)
				defined = defined && source->params_defined[bytes(source, from, l) + i];
		} else {
			memcpy(&target->params[bytes(target, to, l)], &source->params[bytes(source, from, l)], n);
			if (tracks)
				memcpy(&target->params_defined[bytes(target, to, l)],
				       &source->params_defined[bytes(source, from, l)], n);
			continue;
		}
		if (to.value.valid()) {
			words(target, to.value)[l] = word;
			if (tracks)
				target->defined[to.value.index()] |= lanes(defined) << l;
		} else {
			memcpy(&target->params[bytes(target, to, l)], &word, n);
			if (tracks)
				memset(&target->params_defined[bytes(target, to, l)], defined, n);
		}
	}
}

bool runner::call(warp &w, fragment &f, const uop &u, lanes m)
{
	const call_site &site = p_.sites()[u.target];
	unsigned first = unsigned(std::countr_zero(m));
	const code *callee = site.callee == no_index ? nullptr : &p_.codes()[site.callee];
	lanes same = m;
	if (!callee) {
		const uint64_t *pointers = c_.at(site.pointer);
		callee = p_.function_at(pointers[first]);
		for (lanes left = m; left; left &= left - 1)
			if (pointers[std::countr_zero(left)] != pointers[first])
				same &= ~(left & -left);
	}
	if (!callee || callee->builtin == builtin::undefined) {
		stop(u, *f.in, w, first,
		     callee ? "nothing defines " + std::string(callee->name) : "this address is no function's");
		return false;
	}
	// Those go first that do not call, then those that call something else and come here again.
	if (lanes others = f.mask & ~m)
		part(w, f, others, f.pc + 1, f.pc + 1);
	if (same != m)
		part(w, f, m & ~same, f.pc, f.pc + 1);
	if (callee->builtin != builtin::none)
		return call_builtin(w, f, u, site, *callee, same);
	if (f.in->depth >= deepest_call || f.in->local_end + callee->local_bytes > most_local_bytes) {
		stop(u, *f.in, w, first, "stack overflow: " + std::to_string(f.in->depth) + " calls deep");
		return false;
	}
	frame *in = frame_for(w, f, *callee);
	in->alive |= same;
	for (lanes left = same; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		in->registers[size_t{callee->local_base_register} * warp_size + l] = frame_end(*f.in, l);
		in->local_end = std::max(in->local_end, static_end(*in, l));
	}
	for (uint32_t i = 0; i < site.arguments && i < callee->parameters.size(); i++)
		copy_argument(p_.arguments()[site.first_argument + i], f.in, callee->parameters[i], in, same);
	if (!o_.independent)
		f.meets = new_join(w, {f.pc + 1, f.in, f.meets, same, 0});
	f.in = in;
	f.pc = 0;
	f.mask = same;
	return true;
}

// What alloca takes lies behind the variables of the frame; functions that are called go on behind that.
bool runner::local_stack(warp &w, fragment &f, const uop &u, lanes m)
{
	frame &fr = *f.in;
	for (lanes left = m; left; left &= left - 1) {
		unsigned l = unsigned(std::countr_zero(left));
		uint32_t begin = static_end(fr, l), end = frame_end(fr, l);
		if (u.mode == 1) {
			c_.at(u.d)[l] = end;
		} else if (u.mode == 2) {
			uint64_t back = c_.at(u.a)[l];
			if (back < begin || back > end) {
				stop(u, fr, w, l, "restores what is no place of this function's stack");
				return false;
			}
			fr.taken[l] = uint32_t(back) - begin;
		} else {
			uint64_t size = c_.at(u.a)[l], align = uint64_t(u.offset);
			uint64_t at = (end + align - 1) / align * align;
			if (size > most_local_bytes || at + size + 15 > most_local_bytes) {
				stop(u, fr, w, l, "stack overflow: alloca of " + std::to_string(size) + " bytes");
				return false;
			}
			fr.taken[l] = uint32_t((at + size + 15) & ~uint64_t{15}) - begin;
			fr.local_end = std::max(fr.local_end, frame_end(fr, l));
			c_.at(u.d)[l] = at;
		}
	}
	if (o_.check_defined && u.d.valid())
		fr.defined[u.d.index()] |= m;
	f.pc++;
	return enter(w, f);
}

} // namespace het::ptx::simt
