// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "checkpoint/launches.h"

#include <algorithm>

namespace het::checkpoint
{

using fatbin::cut;
using fatbin::load;

namespace
{

// Cuts the next table off, of @count records, which begins and ends at multiples of 8.
bool cut_table(bytes all, uint64_t &at, uint64_t count, size_t record, bytes &table)
{
	if (count > all.size() / record || !cut(all, at, count * record, table))
		return false;
	at += padded(count * record);
	return true;
}

template <class T> bool append(list<std::byte> &to, std::span<const T> table)
{
	const std::byte zeros[8] = {};
	const bytes b = std::as_bytes(table);
	return to.append(b) && to.append({zeros, padded(b.size()) - b.size()});
}

bool is_within(uint64_t at, uint64_t n, uint64_t size)
{
	return n && n <= size && at <= size - n;
}

} // namespace

bool launch_list::is_text(uint64_t at) const
{
	return at < texts_end_ && data_[at] != std::byte{0};
}

bool launch_list::find_tables(bytes all)
{
	uint64_t at = sizeof(head_);
	const bool fit = load(all, 0, head_) &&
			 cut_table(all, at, head_.nprograms, sizeof(launch_program), programs_) &&
			 cut_table(all, at, head_.nitems, sizeof(launch_item), items_) &&
			 cut_table(all, at, head_.nkernels, sizeof(launch_kernel), kernels_) &&
			 cut_table(all, at, head_.ncommands, sizeof(launch_command), commands_) &&
			 cut_table(all, at, head_.nbefore, sizeof(uint32_t), before_) &&
			 cut_table(all, at, head_.nargs, sizeof(launch_argument), arguments_) &&
			 cut_table(all, at, head_.ndata, 1, data_) && at == all.size();
	const auto last_zero = std::find(data_.rbegin(), data_.rend(), std::byte{0});
	texts_end_ = uint64_t(data_.rend() - last_zero);
	return fit;
}

bool launch_list::check_names() const
{
	for (size_t i = 0; i < head_.nprograms; i++) {
		if (!is_text(program(i).name))
			return false;
	}
	for (size_t i = 0; i < head_.nitems; i++) {
		if (!is_text(item(i).name) || !item(i).nbytes)
			return false;
	}
	for (size_t i = 0; i < head_.nkernels; i++) {
		if (!is_text(kernel(i).name) || kernel(i).program >= head_.nprograms)
			return false;
	}
	return true;
}

bool launch_list::check_argument(const launch_argument &a) const
{
	if (a.has_pattern > 1 || !a.nbytes)
		return false;
	switch (a.kind) {
	case argument_kind::value:
		return is_within(a.at, a.nbytes, data_.size());
	case argument_kind::local:
		return true;
	case argument_kind::memory:
		return a.item < head_.nitems && is_within(a.at, a.nbytes, item(a.item).nbytes);
	default:
		return false;
	}
}

// @before and @args count what the commands up to this one have.
bool launch_list::check_command(const launch_command &c, size_t number, uint64_t &before, uint64_t &args) const
{
	if (c.nbefore > head_.nbefore - before || c.nargs > head_.nargs - args)
		return false;
	for (uint64_t end = before + c.nbefore; before < end; before++) {
		if (launch_list::before(before) >= number)
			return false;
	}
	for (uint64_t end = args + c.nargs; args < end; args++) {
		if (!check_argument(argument(args)))
			return false;
	}
	return c.kernel == no_kernel ? !c.nargs : c.kernel < head_.nkernels;
}

outcome launch_list::open(bytes all, fault &why)
{
	uint64_t before = 0, args = 0;
	nlaunches_ = 0;
	if (!find_tables(all) || !check_names())
		return say_damaged(why.say("its launches are damaged: tables of %zu bytes can't be so", all.size()));
	for (size_t i = 0; i < head_.ncommands; i++) {
		if (!check_command(command(i), i, before, args))
			return say_damaged(why.say("its launches are damaged: number %zu can't be one", i));
		nlaunches_ += command(i).kernel != no_kernel;
	}
	if (before != head_.nbefore || args != head_.nargs)
		return say_damaged(why.say("its launches are damaged: there are too few for their arguments"));
	return outcome::done;
}

bool launch_list_builder::add_text(const char *text, uint64_t *at)
{
	*at = data_.size();
	return data_.append(std::as_bytes(std::span(text, strlen(text) + 1)));
}

bool launch_list_builder::add_program(const char *name, uint64_t identity)
{
	launch_program p = {identity, 0};
	return add_text(name, &p.name) && programs_.push(p);
}

bool launch_list_builder::add_item(const char *name, uint64_t nbytes)
{
	launch_item i = {nbytes, 0};
	return add_text(name, &i.name) && items_.push(i);
}

bool launch_list_builder::add_kernel(const char *name, uint32_t program)
{
	launch_kernel k = {0, program};
	return add_text(name, &k.name) && kernels_.push(k);
}

bool launch_list_builder::add_command(const launch_command &c)
{
	if (!commands_.push(c))
		return false;
	commands_.back().nbefore = commands_.back().nargs = 0;
	return true;
}

bool launch_list_builder::add_before(uint32_t command)
{
	if (!before_.push(command))
		return false;
	commands_.back().nbefore++;
	return true;
}

bool launch_list_builder::add_argument(launch_argument a, bytes value)
{
	if (a.kind == argument_kind::value) {
		a.at = data_.size();
		a.nbytes = value.size();
	}
	if (!data_.append(value) || !arguments_.push(a))
		return false;
	commands_.back().nargs++;
	return true;
}

bool launch_list_builder::build(list<std::byte> &all) const
{
	const launch_head head = {uint32_t(programs_.size()),
				  uint32_t(items_.size()),
				  uint32_t(kernels_.size()),
				  uint32_t(commands_.size()),
				  before_.size(),
				  arguments_.size(),
				  data_.size()};
	all.clear();
	return append(all, std::span(&head, 1)) && append(all, programs_.all()) && append(all, items_.all()) &&
	       append(all, kernels_.all()) && append(all, commands_.all()) && append(all, before_.all()) &&
	       append(all, arguments_.all()) && append(all, data_.all());
}

} // namespace het::checkpoint
