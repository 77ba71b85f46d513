// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/verdict.h"

#include "analysis/sweep.h"

#include <llvm/Analysis/PostDominators.h>

#include <algorithm>

namespace tool::analysis
{

namespace
{

using fat::argument;

// Holds all that one argument is used for.
struct usage {
	bool reads = false, writes = false;
	std::optional<sweep> all; // nothing: anywhere
	bool is_bounded = true;   // tells of dimension 0 that it is so by what multiplies dimension 1
	bool is_certain = true;   // each work-item does all of it
	std::string unsafe, unknown;
};

std::string list_of(const std::vector<std::string> &names)
{
	std::string text;
	for (const auto &n : names)
		text += (text.empty() ? "" : ", ") + n;
	return text;
}

class judgement
{
      public:
	judgement(const accesses &of, values &known, llvm::Function &f, fat::kernel &k)
	    : accesses_(of), values_(known), function_(f), post_(f), kernel_(k), usages_(k.arguments.size())
	{
	}

	void judge();

      private:
	void take(const access &a, usage &u);
	void take_written(unsigned i, usage &u);
	void take_answer();
	void describe(argument &a, const usage &u) const;
	bool can_multiply(const sweep &s) const;

	const accesses &accesses_;
	values &values_;
	const llvm::Function &function_;
	const llvm::PostDominatorTree post_;
	fat::kernel &kernel_;
	std::vector<usage> usages_;
	uint32_t dimensions_ = format::most_axes;
};

// Runtimes read multipliers from the bytes of arguments.
bool judgement::can_multiply(const sweep &s) const
{
	return std::all_of(std::begin(s.axes), std::end(s.axes), [&](const sweep_axis &axis) {
		if (axis.times.empty() || axis.times[0].is == symbol::kind::global_size)
			return true;
		auto *type = function_.getArg(axis.times[0].number)->getType();
		return type->isIntegerTy(32) || type->isIntegerTy(64);
	});
}

void judgement::take(const access &a, usage &u)
{
	const std::string &name = kernel_.arguments[a.argument].name;
	bool is_first = !u.reads && !u.writes;
	u.is_certain = u.is_certain && post_.dominates(a.by->getParent(), &function_.getEntryBlock());
	u.reads |= !a.writes;
	u.writes |= a.writes;
	auto s = a.offset ? sweep_of(*a.offset, a.length) : std::nullopt;
	// Of what may wrap it is not known how far it is from something else.
	if (s && (!can_multiply(*s) || (u.all && u.all->is_wrapped != s->is_wrapped)))
		s.reset();
	if (!s && u.unknown.empty())
		u.unknown = at_line(*a.by, (a.writes ? "writes " : "reads ") + name +
						   " at an index that is no sum of the work-item's ids");
	u.is_bounded = u.is_bounded && s && s->axes[1].times.size() == 1 &&
		       s->axes[1].times[0].is != symbol::kind::global_size &&
		       values_.is_bounded(a.by->getParent(), 0, s->axes[1].times[0].number);
	if (is_first) {
		u.all = s;
		return;
	}
	if (s && u.all && u.all->moves_as(*s)) {
		u.all->include(*s);
		return;
	}
	if (s && u.all) {
		bool is_near = u.all->axes[0].moves_as(s->axes[0]) && u.all->axes[1].moves_as(s->axes[1]);
		std::string what = (a.writes ? "writes " : "reads ") + name;
		u.unknown = at_line(*a.by, what + (is_near ? " at a distance that depends on the launch"
							   : " at another index than before"));
	}
	u.all.reset();
}

// An argument that is written may be used at the work-item's own index alone.
void judgement::take_written(unsigned i, usage &u)
{
	const std::string &name = kernel_.arguments[i].name;
	if (!u.all)
		return;
	switch (owner_of(*u.all)) {
	case ownership::own:
	case ownership::by_rows:
		dimensions_ = std::min(dimensions_, dimensions_of(*u.all));
		break;
	case ownership::unknown:
		u.unknown = "work-items may use the same bytes of " + name + ", which is written";
		break;
	case ownership::shared: {
		// Conditions may leave one of them over, and so may a launch's sizes.
		std::string &to = u.is_certain && is_certainly_shared(*u.all) ? u.unsafe : u.unknown;
		to = u.all->has_ids() ? "several work-items use the same bytes of " + name + ", which is written"
				      : "all work-items write the same bytes of " + name;
	}
	}
}

void judgement::take_answer()
{
	std::vector<std::string> written;
	std::string unsafe = accesses_.unsafe(), unknown = accesses_.unknown();
	for (unsigned i = 0; i < usages_.size(); i++) {
		usage &u = usages_[i];
		if (!u.writes)
			continue;
		take_written(i, u);
		written.push_back(kernel_.arguments[i].name);
		unsafe = unsafe.empty() ? u.unsafe : unsafe;
		unknown = unknown.empty() ? u.unknown : unknown;
	}
	kernel_.dimensions = accesses_.is_complete() ? dimensions_ : 0;
	kernel_.split = !unsafe.empty()    ? format::split::unsafe
			: !unknown.empty() ? format::split::unknown
					   : format::split::safe;
	if (!unsafe.empty() || !unknown.empty())
		kernel_.split_reason = unsafe.empty() ? unknown : unsafe;
	else if (written.empty())
		kernel_.split_reason = "it writes nothing";
	else
		kernel_.split_reason =
			"it uses what it writes (" + list_of(written) + ") at the work-item's own index alone";
}

void judgement::describe(argument &a, const usage &u) const
{
	if (!accesses_.is_complete())
		return;
	a.found = format::access((u.reads ? unsigned(format::access::read_only) : 0) |
				 (u.writes ? unsigned(format::access::write_only) : 0));
	auto reach = u.all ? reach_of(*u.all) : std::nullopt;
	if (!reach)
		return;
	a.reach = *reach;
	if (u.is_bounded)
		a.reach.axes[0].flags |= format::axis_bounded;
}

void judgement::judge()
{
	for (const access &a : accesses_.all())
		take(a, usages_[a.argument]);
	take_answer();
	for (unsigned i = 0; i < usages_.size(); i++)
		if (kernel_.arguments[i].space == format::space::global ||
		    kernel_.arguments[i].space == format::space::constant)
			describe(kernel_.arguments[i], usages_[i]);
}

} // namespace

void judge(const accesses &of, values &known, llvm::Function &f, fat::kernel &k)
{
	judgement(of, known, f, k).judge();
}

} // namespace tool::analysis
