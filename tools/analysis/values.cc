// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/values.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

namespace tool::analysis
{

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

constexpr unsigned dimensions = 3;
// A loop of more turns, or a range of more numbers, is no offset in an element.
constexpr uint64_t longest_range = 1 << 20;

struct query {
	StringRef name;
	symbol::kind is;
};

constexpr query queries[] = {
	{"get_global_id", symbol::kind::global_id},
	{"get_group_id", symbol::kind::group_id},
	{"get_local_id", symbol::kind::local_id},
	{"get_global_offset", symbol::kind::global_offset},
	{"get_global_size", symbol::kind::global_size},
	{"get_local_size", symbol::kind::local_size},
	{"get_enqueued_local_size", symbol::kind::local_size},
	{"get_num_groups", symbol::kind::group_count},
};

std::optional<form> id_from_zero(uint32_t d)
{
	return add(symbol_form({symbol::kind::global_id, d}, most_bits),
		   symbol_form({symbol::kind::global_offset, d}, most_bits), -1, false, false);
}

// This holds in launches of two dimensions at most.
std::optional<form> linear_id()
{
	auto x = id_from_zero(0), y = id_from_zero(1);
	auto row = multiply(*y, symbol_form({symbol::kind::global_size, 0}, most_bits), false, false);
	return row ? add(*row, *x, 1, false, false) : std::nullopt;
}

bool is_uniform(const Function &f)
{
	return f.getFnAttribute("uniform-work-group-size").getValueAsString() == "true";
}

} // namespace

StringRef builtin_name(const Function &f)
{
	StringRef name = f.getName();
	size_t length = 0;
	if (!name.consume_front("_Z"))
		return name == "printf" ? name : "";
	return name.consumeInteger(10, length) ? "" : name.take_front(length);
}

std::optional<symbol> query_of(const CallInst &c)
{
	const Function *callee = c.getCalledFunction();
	StringRef name = callee ? builtin_name(*callee) : "";
	uint64_t d;
	if (c.arg_size() != 1 || !match(c.getArgOperand(0), m_ConstantInt(d)) || d >= dimensions)
		return std::nullopt;
	for (const query &q : queries)
		if (name == q.name)
			return symbol{q.is, uint32_t(d)};
	return std::nullopt;
}

values::values(Function &f, ScalarEvolution &evolution, DominatorTree &tree)
    : function_(f), evolution_(evolution), tree_(tree), is_uniform_(is_uniform(f))
{
	const MDNode *demanded = f.getMetadata("reqd_work_group_size");
	for (unsigned d = 0; demanded && d < dimensions; d++)
		demanded_[d] = mdconst::extract<ConstantInt>(demanded->getOperand(d))->getZExtValue();
}

std::optional<form> values::join(std::optional<form> f) const
{
	for (unsigned d = 0; f && is_uniform_ && d < dimensions; d++) {
		f = join_ids(std::move(*f), d, 0);
		if (demanded_[d])
			f = join_ids(std::move(*f), d, demanded_[d]);
	}
	return f;
}

std::optional<form> values::form_of(Value *v)
{
	if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > most_bits)
		return std::nullopt;
	// A value that depends on itself has no form, so it has none until this is done.
	auto [at, is_new] = known_.try_emplace(v);
	if (!is_new)
		return at->second;
	auto made = compute(v);
	if (!made)
		made = compute_range(v);
	return known_[v] = std::move(made);
}

