// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/accesses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace tool::analysis
{

using namespace llvm;

bool is_shared(unsigned space)
{
	return space != space_private && space != space_local;
}

bool has_shared_pointer(const Type *t)
{
	if (t->isPtrOrPtrVectorTy())
		return is_shared(t->getPointerAddressSpace());
	for (const Type *part : t->subtypes())
		if (has_shared_pointer(part))
			return true;
	return false;
}

std::string at_line(const Instruction &i, const std::string &what)
{
	const DebugLoc &at = i.getDebugLoc();
	return at && at.getLine() ? "line " + std::to_string(at.getLine()) + " " + what : what;
}

accesses::accesses(Function &kernel, values &known) : kernel_(kernel), values_(known)
{
	for (BasicBlock &b : kernel_)
		for (Instruction &i : b)
			take(i);
}

void accesses::say_unsafe(const Instruction &i, const std::string &what)
{
	if (unsafe_.empty())
		unsafe_ = at_line(i, what);
}

void accesses::say_unknown(const Instruction &i, const std::string &what)
{
	if (unknown_.empty())
		unknown_ = at_line(i, what);
}

// @step is the bytes for each number of the index, from the pointer on.
void accesses::touch(Value *pointer, std::optional<uint64_t> length, bool writes, Instruction &by, Value *index,
		     uint64_t step)
{
	unsigned space = pointer->getType()->getPointerAddressSpace();
	if (!is_shared(space))
		return;
	place at = values_.place_of(pointer);
	if (isa<AllocaInst>(at.base) || !is_shared(at.base->getType()->getPointerAddressSpace()))
		return;
	if (auto *a = dyn_cast<Argument>(at.base)) {
		auto further = constant_form(0, most_bits), size = constant_form(int64_t(step), most_bits);
		if (index)
			further = values_.form_of(index);
		further = further ? multiply(*further, *size, false, false) : std::nullopt;
		bool is_known = at.offset && further && length;
		auto offset = is_known ? add(*at.offset, *further, 1, false, false) : std::nullopt;
		all_.push_back({a->getArgNo(), writes, offset, length.value_or(0), &by, pointer, index, step});
		return;
	}
	if (auto *g = dyn_cast<GlobalVariable>(at.base)) {
		if (!g->isConstant())
			say_unsafe(by, "uses a variable of the program, which each device has for itself");
		return;
	}
	is_complete_ = false;
	std::string what = writes ? "writes" : "reads";
	if (isa<PHINode>(at.base) || isa<SelectInst>(at.base))
		say_unknown(by, what + " through a pointer into one of several arguments");
	else
		say_unsafe(by, what + " through an address that comes from memory or a number");
}

void accesses::take(Instruction &i)
{
	const DataLayout &layout = kernel_.getParent()->getDataLayout();
	auto is_global = [](const Value *pointer) { return is_shared(pointer->getType()->getPointerAddressSpace()); };
	if (auto *l = dyn_cast<LoadInst>(&i)) {
		if (!l->isSimple() && is_global(l->getPointerOperand()))
			say_unsafe(i, l->isVolatile() ? "reads volatile memory" : "reads atomically");
		touch(l->getPointerOperand(), layout.getTypeStoreSize(l->getType()).getFixedSize(), false, i);
		return;
	}
	if (auto *s = dyn_cast<StoreInst>(&i)) {
		if (!s->isSimple() && is_global(s->getPointerOperand()))
			say_unsafe(i, s->isVolatile() ? "writes volatile memory" : "writes atomically");
		if (has_shared_pointer(s->getValueOperand()->getType())) {
			is_complete_ = false;
			say_unsafe(i, "stores an address, which may be used anywhere");
		}
		touch(s->getPointerOperand(), layout.getTypeStoreSize(s->getValueOperand()->getType()).getFixedSize(),
		      true, i);
		return;
	}
	if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) {
		if (is_global(i.getOperand(0)))
			say_unsafe(i, "changes memory atomically");
		return;
	}
	if (isa<FenceInst>(i))
		return say_unsafe(i, "has a fence");
	if (auto *c = dyn_cast<CallBase>(&i))
		return take_call(*c);
	if (isa<PtrToIntInst>(i) && has_shared_pointer(i.getOperand(0)->getType())) {
		is_complete_ = false;
		return say_unknown(i, "uses an address as a number");
	}
	if (auto *c = dyn_cast<ICmpInst>(&i);
	    c && has_shared_pointer(c->getOperand(0)->getType()) && !isa<ConstantPointerNull>(c->getOperand(1)))
		return say_unknown(i, "compares addresses");
	for (const Value *operand : i.operands())
		if (auto *e = dyn_cast<ConstantExpr>(operand); e && e->getOpcode() == Instruction::PtrToInt)
			say_unknown(i, "uses an address as a number");
}

} // namespace tool::analysis
