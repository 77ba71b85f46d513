// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds the facts that conditions and loops say of sums.
#include "analysis/sums.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

namespace tool::analysis
{

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

unsigned bits_of(const Value *v)
{
	return v->getType()->getIntegerBitWidth();
}

// Exchanges the two so that the smaller one stands on the left.
void put_in_order(CmpInst::Predicate &predicate, Value *&left, Value *&right)
{
	switch (predicate) {
	case CmpInst::ICMP_SGT:
	case CmpInst::ICMP_SGE:
	case CmpInst::ICMP_UGT:
	case CmpInst::ICMP_UGE:
		std::swap(left, right);
		predicate = CmpInst::getSwappedPredicate(predicate);
		break;
	default:
		break;
	}
}

struct comparison {
	CmpInst::Predicate predicate;
	Value *left, *right;
};

// Conditions may be made of others, and each of these may lead to all of the former ones again, so there is a limit.
constexpr unsigned most_ways_back = 3;

template <class F>
void for_conditions(const DominatorTree &tree, BasicBlock *block, BasicBlock *to, F f, unsigned ways_back = 0);

// Returns whence control must have come if the condition is so, or null if that is several blocks, or an earlier turn
// of a loop, where values were others.
BasicBlock *only_way(const DominatorTree &tree, PHINode &p, bool is_true)
{
	BasicBlock *way = nullptr;
	for (unsigned i = 0; i < p.getNumIncomingValues(); i++) {
		auto *known = dyn_cast<ConstantInt>(p.getIncomingValue(i));
		if (known && known->isOne() != is_true)
			continue;
		if (way || tree.dominates(p.getParent(), p.getIncomingBlock(i)))
			return nullptr;
		way = p.getIncomingBlock(i);
	}
	return way;
}

// Calls f(comparison) for all that hold if the condition is so.
template <class F>
void for_comparisons(const DominatorTree &tree, Value *condition, bool is_true, F f, unsigned ways_back = 0)
{
	Value *a, *b;
	if (match(condition, m_Not(m_Value(a))))
		return for_comparisons(tree, a, !is_true, f, ways_back);
	if (is_true ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
		    : match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
		for_comparisons(tree, a, is_true, f, ways_back);
		for_comparisons(tree, b, is_true, f, ways_back);
		return;
	}
	if (auto *p = dyn_cast<PHINode>(condition)) {
		BasicBlock *way = ways_back < most_ways_back ? only_way(tree, *p, is_true) : nullptr;
		if (way) {
			for_conditions(tree, way, p->getParent(), f, ways_back + 1);
			for_comparisons(tree, p->getIncomingValueForBlock(way), is_true, f, ways_back + 1);
		}
		return;
	}
	auto *compare = dyn_cast<ICmpInst>(condition);
	if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
		return;
	comparison c = {is_true ? compare->getPredicate() : compare->getInversePredicate(), compare->getOperand(0),
			compare->getOperand(1)};
	put_in_order(c.predicate, c.left, c.right);
	f(c);
}

// Calls f(comparison) for all that hold wherever the block runs, or where the edge from @block to @to is taken.
template <class F>
void for_conditions(const DominatorTree &tree, BasicBlock *block, BasicBlock *to, F f, unsigned ways_back)
{
	auto take = [&](BasicBlock *from, auto is_certain) {
		auto *branch = dyn_cast<BranchInst>(from->getTerminator());
		if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
			return;
		for (unsigned way = 0; way < 2; way++)
			if (is_certain(BasicBlockEdge(from, branch->getSuccessor(way))))
				for_comparisons(tree, branch->getCondition(), way == 0, f, ways_back);
	};
	if (to)
		take(block, [&](const BasicBlockEdge &e) { return e.getEnd() == to; });
	auto *here = tree.getNode(block);
	for (auto *node = here ? here->getIDom() : nullptr; node; node = node->getIDom())
		take(node->getBlock(), [&](const BasicBlockEdge &e) { return tree.dominates(e, block); });
}

bool is_less(CmpInst::Predicate p)
{
	return p == CmpInst::ICMP_SLT || p == CmpInst::ICMP_SLE || p == CmpInst::ICMP_ULT || p == CmpInst::ICMP_ULE;
}

} // namespace