std::optional<form> values::compute(Value *v)
{
	unsigned bits = v->getType()->getIntegerBitWidth();
	if (auto *c = dyn_cast<ConstantInt>(v))
		return constant_form(c->getSExtValue(), bits);
	if (auto *a = dyn_cast<Argument>(v))
		return symbol_form({symbol::kind::argument, a->getArgNo()}, bits);
	if (auto *c = dyn_cast<CallInst>(v))
		return compute_call(*c);
	if (auto *b = dyn_cast<BinaryOperator>(v))
		return compute_binary(*b);
	if (auto *p = dyn_cast<PHINode>(v)) {
		auto *loop = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(p));
		BasicBlock *before = loop ? loop->getLoop()->getLoopPredecessor() : nullptr;
		return before && loop->getLoop()->getHeader() == p->getParent()
			       ? compute_loop(*p, form_of(p->getIncomingValueForBlock(before)))
			       : compute_choice(*p);
	}
	auto *cast = dyn_cast<CastInst>(v);
	auto from = cast ? form_of(cast->getOperand(0)) : std::nullopt;
	if (!from)
		return std::nullopt;
	if (isa<SExtInst>(cast) || isa<ZExtInst>(cast))
		return widen(*from, bits, isa<SExtInst>(cast));
	return isa<TruncInst>(cast) ? std::optional(narrow(*from, bits)) : std::nullopt;
}

std::optional<form> values::compute_binary(BinaryOperator &b)
{
	auto opcode = b.getOpcode();
	if (opcode == Instruction::AShr || opcode == Instruction::LShr)
		return compute_shift_right(b);
	auto left = form_of(b.getOperand(0));
	if (!left)
		return std::nullopt;
	uint64_t amount;
	const APInt *mask;
	if (opcode == Instruction::And && match(b.getOperand(1), m_APInt(mask)) && mask->isMask()) {
		unsigned kept = mask->countTrailingOnes();
		return widen(narrow(*left, kept), left->bits, false);
	}
	auto *flags = dyn_cast<OverflowingBinaryOperator>(&b);
	bool no_signed = flags && flags->hasNoSignedWrap(), no_unsigned = flags && flags->hasNoUnsignedWrap();
	if (opcode == Instruction::Shl) {
		auto factor = match(b.getOperand(1), m_ConstantInt(amount)) && amount < left->bits - 1
				      ? constant_form(int64_t{1} << amount, left->bits)
				      : std::nullopt;
		return factor ? multiply(*left, *factor, no_signed, no_unsigned) : std::nullopt;
	}
	auto right = form_of(b.getOperand(1));
	if (!right)
		return std::nullopt;
	if (opcode == Instruction::Or) {
		const DataLayout &layout = function_.getParent()->getDataLayout();
		return haveNoCommonBitsSet(b.getOperand(0), b.getOperand(1), layout)
			       ? join(add(*left, *right, 1, true, true))
			       : std::nullopt;
	}
	if (opcode == Instruction::Xor && match(b.getOperand(1), m_AllOnes()))
		return add(*right, *left, -1, true, false);
	if (opcode == Instruction::Mul)
		return multiply(*left, *right, no_signed, no_unsigned);
	if (opcode == Instruction::Add || opcode == Instruction::Sub)
		return join(add(*left, *right, opcode == Instruction::Add ? 1 : -1, no_signed, no_unsigned));
	return std::nullopt;
}

// Recognises sext and zext of a part of a word, which compilers may write as two shifts.
std::optional<form> values::compute_shift_right(BinaryOperator &b)
{
	Value *of;
	uint64_t up, down;
	unsigned bits = b.getType()->getIntegerBitWidth();
	if (!match(b.getOperand(0), m_Shl(m_Value(of), m_ConstantInt(up))) ||
	    !match(b.getOperand(1), m_ConstantInt(down)) || up >= bits || down > up || up - down >= bits - 1)
		return std::nullopt;
	auto from = form_of(of);
	auto part = from ? widen(narrow(*from, unsigned(bits - up)), bits, b.getOpcode() == Instruction::AShr)
			 : std::nullopt;
	auto factor = constant_form(int64_t{1} << (up - down), bits);
	return part && factor ? multiply(*part, *factor, false, false) : std::nullopt;
}

std::optional<form> values::compute_call(CallInst &c)
{
	const Function *callee = c.getCalledFunction();
	StringRef name = callee ? builtin_name(*callee) : "";
	unsigned bits = c.getType()->getIntegerBitWidth();
	if (name == "get_global_linear_id")
		return linear_id();
	auto asked = query_of(c);
	return asked ? std::optional(symbol_form(*asked, bits)) : std::nullopt;
}

