// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Finds what functions do with memory that work-items share.
#include "analysis/accesses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace tool::analysis
{

using namespace llvm;

namespace
{

// mem_fence() and barrier() take this flag.
constexpr uint64_t local_fence = 1;

bool is_opaque(const Type *pointer)
{
	auto *s = dyn_cast<StructType>(pointer->getPointerElementType());
	return s && s->isOpaque();
}

bool is_work_item_function(StringRef name)
{
	return name.startswith("get_") && !name.startswith("get_image") && !name.startswith("get_pipe") &&
	       !name.startswith("get_kernel");
}

bool is_image_function(StringRef name)
{
	return name.startswith("read_image") || name.startswith("write_image") || name.startswith("get_image");
}

bool is_local_fence(const CallBase &c)
{
	auto *flags = c.arg_size() ? dyn_cast<ConstantInt>(c.getArgOperand(0)) : nullptr;
	return flags && flags->getZExtValue() == local_fence;
}

// Such functions are vload4(), vstore4(), vload_half(), vstore_half4_rte(), vloada_half3() and the like.
struct vector_function {
	bool writes = false;
	unsigned elements = 0, distance = 0; // those of one vector, and those from one to the next
};

std::optional<vector_function> vector_function_of(StringRef name)
{
	vector_function v;
	v.writes = name.consume_front("vstore");
	if (!v.writes && !name.consume_front("vload"))
		return std::nullopt;
	bool is_aligned = name.consume_front("a_half"), is_half = is_aligned || name.consume_front("_half");
	if (name.consumeInteger(10, v.elements))
		v.elements = 1;
	v.distance = is_aligned && v.elements == 3 ? 4 : v.elements;
	bool is_whole = name.empty() || (is_half && name.startswith("_rt"));
	return is_whole ? std::optional(v) : std::nullopt;
}

} // namespace

void accesses::take_intrinsic(IntrinsicInst &c)
{
	if (auto *m = dyn_cast<MemIntrinsic>(&c)) {
		std::optional<uint64_t> length;
		if (auto *n = dyn_cast<ConstantInt>(m->getLength()))
			length = n->getZExtValue();
		if (m->isVolatile())
			say_unsafe(c, "copies volatile memory");
		touch(m->getRawDest(), length, true, c);
		if (auto *t = dyn_cast<MemTransferInst>(m))
			touch(t->getRawSource(), length, false, c);
		return;
	}
	bool is_harmless = isa<DbgInfoIntrinsic>(c) || c.isLifetimeStartOrEnd() || c.doesNotAccessMemory() ||
			   isa<AssumeInst>(c) || c.getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl;
	if (is_harmless)
		return;
	is_complete_ = false;
	say_unsafe(c, "calls " + c.getCalledFunction()->getName().str() + "(), of which nothing is known");
}

void accesses::take_vector(CallBase &c, unsigned elements, unsigned distance, bool writes)
{
	Value *pointer = c.getArgOperand(c.arg_size() - 1);
	const DataLayout &layout = kernel_.getParent()->getDataLayout();
	uint64_t size = layout.getTypeStoreSize(pointer->getType()->getPointerElementType()).getFixedSize();
	touch(pointer, elements * size, writes, c, c.getArgOperand(c.arg_size() - 2), distance * size);
}

// Looks at a function that writes through its pointers one element each, such as fract() and sincos().
void accesses::take_pointers(CallBase &c, StringRef name)
{
	constexpr const char *writers[] = {"fract", "frexp", "lgamma_r", "modf", "remquo", "sincos"};
	bool is_writer = is_contained(writers, name);
	const DataLayout &layout = kernel_.getParent()->getDataLayout();
	for (Value *v : c.args()) {
		if (!v->getType()->isPtrOrPtrVectorTy() || !has_shared_pointer(v->getType()))
			continue;
		if (is_writer && !is_opaque(v->getType())) {
			uint64_t size = layout.getTypeStoreSize(v->getType()->getPointerElementType()).getFixedSize();
			touch(v, size, true, c);
			continue;
		}
		is_complete_ = false;
		say_unknown(c, "gives an address to " + name.str() + "()");
	}
	if (!is_writer && !c.doesNotAccessMemory()) {
		is_complete_ = false;
		say_unsafe(c, "calls " + name.str() + "(), of which nothing is known");
	}
}

void accesses::take_builtin(CallBase &c, StringRef name)
{
	if (is_work_item_function(name) || name == "barrier" || name == "work_group_barrier" || name == "prefetch")
		return;
	if (is_image_function(name))
		return say_unknown(c, "uses an image with " + name.str() + "()");
	if (name == "printf")
		return say_unsafe(c, "prints");
	if (name.endswith("mem_fence")) {
		if (!is_local_fence(c))
			say_unsafe(c, "has a fence for global memory");
		return;
	}
	if (name.startswith("atom")) {
		for (const Value *v : c.args())
			if (has_shared_pointer(v->getType())) {
				is_complete_ = false;
				say_unsafe(c, "changes memory atomically");
			}
		if (name.contains("fence"))
			say_unsafe(c, "has a fence");
		return;
	}
	if (auto v = vector_function_of(name))
		return take_vector(c, v->elements, v->distance, v->writes);
	if (name.startswith("async_work_group") && c.arg_size() >= 3) {
		touch(c.getArgOperand(0), std::nullopt, true, c);
		touch(c.getArgOperand(1), std::nullopt, false, c);
		return;
	}
	if (name == "wait_group_events")
		return;
	take_pointers(c, name);
}

void accesses::take_call(CallBase &c)
{
	const Function *callee = c.getCalledFunction();
	if (auto *i = dyn_cast<IntrinsicInst>(&c))
		return take_intrinsic(*i);
	StringRef name = callee ? builtin_name(*callee) : "";
	if (callee && callee->isDeclaration() && !name.empty())
		return take_builtin(c, name);
	// This call touches no memory.
	if (callee && callee->getName() == "__translate_sampler_initializer")
		return say_unknown(c, "uses a sampler, and so an image");
	is_complete_ = false;
	if (callee && !callee->isDeclaration())
		say_unknown(c, "calls " + (name.empty() ? callee->getName() : name).str() + "(), which is not inlined");
	else
		say_unsafe(c, "calls " + (callee ? callee->getName().str() + "()" : "a function") +
				      ", of which nothing is known");
}

} // namespace tool::analysis
