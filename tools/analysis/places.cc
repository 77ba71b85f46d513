// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Writes pointers as arguments and offsets.
#include "analysis/values.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace tool::analysis
{

using namespace llvm;

std::optional<form> values::offset_of(GEPOperator &g)
{
	const DataLayout &layout = function_.getParent()->getDataLayout();
	auto sum = constant_form(0, most_bits);
	for (auto at = gep_type_begin(g); sum && at != gep_type_end(g); ++at) {
		std::optional<form> part;
		if (StructType *s = at.getStructTypeOrNull()) {
			auto field = unsigned(cast<ConstantInt>(at.getOperand())->getZExtValue());
			part = constant_form(int64_t(layout.getStructLayout(s)->getElementOffset(field)), most_bits);
		} else {
			auto size = constant_form(int64_t(layout.getTypeAllocSize(at.getIndexedType()).getFixedSize()),
						  most_bits);
			auto index = form_of(at.getOperand());
			if (index && index->bits < most_bits)
				index = widen(*index, most_bits, true);
			part = index && size ? multiply(*index, *size, false, false) : std::nullopt;
		}
		sum = part ? add(*sum, *part, 1, false, false) : std::nullopt;
	}
	return sum;
}

place values::place_of(Value *pointer)
{
	if (auto *g = dyn_cast<GEPOperator>(pointer)) {
		if (!g->getType()->isPointerTy())
			return {pointer, std::nullopt};
		place from = place_of(g->getPointerOperand());
		auto offset = offset_of(*g);
		from.offset = from.offset && offset ? join(add(*from.offset, *offset, 1, false, false)) : std::nullopt;
		return from;
	}
	if (auto *cast = dyn_cast<Operator>(pointer);
	    cast && (cast->getOpcode() == Instruction::BitCast || cast->getOpcode() == Instruction::AddrSpaceCast))
		return place_of(cast->getOperand(0));
	if (auto *p = dyn_cast<PHINode>(pointer)) {
		auto *loop = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(p));
		BasicBlock *before = loop ? loop->getLoop()->getLoopPredecessor() : nullptr;
		if (before && loop->getLoop()->getHeader() == p->getParent()) {
			place start = place_of(p->getIncomingValueForBlock(before));
			start.offset = compute_loop(*p, start.offset);
			return start;
		}
	}
	return {pointer, constant_form(0, most_bits)};
}

} // namespace tool::analysis
