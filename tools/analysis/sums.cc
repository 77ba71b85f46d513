// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "analysis/sums.h"

#include "analysis/values.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <cstdlib>

namespace tool::analysis
{

using namespace llvm;
using namespace llvm::PatternMatch;

namespace
{

// The reader of the text has these limits, with room for what a launch multiplies.
constexpr int64_t largest_number = int64_t{1} << 40;
constexpr size_t longest_sum = 16, longest_product = 5;
constexpr unsigned shortest_division = 8;
// What is known by its bounds alone must lie within this.
constexpr int64_t farthest_bound = int64_t{1} << 33;

bool is_variable(const symbol &s)
{
	return s.differs_in_launch();
}

bool is_launch_constant(const terms &t)
{
	return std::none_of(t.begin(), t.end(), [](const auto &term) { return differs_in_launch(term.first); });
}

std::optional<sum> checked(sum s)
{
	std::erase_if(s.of, [](const auto &t) { return t.second == 0; });
	bool is_small = s.of.size() <= longest_sum;
	for (const auto &[p, factor] : s.of)
		is_small = is_small && p.size() <= longest_product && std::abs(factor) <= largest_number &&
			   std::count_if(p.begin(), p.end(), is_variable) <= 1;
	return is_small ? std::optional(std::move(s)) : std::nullopt;
}

sum symbol_sum(symbol s)
{
	return {{{{s}, 1}}, {}};
}

sum counter_sum(unsigned number)
{
	return symbol_sum({symbol::kind::counter, number});
}

// Returns the number of the counter that it is, with a constant.
std::optional<unsigned> lone_counter(const sum &s)
{
	std::optional<unsigned> found;
	for (const auto &[p, factor] : s.of) {
		if (p.empty())
			continue;
		if (found || p.size() != 1 || p[0].is != symbol::kind::counter || factor != 1)
			return std::nullopt;
		found = p[0].number;
	}
	return found;
}

template <class T> unsigned number_in(std::vector<T> &all, const T &wanted)
{
	auto at = std::find(all.begin(), all.end(), wanted);
	if (at == all.end())
		at = all.insert(at, wanted);
	return unsigned(at - all.begin());
}

void include(numbers &to, const numbers &more)
{
	to.insert(more.begin(), more.end());
}

} // namespace

sum number(int64_t n)
{
	return n ? sum{{{{}, n}}, {}} : sum{};
}

std::optional<sum> add(const sum &a, const sum &b, int64_t times)
{
	sum made = a;
	include(made.needs, b.needs);
	for (const auto &[p, factor] : b.of) {
		int64_t more, &to = made.of[p];
		if (__builtin_mul_overflow(factor, times, &more) || __builtin_add_overflow(to, more, &to))
			return std::nullopt;
	}
	return checked(std::move(made));
}

std::optional<sum> multiply(const sum &a, const sum &b)
{
	sum made;
	include(made.needs, a.needs);
	include(made.needs, b.needs);
	for (const auto &[p, f] : a.of)
		for (const auto &[q, g] : b.of) {
			product both = p;
			both.insert(both.end(), q.begin(), q.end());
			std::sort(both.begin(), both.end());
			int64_t factor, &to = made.of[both];
			if (__builtin_mul_overflow(f, g, &factor) || __builtin_add_overflow(to, factor, &to))
				return std::nullopt;
		}
	return checked(std::move(made));
}

sums::sums(Function &f, ScalarEvolution &evolution, DominatorTree &tree, LoopInfo &loops)
    : function_(f), evolution_(evolution), tree_(tree), loops_(loops)
{
}

unsigned sums::make_counter()
{
	counters_.emplace_back();
	return unsigned(counters_.size() - 1);
}

bool sums::is_opaque(const sum &s) const
{
	auto counter = lone_counter(s);
	return counter && counters_[*counter].is_opaque;
}

unsigned sums::add_need(const terms &of, unsigned bits, bool is_signed)
{
	return number_in(needs_, {of, bits, is_signed});
}

unsigned sums::add_fact(const terms &of, const numbers &needs)
{
	return number_in(facts_, {of, needs});
}

std::optional<sum> sums::of(Value *v)
{
	if (!v->getType()->isIntegerTy() || v->getType()->getIntegerBitWidth() > most_bits)
		return std::nullopt;
	// A value that depends on itself has no sum, so it has none until this is done.
	auto [at, is_new] = known_.try_emplace(v);
	if (!is_new)
		return at->second;
	auto made = compute(v);
	if (!made)
		made = compute_bounded(v);
	return known_[v] = std::move(made);
}

std::optional<sum> sums::compute(Value *v)
{
	if (auto *c = dyn_cast<ConstantInt>(v)) {
		auto n = c->getSExtValue();
		return n >= -largest_number && n <= largest_number ? std::optional(number(n)) : std::nullopt;
	}
	// Runtimes read arguments from their bytes.
	if (auto *a = dyn_cast<Argument>(v))
		return a->getType()->isIntegerTy(32) || a->getType()->isIntegerTy(64)
			       ? std::optional(symbol_sum({symbol::kind::argument, a->getArgNo()}))
			       : std::nullopt;
	if (auto *c = dyn_cast<CallInst>(v))
		return compute_call(*c);
	if (auto *b = dyn_cast<BinaryOperator>(v))
		return joined(compute_binary(*b));
	if (auto *p = dyn_cast<PHINode>(v))
		return compute_loop(*p);
	auto *cast = dyn_cast<CastInst>(v);
	return cast ? compute_cast(*cast) : std::nullopt;
}

std::optional<sum> sums::compute_call(CallInst &c)
{
	auto asked = query_of(c);
	return asked ? std::optional(symbol_sum(*asked)) : std::nullopt;
}

std::optional<sum> sums::compute_cast(CastInst &c)
{
	if (!isa<SExtInst>(c) && !isa<ZExtInst>(c) && !isa<TruncInst>(c))
		return std::nullopt;
	auto from = of(c.getOperand(0));
	// Of what has bounds alone the evolution knows those of the extended number.
	if (!from || isa<TruncInst>(c))
		return from;
	if (is_opaque(*from))
		return std::nullopt;
	from->needs.insert(add_need(from->of, c.getOperand(0)->getType()->getIntegerBitWidth(), isa<SExtInst>(c)));
	return from;
}

std::optional<sum> sums::compute_binary(BinaryOperator &b)
{
	auto opcode = b.getOpcode();
	Value *part;
	uint64_t amount, up;
	unsigned bits = b.getType()->getIntegerBitWidth();
	// A part of a word that is shifted up and down again has been extended.
	if ((opcode == Instruction::AShr || opcode == Instruction::LShr) &&
	    match(b.getOperand(0), m_Shl(m_Value(part), m_ConstantInt(up))) &&
	    match(b.getOperand(1), m_ConstantInt(amount)) && up < bits && amount <= up) {
		auto from = of(part);
		if (!from)
			return std::nullopt;
		from->needs.insert(add_need(from->of, unsigned(bits - up), opcode == Instruction::AShr));
		return multiply(*from, number(int64_t{1} << (up - amount)));
	}
	if (auto *c = dyn_cast<ConstantInt>(b.getOperand(1));
	    c && opcode == Instruction::And &&
	    (c->equalsInt(0xff) || c->equalsInt(0xffff) || c->equalsInt(0xffffffff))) {
		auto from = of(b.getOperand(0));
		if (from && !is_opaque(*from)) {
			from->needs.insert(add_need(from->of, c->getValue().countTrailingOnes(), false));
			return from;
		}
	}
	if (opcode == Instruction::And || opcode == Instruction::LShr || b.isIntDivRem())
		return compute_division(b);
	auto left = of(b.getOperand(0)), right = of(b.getOperand(1));
	if (!left || !right)
		return std::nullopt;
	switch (opcode) {
	case Instruction::Add:
		return add(*left, *right, 1);
	case Instruction::Sub:
		return add(*left, *right, -1);
	case Instruction::Mul:
		return multiply(*left, *right);
	case Instruction::Shl:
		return match(b.getOperand(1), m_ConstantInt(amount)) && amount < 40
			       ? multiply(*left, number(int64_t{1} << amount))
			       : std::nullopt;
	case Instruction::Or:
		return haveNoCommonBitsSet(b.getOperand(0), b.getOperand(1), function_.getParent()->getDataLayout())
			       ? add(*left, *right, 1)
			       : std::nullopt;
	case Instruction::Xor:
		return match(b.getOperand(1), m_AllOnes()) ? add(number(-1), *left, -1) : std::nullopt;
	default:
		return std::nullopt;
	}
}

// Computes the quotient and the remainder of two numbers that are not negative.
std::optional<sum> sums::compute_division(BinaryOperator &b)
{
	auto opcode = b.getOpcode();
	unsigned bits = b.getType()->getIntegerBitWidth();
	if (bits < shortest_division)
		return std::nullopt;
	auto dividend = of(b.getOperand(0));
	std::optional<sum> divisor;
	auto *by = dyn_cast<ConstantInt>(b.getOperand(1));
	if (opcode == Instruction::LShr || opcode == Instruction::And) {
		const APInt *n;
		if (!match(b.getOperand(1), m_APInt(n)) || (opcode == Instruction::And && !n->isMask()))
			return std::nullopt;
		uint64_t shift = opcode == Instruction::And ? n->countTrailingOnes() : n->getLimitedValue(64);
		divisor = shift < 32 ? std::optional(number(int64_t{1} << shift)) : std::nullopt;
	} else {
		divisor = by && by->isNegative() ? std::nullopt : of(b.getOperand(1));
	}
	if (!dividend || !divisor || !is_launch_constant(divisor->of))
		return std::nullopt;
	// Whatever the dividend is, the rest is not negative and below the divisor.
	bool is_plain = opcode == Instruction::And || (opcode == Instruction::URem && by);
	numbers of_both = dividend->needs;
	include(of_both, divisor->needs);
	numbers needs = of_both;
	needs.insert({add_need(dividend->of, bits - 1, false), add_need(divisor->of, bits - 1, false)});
	auto same = [&](const division &d) {
		return d.bits == bits && d.dividend == dividend->of && d.divisor == divisor->of;
	};
	auto at = std::find_if(divisions_.begin(), divisions_.end(), same);
	if (at == divisions_.end()) {
		unsigned quotient = make_counter(), remainder = make_counter();
		auto whole = multiply(*divisor, counter_sum(quotient));
		auto rest = whole ? add(*dividend, *whole, -1) : std::nullopt;
		auto room = rest ? add(*divisor, *rest, -1) : std::nullopt;
		auto less = room ? add(*room, number(-1), 1) : std::nullopt;
		auto top = add(*divisor, counter_sum(remainder), -1);
		auto below = top ? add(*top, number(-1), 1) : std::nullopt;
		if (!less || !below)
			return std::nullopt;
		counters_[quotient].facts = {add_fact(rest->of, needs), add_fact(less->of, needs)};
		counters_[remainder].facts = {add_fact(below->of, is_plain ? of_both : needs)};
		at = divisions_.insert(at, {bits, dividend->of, divisor->of, quotient, remainder, needs});
	}
	bool is_rest = opcode == Instruction::And || opcode == Instruction::URem || opcode == Instruction::SRem;
	sum made = counter_sum(is_rest ? at->remainder : at->quotient);
	made.needs = is_rest && is_plain ? of_both : needs;
	return made;
}

// Divisor times quotient and remainder are the dividend.
std::optional<sum> sums::joined(std::optional<sum> s) const
{
	for (const division &d : divisions_) {
		if (!s)
			break;
		const product rest = {{symbol::kind::counter, d.remainder}};
		auto at = s->of.find(rest);
		if (at == s->of.end())
			continue;
		auto whole = multiply({d.divisor, {}}, counter_sum(d.quotient));
		bool is_there = whole && std::all_of(whole->of.begin(), whole->of.end(), [&](const auto &t) {
					auto same = s->of.find(t.first);
					return same != s->of.end() && same->second == t.second * at->second;
				});
		if (!is_there)
			continue;
		int64_t factor = at->second;
		auto less = add(*s, *whole, -factor);
		less = less ? add(*less, counter_sum(d.remainder), -factor) : std::nullopt;
		s = less ? add(*less, {d.dividend, d.needs}, factor) : std::nullopt;
	}
	return s;
}

std::optional<sum> sums::compute_bounded(Value *v)
{
	unsigned bits = v->getType()->getIntegerBitWidth();
	if (isa<ConstantInt>(v) || isa<UndefValue>(v) || !evolution_.isSCEVable(v->getType()))
		return std::nullopt;
	APInt low, high;
	if (bits == 1) {
		low = APInt(2, 0);
		high = APInt(2, 1);
	} else {
		ConstantRange range = evolution_.getSignedRange(evolution_.getSCEV(v));
		low = range.getSignedMin();
		high = range.getSignedMax();
	}
	if (low.slt(-farthest_bound) || high.sgt(farthest_bound))
		return std::nullopt;
	unsigned counter = make_counter();
	counters_[counter].is_opaque = true;
	auto room = add(number(high.getSExtValue() - low.getSExtValue()), counter_sum(counter), -1);
	counters_[counter].facts = {add_fact(room->of, {})};
	return add(counter_sum(counter), number(low.getSExtValue()), 1);
}

std::optional<sum> sums::of_evolution(const SCEV *s)
{
	if (auto *c = dyn_cast<SCEVConstant>(s))
		return of(c->getValue());
	if (auto *u = dyn_cast<SCEVUnknown>(s))
		return of(u->getValue());
	if (auto *cast = dyn_cast<SCEVIntegralCastExpr>(s)) {
		auto from = of_evolution(cast->getOperand());
		if (from && !isa<SCEVTruncateExpr>(cast))
			from->needs.insert(add_need(from->of,
						    unsigned(cast->getOperand()->getType()->getIntegerBitWidth()),
						    isa<SCEVSignExtendExpr>(cast)));
		return from;
	}
	auto *many = dyn_cast<SCEVNAryExpr>(s);
	if (!many || (!isa<SCEVAddExpr>(s) && !isa<SCEVMulExpr>(s)))
		return std::nullopt;
	std::optional<sum> made = number(isa<SCEVMulExpr>(s));
	for (const SCEV *operand : many->operands()) {
		auto part = made ? of_evolution(operand) : std::nullopt;
		made = !part ? std::nullopt : isa<SCEVAddExpr>(s) ? add(*made, *part, 1) : multiply(*made, *part);
	}
	return made;
}

// Returns what is added in each turn.
std::optional<sum> sums::step_of(PHINode &p, Loop &loop)
{
	if (auto *course = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&p));
	    course && course->isAffine() && course->getLoop() == &loop)
		return of_evolution(course->getOperand(1));
	// Compilers leave calls such as get_global_size() in the loop.
	Value *more, *next = loop.getLoopLatch() ? p.getIncomingValueForBlock(loop.getLoopLatch()) : nullptr;
	auto step = next && match(next, m_c_Add(m_Specific(&p), m_Value(more))) ? of(more) : std::nullopt;
	return step && is_launch_constant(step->of) ? step : std::nullopt;
}