std::optional<form> values::compute_loop(PHINode &p, const std::optional<form> &start)
{
	auto *loop = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&p));
	const auto *step = loop && loop->isAffine() ? dyn_cast<SCEVConstant>(loop->getOperand(1)) : nullptr;
	const auto *turns =
		step ? dyn_cast<SCEVConstant>(evolution_.getConstantMaxBackedgeTakenCount(loop->getLoop())) : nullptr;
	if (!start || !turns || turns->getAPInt().ugt(longest_range) || step->getAPInt().abs().ugt(longest_range))
		return std::nullopt;
	int64_t far = step->getAPInt().getSExtValue() * int64_t(turns->getAPInt().getZExtValue());
	form way;
	way.bits = start->bits;
	way.spread = {std::min<int64_t>(far, 0), std::max<int64_t>(far, 0)};
	way.is_unsigned_sum = far >= 0;
	return add(*start, way, 1, loop->hasNoSignedWrap(), loop->hasNoUnsignedWrap());
}

namespace
{

// Returns the argument that is 0 if @edge is taken.
const Argument *zero_on(const BasicBlock &from, const BasicBlock &to)
{
	ICmpInst::Predicate predicate;
	Value *of;
	auto *branch = dyn_cast<BranchInst>(from.getTerminator());
	if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
	    !match(branch->getCondition(), m_ICmp(predicate, m_Value(of), m_Zero())))
		return nullptr;
	auto wanted = branch->getSuccessor(0) == &to ? CmpInst::ICMP_EQ : CmpInst::ICMP_NE;
	return predicate == wanted ? dyn_cast<Argument>(of) : nullptr;
}

// Returns whether all of it is multiples of the argument.
bool vanishes_with(const form &f, const Argument &a)
{
	return !f.spread.low && !f.spread.high && std::all_of(f.terms.begin(), f.terms.end(), [&](const auto &term) {
		return std::any_of(term.first.begin(), term.first.end(), [&](const symbol &s) {
			return s.number == a.getArgNo() &&
			       (s.is == symbol::kind::argument || s.is == symbol::kind::unsigned_argument);
		});
	});
}

} // namespace

// Joins what is the same from everywhere, or 0 from where it is 0: what is made of "y * n" before a loop to n.
std::optional<form> values::compute_choice(PHINode &p)
{
	std::optional<form> made;
	for (Value *v : p.incoming_values())
		if (auto *c = dyn_cast<ConstantInt>(v); !c || !c->isZero())
			made = form_of(v);
	for (unsigned i = 0; made && i < p.getNumIncomingValues(); i++) {
		Value *v = p.getIncomingValue(i);
		auto *c = dyn_cast<ConstantInt>(v);
		const Argument *zero = c && c->isZero() ? zero_on(*p.getIncomingBlock(i), *p.getParent()) : nullptr;
		auto other = form_of(v);
		bool is_same = zero ? vanishes_with(*made, *zero)
				    : other && other->terms == made->terms && other->limit == made->limit &&
					       other->is_wrapped == made->is_wrapped && other->spread == made->spread;
		if (!is_same)
			return std::nullopt;
		made->is_signed_sum = made->is_signed_sum && (zero || other->is_signed_sum);
		made->is_unsigned_sum = made->is_unsigned_sum && (zero || other->is_unsigned_sum);
	}
	return made;
}

std::optional<form> values::compute_range(Value *v)
{
	if (!evolution_.isSCEVable(v->getType()))
		return std::nullopt;
	ConstantRange range = evolution_.getSignedRange(evolution_.getSCEV(v));
	APInt low = range.getSignedMin(), high = range.getSignedMax();
	if (range.isFullSet() || low.slt(-int64_t(longest_range)) || high.sgt(int64_t(longest_range)))
		return std::nullopt;
	form f;
	f.bits = v->getType()->getIntegerBitWidth();
	f.spread = {low.getSExtValue(), high.getSExtValue()};
	f.is_unsigned_sum = low.isNonNegative();
	return f;
}

} // namespace tool::analysis
