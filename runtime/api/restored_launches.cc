// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "api/restored_launches.h"

#include "api/command.h"
#include "core/program.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <utility>

namespace het::rt
{

using checkpoint::argument_kind;
using checkpoint::launch_argument;
using checkpoint::launch_command;
using checkpoint::launch_list;

namespace
{

constexpr char this_call[] = "het_checkpoint_restore";

int fail_without_memory()
{
	return fail(HET_ENOMEM, "%s: no memory for the launches", this_call);
}

class restored_launches
{
      public:
	restored_launches(het_queue &q, const het_checkpoint_args &args, const launch_list &list)
	    : queue_(q), args_(args), list_(list)
	{
	}
	// Finds what they need among the call's arguments. Returns 0 or a code.
	int prepare();
	// Adds them; each waits for @first. Returns 0 or a code, and then some of them may have been added.
	int add(het_event &first);
	void give_events();

      private:
	int find_items();
	int find_kernels();
	int find_program(const checkpoint::launch_program &p, het_program **found) const;
	int make_argument(const launch_argument &a, het_arg &made, het_pattern &pattern,
			  reference<het_memory> &part) const;
	int make_arguments(size_t n);
	bool make_waits(size_t number, size_t n, het_event &first);
	int launch(size_t number, const launch_command &c);

