// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds conditions that hold wherever a block runs.
#include "analysis/values.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace tool::analysis
{

using namespace llvm;
using namespace llvm::PatternMatch;

bool values::implies_bound(Value *condition, bool is_true, unsigned d, unsigned number)
{
	Value *a, *b;
	if (is_true ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
		    : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
		return implies_bound(a, is_true, d, number) || implies_bound(b, is_true, d, number);
	auto *compare = dyn_cast<ICmpInst>(condition);
	if (!compare)
		return false;
	auto predicate = is_true ? compare->getPredicate() : compare->getInversePredicate();
	Value *small = compare->getOperand(0), *large = compare->getOperand(1);
	if (predicate == CmpInst::ICMP_SGT || predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_SGE ||
	    predicate == CmpInst::ICMP_UGE) {
		std::swap(small, large);
		predicate = CmpInst::getSwappedPredicate(predicate);
	}
	auto id = form_of(small), bound = form_of(large);
	if (!id || !bound || !bound->is_signed_sum || id->limit || bound->limit || id->is_wrapped || bound->is_wrapped)
		return false;
	bool is_plain = bound->terms.size() == size_t{1} + (bound->constant() != 0) && !bound->spread.low &&
			!bound->spread.high && !id->spread.low && !id->spread.high;
	bool is_id = id->is_signed_sum && id->is_unsigned_sum && id->terms.size() == 1 &&
		     id->factor({{symbol::kind::global_id, d}}) == 1;
	bool is_argument = bound->factor({{symbol::kind::argument, number}}) == 1 ||
			   bound->factor({{symbol::kind::unsigned_argument, number}}) == 1;
	if (!is_plain || !is_id || !is_argument)
		return false;
	int64_t above = bound->constant();
	switch (predicate) {
	case CmpInst::ICMP_SLT:
		return above <= 0;
	case CmpInst::ICMP_SLE:
		return above < 0;
	case CmpInst::ICMP_ULT:
		return above == 0; // less could be a large number
	default:
		return false;
	}
}

bool values::is_bounded(const BasicBlock *block, unsigned d, unsigned number)
{
	const auto *here = tree_.getNode(block);
	for (auto *node = here ? here->getIDom() : nullptr; node; node = node->getIDom()) {
		auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
		if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
			continue;
		for (unsigned way = 0; way < 2; way++) {
			BasicBlockEdge edge(node->getBlock(), branch->getSuccessor(way));
			if (tree_.dominates(edge, block) && implies_bound(branch->getCondition(), way == 0, d, number))
				return true;
		}
	}
	return false;
}

} // namespace tool::analysis