std::optional<sum> sums::compute_loop(PHINode &p)
{
	if (Value *same = p.hasConstantValue())
		return of(same);
	Loop *loop = loops_.getLoopFor(p.getParent());
	BasicBlock *before = loop && loop->getHeader() == p.getParent() ? loop->getLoopPredecessor() : nullptr;
	auto start = before ? of(p.getIncomingValueForBlock(before)) : std::nullopt;
	auto step = start ? step_of(p, *loop) : std::nullopt;
	if (!step)
		return std::nullopt;
	unsigned counter = make_counter();
	auto way = multiply(*step, counter_sum(counter));
	auto made = way ? add(*start, *way, 1) : std::nullopt;
	if (!made)
		return std::nullopt;
	known_[&p] = made;
	bound_turns(counter, *loop);
	bound_by_condition(counter, p, *start, *step);
	return made;
}

std::optional<sum> sums::offset_of(GEPOperator &g)
{
	const DataLayout &layout = function_.getParent()->getDataLayout();
	std::optional<sum> all = sum{};
	for (auto at = gep_type_begin(g); all && at != gep_type_end(g); ++at) {
		std::optional<sum> part;
		if (StructType *s = at.getStructTypeOrNull()) {
			auto field = unsigned(cast<ConstantInt>(at.getOperand())->getZExtValue());
			part = number(int64_t(layout.getStructLayout(s)->getElementOffset(field)));
		} else {
			auto size = layout.getTypeAllocSize(at.getIndexedType()).getFixedSize();
			unsigned bits = at.getOperand()->getType()->getScalarSizeInBits();
			part = of(at.getOperand());
			if (part && bits < most_bits)
				part->needs.insert(add_need(part->of, bits, true));
			part = part ? multiply(*part, number(int64_t(size))) : std::nullopt;
		}
		all = part ? add(*all, *part, 1) : std::nullopt;
	}
	return all;
}