void sums::take_comparison(CmpInst::Predicate predicate, Value *left, Value *right, numbers &to)
{
	unsigned bits = bits_of(left);
	auto a = of(left), b = of(right);
	if (!a || !b || bits < 2)
		return;
	if (predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE) {
		const size_t before = to.size();
		take_bounds(predicate, left, right, true, to);
		take_bounds(predicate, left, right, false, to);
		if (to.size() > before)
			return;
	}
	auto difference = add(*b, *a, -1);
	if (!difference)
		return;
	numbers needs = difference->needs;
	bool is_strict = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_ULT;
	auto room = add(*difference, number(is_strict ? -1 : 0), 1);
	if (!room)
		return;
	auto is_signed_number = [&](const sum &s) { return add_need(s.of, bits, true); };
	auto is_half = [&](const sum &s) { return add_need(s.of, bits - 1, false); };
	switch (predicate) {
	case CmpInst::ICMP_SLT:
	case CmpInst::ICMP_SLE:
		needs.insert({is_signed_number(*a), is_signed_number(*b)});
		to.insert(add_fact(room->of, needs));
		break;
	case CmpInst::ICMP_ULT:
	case CmpInst::ICMP_ULE:
		// As an unsigned number, what is negative is not below what is in the lower half.
		needs.insert({is_signed_number(*a), is_half(*b)});
		to.insert({add_fact(room->of, needs), add_fact(a->of, needs)});
		break;
	case CmpInst::ICMP_EQ: {
		auto other = add(*a, *b, -1);
		needs.insert({is_signed_number(*a), is_signed_number(*b)});
		to.insert(add_fact(difference->of, needs));
		if (other)
			to.insert(add_fact(other->of, needs));
		break;
	}
	case CmpInst::ICMP_NE:
		if (auto *zero = dyn_cast<ConstantInt>(right); zero && zero->isZero()) {
			needs.insert(is_half(*a));
			if (auto rest = add(*a, number(-1), 1))
				to.insert(add_fact(rest->of, needs));
		}
		break;
	default:
		break;
	}
}

// Where the larger one (or the smaller one, @of_right false) is the minimum (the maximum) of two, the comparison holds
// for both.
void sums::take_bounds(CmpInst::Predicate predicate, Value *left, Value *right, bool of_right, numbers &to)
{
	auto *chosen = dyn_cast<SelectInst>(of_right ? right : left);
	if (!chosen)
		return;
	Value *arms[] = {chosen->getTrueValue(), chosen->getFalseValue()};
	for (unsigned i = 0; i < 2; i++) {
		// The other one is chosen if the condition is not so, and is no larger (smaller) then: what the
		// condition says is the difference.
		auto one = of(arms[i]), other = of(arms[1 - i]);
		auto room = one && other ? add(*one, *other, -1) : std::nullopt;
		numbers because, made;
		if (room)
			for_comparisons(tree_, chosen->getCondition(), i == 1, [&](const comparison &c) {
				if (!isa<SelectInst>(c.left) && !isa<SelectInst>(c.right))
					take_comparison(c.predicate, c.left, c.right, because);
			});
		for (unsigned n : because) {
			const fact reason = facts_[n];
			auto rest = add({room->of, {}}, {reason.of, {}}, of_right ? -1 : 1);
			bool is_constant =
				rest && (rest->of.empty() || (rest->of.size() == 1 && rest->of.begin()->first.empty()));
			int64_t least = is_constant && !rest->of.empty() ? rest->of.begin()->second : 0;
			if (!is_constant || (of_right ? least < 0 : least > 0))
				continue;
			take_comparison(predicate, of_right ? left : arms[i], of_right ? arms[i] : right, made);
			unsigned bits = bits_of(left);
			for (unsigned f : made) {
				numbers needs = facts_[f].needs;
				needs.insert(reason.needs.begin(), reason.needs.end());
				needs.insert(room->needs.begin(), room->needs.end());
				needs.insert({add_need(one->of, bits, true), add_need(other->of, bits, true)});
				to.insert(add_fact(facts_[f].of, needs));
			}
			break;
		}
	}
}

