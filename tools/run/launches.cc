// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "run/launches.h"

#include <algorithm>
#include <gpuvm.h>

namespace tool::run
{

namespace
{

het_arg as_arg(const argument &a, std::vector<std::byte> &bytes)
{
	het_arg arg = {};
	arg.kind = a.kind;
	arg.access = a.access;
	arg.pointer = bytes.data();
	arg.nbytes = a.kind == HET_ARG_LOCAL ? a.local_bytes : bytes.size();
	arg.pattern = a.pattern ? &*a.pattern : nullptr;
	return arg;
}

het_launch_args as_launch(const request &r, const std::vector<het_arg> &args)
{
	het_launch_args l = {};
	l.size = sizeof(l);
	l.kernel = r.kernel.get();
	l.dimensions = r.global.dimensions;
	std::copy(r.global.size.begin(), r.global.size.end(), l.global);
	std::copy(r.local.size.begin(), r.local.size.end(), l.local);
	std::copy(r.offset.size.begin(), r.offset.size.end(), l.offset);
	l.flags = (r.is_split ? HET_SPLIT : 0) | (r.is_split && r.is_unsafe ? HET_SPLIT_UNSAFE : 0);
	l.priority = r.priority;
	l.deadline_ns = r.deadline_ns;
	l.arg_size = sizeof(het_arg);
	l.args = args.data();
	l.nargs = args.size();
	return l;
}

het_preemption preemption_of(const het::event &e)
{
	het_preemption p = {};
	p.size = sizeof(p);
	het::check(het_event_preemption(e.get(), &p), "het_event_preemption");
	return p;
}

launched describe(const het::event &e, uint64_t work_items)
{
	launched l = {e.times(), {}, preemption_of(e), e.memory(), copied_so_far(), {}};
	const auto parts = e.parts();
	uint64_t along = 0; // counts work-items in the dimension in which it was split
	for (const het_event_part_info &p : parts)
		along += p.count;
	uint64_t across = along ? work_items / along : 0;
	for (const het_event_part_info &p : parts)
		l.parts.push_back({het::device(p.device), across * p.count, p.first, p.count, p.started, p.ended});
	for (const het::device d : het::devices()) {
		for (const het_path_info &path : d.paths())
			l.paths.push_back({d, path});
	}
	return l;
}

} // namespace

copied copied_so_far()
{
	auto ask = [](int which) {
		unsigned long long n = 0;
		return gpuvm_stat(which, &n) ? 0 : n;
	};
	return {ask(GPUVM_STAT_BYTES_TO_DEVICE), ask(GPUVM_STAT_BYTES_TO_HOST)};
}

uint64_t request::work_items() const
{
	uint64_t n = 1;
	for (unsigned d = 0; d < global.dimensions; d++)
		n *= global.size[d];
	return n;
}

outcome launch(const request &r, const std::vector<argument> &arguments, const std::vector<het::device> &devices)
{
	outcome o;
	for (const argument &a : arguments)
		o.bytes.push_back(a.bytes);
	std::vector<het_arg> args;
	for (size_t n = 0; n < arguments.size(); n++)
		args.push_back(as_arg(arguments[n], o.bytes[n]));
	const het_launch_args l = as_launch(r, args);
	const het::queue q(devices);
	for (unsigned n = 0; n < r.repeat; n++) {
		het_event *made = nullptr;
		het::check(het_launch(q.get(), &l, &made), "het_launch");
		const het::event e(made);
		e.wait();
		o.launches.push_back(describe(e, r.work_items()));
	}
	return o;
}

} // namespace tool::run