address sums::address_of(Value *pointer)
{
	if (auto *g = dyn_cast<GEPOperator>(pointer)) {
		if (!g->getType()->isPointerTy())
			return {pointer, std::nullopt};
		address from = address_of(g->getPointerOperand());
		auto offset = from.offset ? offset_of(*g) : std::nullopt;
		from.offset = offset ? joined(add(*from.offset, *offset, 1)) : std::nullopt;
		return from;
	}
	if (auto *cast = dyn_cast<Operator>(pointer);
	    cast && (cast->getOpcode() == Instruction::BitCast || cast->getOpcode() == Instruction::AddrSpaceCast))
		return address_of(cast->getOperand(0));
	auto *p = dyn_cast<PHINode>(pointer);
	auto *course = p ? dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(p)) : nullptr;
	BasicBlock *before = course ? course->getLoop()->getLoopPredecessor() : nullptr;
	if (!before || !course->isAffine() || course->getLoop()->getHeader() != p->getParent())
		return {pointer, sum{}};
	address start = address_of(p->getIncomingValueForBlock(before));
	auto step = of_evolution(course->getOperand(1));
	if (!start.offset || !step)
		return {start.base, std::nullopt};
	unsigned counter = make_counter();
	auto way = multiply(*step, counter_sum(counter));
	start.offset = way ? add(*start.offset, *way, 1) : std::nullopt;
	bound_turns(counter, *loops_.getLoopFor(p->getParent()));
	return start;
}

} // namespace tool::analysis