const numbers &sums::facts_at(BasicBlock *block, BasicBlock *from)
{
	auto [at, is_new] = facts_at_.try_emplace({block, from});
	numbers &facts = at->second;
	auto take = [&](const comparison &c) { take_comparison(c.predicate, c.left, c.right, facts); };
	if (is_new && from)
		for_conditions(tree_, from, block, take);
	else if (is_new)
		for_conditions(tree_, block, nullptr, take);
	return facts;
}

std::vector<BasicBlock *> sums::ways_to(BasicBlock *block) const
{
	std::vector<BasicBlock *> ways(pred_begin(block), pred_end(block));
	// In a loop's next turn its counter is another one.
	bool is_loop =
		std::any_of(ways.begin(), ways.end(), [&](BasicBlock *from) { return tree_.dominates(block, from); });
	constexpr size_t most_ways = 2;
	return ways.size() < 2 || ways.size() > most_ways || is_loop ? std::vector<BasicBlock *>{nullptr} : ways;
}

// Finds how often the loop begins again at most.
void sums::bound_turns(unsigned counter, Loop &loop)
{
	const SCEV *turns = evolution_.getBackedgeTakenCount(&loop);
	if (isa<SCEVCouldNotCompute>(turns))
		turns = evolution_.getConstantMaxBackedgeTakenCount(&loop);
	if (isa<SCEVCouldNotCompute>(turns))
		return;
	auto most = of_evolution(turns);
	if (!most)
		most = of_evolution(evolution_.applyLoopGuards(turns, &loop));
	auto room = most ? add(*most, {{{{{symbol::kind::counter, counter}}, 1}}, {}}, -1) : std::nullopt;
	if (!room)
		return;
	numbers needs = most->needs;
	needs.insert(add_need(most->of, unsigned(turns->getType()->getIntegerBitWidth()), false));
	counters_[counter].facts.insert(add_fact(room->of, needs));
}

// A number that is below another one whenever the loop begins, and grows by less than what is left above that, is its
// sum.
void sums::bound_by_condition(unsigned counter, PHINode &p, const sum &start, const sum &step)
{
	Loop *loop = loops_.getLoopFor(p.getParent());
	BasicBlock *before = loop->getLoopPredecessor(), *latch = loop->getLoopLatch(), *header = p.getParent();
	if (!before || !latch)
		return;
	Value *first = p.getIncomingValueForBlock(before), *next = p.getIncomingValueForBlock(latch);
	auto holds_at_first = [&](const comparison &wanted) {
		bool found = false;
		for_conditions(tree_, before, header, [&](const comparison &c) {
			found = found ||
				(c.predicate == wanted.predicate && c.left == first && c.right == wanted.right);
		});
		return found;
	};
	for_conditions(tree_, latch, header, [&](const comparison &c) {
		// Of the loop's own branches those behind the header's are passed in each turn.
		if (c.left != next || !is_less(c.predicate) || !loop->isLoopInvariant(c.right) || !holds_at_first(c))
			return;
		auto bound = of(c.right);
		bool is_signed = CmpInst::isSigned(c.predicate),
		     is_strict = c.predicate == CmpInst::ICMP_SLT || c.predicate == CmpInst::ICMP_ULT;
		auto top = bound ? add(*bound, number(is_strict ? -1 : 0), 1) : std::nullopt;
		auto after = top ? add(*top, step, 1) : std::nullopt;
		auto way = multiply(step, {{{{{symbol::kind::counter, counter}}, 1}}, {}});
		auto value = way ? add(start, *way, 1) : std::nullopt;
		auto room = top && value ? add(*top, *value, -1) : std::nullopt;
		if (!after || !room)
			return;
		unsigned bits = bits_of(&p);
		numbers needs = room->needs;
		needs.insert({add_need(start.of, bits, is_signed), add_need(bound->of, bits, is_signed),
			      add_need(after->of, bits, is_signed), add_need(step.of, bits - 1, false)});
		counters_[counter].facts.insert(add_fact(room->of, needs));
	});
}

} // namespace tool::analysis