	het_queue &queue_;
	const het_checkpoint_args &args_;
	const launch_list &list_;
	std::unique_ptr<const het_checkpoint_item *[]> items_;
	std::unique_ptr<reference<het_kernel>[]> kernels_;
	// This is what has been added of each command, or null.
	std::unique_ptr<reference<het_event>[]> events_;
	// These are of the command that is being added, and have room for the largest.
	std::unique_ptr<het_arg[]> arguments_;
	std::unique_ptr<het_pattern[]> patterns_;
	std::unique_ptr<reference<het_memory>[]> parts_;
	std::unique_ptr<het_event *[]> waits_;
	size_t nwaits_ = 0, next_argument_ = 0, next_before_ = 0;
};

int restored_launches::find_items()
{
	for (size_t i = 0; i < list_.head().nitems; i++) {
		const checkpoint::launch_item item = list_.item(i);
		const auto *end = args_.items + args_.nitems;
		const auto *found = std::find_if(args_.items, end, [&](const het_checkpoint_item &given) {
			return !strcmp(given.name, list_.text(item.name));
		});
		items_[i] = found == end ? nullptr : found;
		const size_t n = !items_[i] ? 0 : found->memory ? found->memory->bytes().size() : found->nbytes;
		if (items_[i] && n != item.nbytes)
			return fail(HET_EARG, "%s: item %s has %" PRIu64 " bytes for the file's launches, and %zu here",
				    this_call, found->name, item.nbytes, n);
	}
	return 0;
}

int restored_launches::find_program(const checkpoint::launch_program &p, het_program **found) const
{
	const char *name = list_.text(p.name);
	for (size_t i = 0; i < args_.nprograms; i++) {
		if (strcmp(args_.programs[i].name, name) != 0)
			continue;
		*found = args_.programs[i].program;
		return (*found)->identity() == p.identity
			       ? 0
			       : fail(HET_EARG,
				      "%s: program %s is not made of what it was when its launches were written",
				      this_call, name);
	}
	return fail(HET_EARG, "%s: there are launches of program %s in the file: give it", this_call, name);
}

int restored_launches::find_kernels()
{
	for (size_t i = 0; i < list_.head().nkernels; i++) {
		const checkpoint::launch_kernel k = list_.kernel(i);
		het_program *program = nullptr;
		het_kernel *made = nullptr;
		int err = find_program(list_.program(k.program), &program);
		err = err ? err : het_kernel_create(program, list_.text(k.name), &made);
		if (err)
			return err;
		kernels_[i] = reference<het_kernel>(made);
	}
	return 0;
}

int restored_launches::prepare()
{
	size_t args = 0, waits = 0;
	for (size_t i = 0; i < list_.head().ncommands; i++) {
		args = std::max(args, list_.command(i).nargs);
		waits = std::max(waits, list_.command(i).nbefore);
	}
	if (args_.launches && args_.nlaunches < list_.nlaunches())
		return fail(HET_EARG, "%s: room for the events of %zu launches, and there are %" PRIu64, this_call,
			    args_.nlaunches, list_.nlaunches());
	items_.reset(new (std::nothrow) const het_checkpoint_item *[list_.head().nitems]);
	kernels_.reset(new (std::nothrow) reference<het_kernel>[list_.head().nkernels]);
	events_.reset(new (std::nothrow) reference<het_event>[list_.head().ncommands]);
	arguments_.reset(new (std::nothrow) het_arg[args]);
	patterns_.reset(new (std::nothrow) het_pattern[args]);
	parts_.reset(new (std::nothrow) reference<het_memory>[args]);
	waits_.reset(new (std::nothrow) het_event *[waits + 1]);
	if (!items_ || !kernels_ || !events_ || !arguments_ || !patterns_ || !parts_ || !waits_)
		return fail_without_memory();
	const int err = find_items();
	return err ? err : find_kernels();
}

int restored_launches::make_argument(const launch_argument &a, het_arg &made, het_pattern &pattern,
				     reference<het_memory> &part) const
{
	made = {.kind = uint32_t(a.kind),
		.access = 0,
		.nbytes = a.nbytes,
		.pointer = nullptr,
		.memory = nullptr,
		.pattern = nullptr};
	if (a.kind == argument_kind::value)
		made.pointer = const_cast<void *>(list_.value(a));
	if (a.kind != argument_kind::memory)
		return 0;
	const het_checkpoint_item *item = items_[a.item];
	if (!item)
		return fail(HET_EARG, "%s: the file's launches use item %s: give it", this_call,
			    list_.text(list_.item(a.item).name));
	made.access = a.access;
	pattern = {sizeof(het_pattern), a.offset, a.step, a.length, a.count, a.stride};
	made.pattern = a.has_pattern ? &pattern : nullptr;
	if (!item->memory) {
		made.kind = HET_ARG_RANGE;
		made.pointer = static_cast<char *>(item->pointer) + a.at;
		return 0;
	}
	made.nbytes = 0;
	if (int err = het_memory_part(item->memory, a.at, a.nbytes, &made.memory))
		return err;
	part = reference<het_memory>(made.memory);
	return 0;
}

int restored_launches::make_arguments(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const launch_argument a = list_.argument(next_argument_ + i);
		if (int err = make_argument(a, arguments_[i], patterns_[i], parts_[i]))
			return err;
	}
	return 0;
}

// Those that do nothing, and that nothing before them is left to wait for, have no event.
bool restored_launches::make_waits(size_t number, size_t n, het_event &first)
{
	nwaits_ = 0;
	for (size_t i = 0; i < n; i++) {
		if (het_event *e = events_[list_.before(next_before_ + i)].get())
			waits_[nwaits_++] = e;
	}
	const bool is_launch = list_.command(number).kernel != checkpoint::no_kernel;
	if (is_launch)
		waits_[nwaits_++] = &first;
	return nwaits_;
}

int restored_launches::launch(size_t number, const launch_command &c)
{
	if (int err = make_arguments(c.nargs))
		return err;
	het_launch_args a = {};
	a.size = sizeof(a);
	a.kernel = kernels_[c.kernel].get();
	a.dimensions = c.dimensions;
	a.flags = c.flags;
	std::copy_n(c.global, 3, a.global);
	std::copy_n(c.offset, 3, a.offset);
	std::copy_n(c.local, 3, a.local);
	a.arg_size = sizeof(het_arg);
	a.nargs = c.nargs;
	a.args = arguments_.get();
	a.nwaits = nwaits_;
	a.waits = waits_.get();
	a.priority = c.priority;
	het_event *made = nullptr;
	const int err = het_launch(&queue_, &a, &made);
	events_[number] = reference<het_event>(made);
	return err;
}

int restored_launches::add(het_event &first)
{
	for (size_t i = 0; i < list_.head().ncommands; i++) {
		const launch_command c = list_.command(i);
		int err = 0;
		if (!make_waits(i, c.nbefore, first))
			err = 0;
		else if (c.kernel != checkpoint::no_kernel)
			err = launch(i, c);
		else {
			het_event *made = nullptr;
			err = het_marker(&queue_, nwaits_, waits_.get(), &made);
			events_[i] = reference<het_event>(made);
		}
		if (err)
			return err;
		next_before_ += c.nbefore;
		next_argument_ += c.nargs;
	}
	return 0;
}

void restored_launches::give_events()
{
	size_t n = 0;
	for (size_t i = 0; i < list_.head().ncommands && args_.launches; i++) {
		if (list_.command(i).kernel != checkpoint::no_kernel)
			args_.launches[n++] = events_[i].give_up();
	}
}

} // namespace

// Nothing runs before all have been added: the restore waits for an event of the call's own.
int restore_with_launches(het_queue &queue, const het_checkpoint_args &args, reference<checkpoint_restore> r,
			  het_event **event)
{
	uint64_t generation = 0;
	const reference<stored_launches> stored = args.checkpoint->store.launches(&generation);
	static const launch_list none;
	restored_launches l(queue, args, stored ? stored->all : none);
	if (int err = l.prepare())
		return err;
	het_event *made = nullptr;
	if (int err = het_user_event_create(&made))
		return err;
	const reference<het_event> all_added(made);
	wait_list waits;
	if (!waits.take(args.nwaits, args.waits, made))
		return fail_without_memory();
	r->take_launches_of(generation);
	const auto kept = reference<het_event>::to(static_cast<het_event *>(r.get()));
	int err = send(reference<het_event>(r.give_up()), {&queue.commands, usual_order(queue), waits.nodes}, nullptr);
	err = err ? err : l.add(*kept);
	(void)het_user_event_set(made, err ? HET_ECANCELED : 0);
	if (err)
		return err;
	l.give_events();
	if (event)
		*event = reference<het_event>::to(kept.get()).give_up();
	return 0;
}

} // namespace het::rt
