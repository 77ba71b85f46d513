// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Threads that stop meet at barrier 0, together with those that wait for them there or stop elsewhere; the last that
// comes lets all of them save. Those that have ended are not waited for. What is used in every round of a loop is a
// word that was read a look before, and the address of that word.
#include "ptx/passes/checkpoint_code.h"

#include "ptx/passes/block_place.h"
#include "ptx/passes/filled.h"

namespace het::ptx
{

namespace
{

// Words 7 to 10 of the block's place: one more than its context (0: none yet; all ones: there was no room), the address
// of the word that it looks at, and a count of the threads that stop.
constexpr std::string_view begin_support = R"(.shared .align 16 .b32 het_checkpoint_block[12];
.global .align 4 .u32 het_checkpoint_never;
.extern .shared .align 16 .b8 het_checkpoint_dynamic[];
.func (.param .b32 het_checkpoint_answer) het_checkpoint_begin(
	.param .b64 het_checkpoint_control, .param .b32 het_checkpoint_resumes)
{
	.reg .pred %p;
	.reg .b32 %r<2>, %x, %y, %z, %leave, %nx, %ny, %nz, %own, %resumes;
	.reg .b64 %c, %n, %t, %d, %look;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %tid.y;
	or.b32 %r0, %r0, %r1;
	mov.u32 %r1, %tid.z;
	or.b32 %r0, %r0, %r1;
	setp.ne.u32 %p, %r0, 0;
	@%p bra $wait;
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ctaid.y;
	mov.u32 %z, %ctaid.z;
	mov.u32 %nx, %nctaid.x;
	mov.u32 %ny, %nctaid.y;
	mov.u32 %nz, %nctaid.z;
	ld.param.b32 %resumes, [het_checkpoint_resumes];
	mov.u32 %leave, %resumes;
	mov.u32 %own, 0;
	mov.u64 %look, het_checkpoint_never;
	st.shared.u32 [het_checkpoint_block+40], %own;
	ld.param.b64 %c, [het_checkpoint_control];
	setp.eq.u64 %p, %c, 0;
	@%p bra $store;
	ld.global.u64 %look, [%c+48];
	ld.global.u32 %r0, [%c+12];
	mov.u32 %r1, %smid;
	mad.wide.u32 %look, %r0, %r1, %look;
	ld.volatile.global.u32 %leave, [%look];
	ld.global.u64 %t, [%c+24];
<number>	setp.ne.u32 %p, %leave, 0;
	@%p bra $leave;
	setp.eq.u32 %p, %resumes, 0;
	@%p bra $new;
	cvt.u32.u64 %own, %n;
	add.u32 %own, %own, 1;
	ld.global.u64 %t, [%c+64];
	ld.global.u64 %d, [%c+56];
	mad.lo.u64 %t, %n, %t, %d;
	ld.global.u64 %n, [%t];
	mov.u32 %r0, 0;
	st.global.u32 [%t+8], %r0;
$new:
<place>	st.shared.u32 [het_checkpoint_block+28], %own;
	st.shared.u64 [het_checkpoint_block+32], %look;
$wait:
	bar.sync 0;
	ld.shared.u32 %r0, [het_checkpoint_block+12];
	st.param.b32 [het_checkpoint_answer], %r0;
	ret;
}
)";

constexpr std::string_view own_registers = R"(.reg .pred %het_checkpoint_p, %het_checkpoint_q;
.reg .b16 %het_checkpoint_h;
.reg .b32 %het_checkpoint_seen, %het_checkpoint_a, %het_checkpoint_b, %het_checkpoint_n, %het_checkpoint_rank;
.reg .b32 %het_checkpoint_where, %het_checkpoint_thread, %het_checkpoint_threads, %het_checkpoint_i;
.reg .b64 %het_checkpoint_look, %het_checkpoint_c, %het_checkpoint_base, %het_checkpoint_kept;
.reg .b64 %het_checkpoint_at, %het_checkpoint_step;
)";

// <r> stands for the prefix of registers in what follows.
std::string lines(std::string_view text, places with = {})
{
	return filled(filled(text, {{"r", "%het_checkpoint_"}, {"block", checkpoint_block}}), with);
}

std::string number(uint64_t n)
{
	return std::to_string(n);
}

// The thread's number in its block, and how many there are.
constexpr std::string_view find_thread = R"(mov.u32 <r>threads, %ntid.x;
mov.u32 <r>a, %ntid.y;
mov.u32 <r>thread, %tid.z;
mov.u32 <r>b, %tid.y;
mad.lo.u32 <r>thread, <r>thread, <r>a, <r>b;
mov.u32 <r>b, %tid.x;
mad.lo.u32 <r>thread, <r>thread, <r>threads, <r>b;
mul.lo.u32 <r>threads, <r>threads, <r>a;
mov.u32 <r>a, %ntid.z;
mul.lo.u32 <r>threads, <r>threads, <r>a;
)";

// The first of those that stop asks for a context, unless the block has one of its own.
constexpr std::string_view ask_for_context = R"(atom.shared.add.u32 <r>rank, [<block>+40], 1;
setp.ne.u32 <r>p, <r>rank, 0;
@<r>p bra <asked>;
ld.shared.u32 <r>a, [<block>+28];
setp.ne.u32 <r>p, <r>a, 0;
@<r>p bra <asked>;
ld.param.u64 <r>c, [<control>];
ld.global.u64 <r>at, [<r>c+72];
atom.global.add.u64 <r>base, [<r>c+80], 1;
cvt.u32.u64 <r>a, <r>base;
add.u32 <r>a, <r>a, 1;
setp.ge.u64 <r>p, <r>base, <r>at;
@<r>p mov.u32 <r>a, -1;
st.shared.u32 [<block>+28], <r>a;
<asked>:
setp.eq.u32 <r>q, 0, 0;
barrier.red.popc.u32 <r>n, 0, <r>q;
ld.shared.u32 <r>a, [<block>+28];
setp.eq.u32 <r>p, <r>a, -1;
@<r>p bra <full>;
)";

// <r>a has one more than the number of the context.
constexpr std::string_view context_base = R"(ld.param.u64 <r>c, [<control>];
sub.u32 <r>a, <r>a, 1;
cvt.u64.u32 <r>at, <r>a;
ld.global.u64 <r>base, [<r>c+64];
mul.lo.u64 <r>at, <r>at, <r>base;
ld.global.u64 <r>base, [<r>c+56];
add.u64 <r>base, <r>base, <r>at;
)";

// Each thread takes its share of <count> units of shared memory: <r>rank, <r>rank + <r>n, ... To each unit belongs
// <wide> bytes of the context, where shared memory begins at <r>step.
constexpr std::string_view share_of_units = R"(mov.u32 <r>i, <r>rank;
<again>:
setp.ge.u32 <r>p, <r>i, <count>;
@<r>p bra <done>;
mov.u64 <r>c, <v>;
mul.wide.u32 <r>at, <r>i, <unit>;
add.u64 <r>c, <r>c, <r>at;
mul.wide.u32 <r>at, <r>i, <wide>;
add.u64 <r>at, <r>at, <r>step;
<copy>add.u32 <r>i, <r>i, <r>n;
bra <again>;
<done>:
)";

// Each thread has all units of its own local memory, the words of all threads beside each other.
constexpr std::string_view all_units = R"(mov.u64 <r>c, <v>;
mov.u32 <r>i, 0;
<again>:
<copy>add.u64 <r>at, <r>at, <r>step;
add.u64 <r>c, <r>c, <unit>;
add.u32 <r>i, <r>i, 1;
setp.lt.u32 <r>p, <r>i, <count>;
@<r>p bra <again>;
)";

constexpr std::string_view write_head = R"(mov.u32 <r>i, <r>rank;
<clear>:
setp.ge.u32 <r>p, <r>i, <r>threads;
@<r>p bra <cleared>;
mul.wide.u32 <r>at, <r>i, 4;
add.u64 <r>at, <r>at, <r>base;
mov.u32 <r>a, 0;
st.global.u32 [<r>at+32], <r>a;
add.u32 <r>i, <r>i, <r>n;
bra <clear>;
<cleared>:
setp.ne.u32 <r>p, <r>rank, 0;
@<r>p bra <headed>;
ld.shared.u32 <r>a, [<block>+8];
ld.shared.u32 <r>b, [<block>+20];
mul.wide.u32 <r>at, <r>a, <r>b;
ld.shared.u32 <r>a, [<block>+4];
cvt.u64.u32 <r>step, <r>a;
add.u64 <r>at, <r>at, <r>step;
ld.shared.u32 <r>a, [<block>+16];
cvt.u64.u32 <r>step, <r>a;
mul.lo.u64 <r>at, <r>at, <r>step;
ld.shared.u32 <r>a, [<block>];
cvt.u64.u32 <r>step, <r>a;
add.u64 <r>at, <r>at, <r>step;
st.global.u64 [<r>base], <r>at;
mov.u32 <r>a, 1;
st.global.u32 [<r>base+8], <r>a;
<sum>st.global.u32 [<r>base+12], <r>b;
<headed>:
setp.eq.u32 <r>q, 0, 0;
barrier.red.or.pred <r>p, 0, <r>q;
mul.wide.u32 <r>at, <r>thread, 4;
add.u64 <r>at, <r>at, <r>base;
st.global.u32 [<r>at+32], <r>where;
exit;
)";

// Packs predicates, halves and words into words of 32 bits, in the same order for saving and restoring.
class packer
{
      public:
	packer(const std::vector<saved_value> &values, bool saves) : saves_(saves)
	{
		for (const auto &v : values)
			if (bits_of(v.type) == 64)
				both(v.name);
		for (const auto &v : values)
			if (bits_of(v.type) == 32)
				word(v.name);
		std::vector<std::string> small;
		for (const auto &v : values)
			if (bits_of(v.type) == 16)
				small.push_back(v.name);
		for (size_t n = 0; n < small.size(); n += 2)
			halves(small[n], n + 1 < small.size() ? small[n + 1] : "");
		std::vector<std::string> bits;
		for (const auto &v : values)
			if (bits_of(v.type) == 1)
				bits.push_back(v.name);
		for (size_t n = 0; n < bits.size(); n += 32)
			predicates({bits.begin() + long(n), bits.begin() + long(std::min(n + 32, bits.size()))});
	}

	std::string text;

      private:
	void word(const std::string &name)
	{
		text += lines(saves_ ? "st.global.b32 [<r>at], <v>;\n" : "ld.global.b32 <v>, [<r>at];\n",
			      {{"v", name}});
		text += lines("add.u64 <r>at, <r>at, <r>step;\n");
	}
	void through(const std::string &before, const std::string &after)
	{
		text += saves_ ? lines(before) : "";
		word(lines("<r>a"));
		text += saves_ ? "" : lines(after);
	}
	void both(const std::string &name)
	{
		if (saves_)
			text += lines("mov.b64 {<r>a, <r>b}, <v>;\n", {{"v", name}});
		word(lines("<r>a"));
		word(lines("<r>b"));
		if (!saves_)
			text += lines("mov.b64 <v>, {<r>a, <r>b};\n", {{"v", name}});
	}
	void halves(const std::string &first, const std::string &second)
	{
		auto other = second.empty() ? saves_ ? first : lines("<r>h") : second;
		through("mov.b32 <r>a, {" + first + ", " + other + "};\n",
			"mov.b32 {" + first + ", " + other + "}, <r>a;\n");
	}
	void predicates(const std::vector<std::string> &names)
	{
		std::string before = "mov.u32 <r>a, 0;\n", after;
		for (size_t n = 0; n < names.size(); n++) {
			auto bit = number(uint64_t{1} << n);
			before += "@" + names[n] + " or.b32 <r>a, <r>a, " + bit + ";\n";
			after += "and.b32 <r>b, <r>a, " + bit + ";\nsetp.ne.u32 " + names[n] + ", <r>b, 0;\n";
		}
		through(before, after);
	}

	const bool saves_;
};

} // namespace

std::string checkpoint_support()
{
	return filled(begin_support,
		      {{"number", number_of_block}, {"place", filled(place_of_number, {{"block", checkpoint_block}})}});
}

std::string begin_block(const function &f, const std::string &control, bool resumes, editor *e, std::string *answer)
{
	*answer = e->new_register(f, type::b32);
	return filled(
		"{\n.param .b64 <control>;\n.param .b32 <resumes>, <answer>;\nst.param.b64 [<control>], <c>;\n"
		"st.param.b32 [<resumes>], <again>;\n"
		"call (<answer>), het_checkpoint_begin, (<control>, <resumes>);\nld.param.b32 <to>, [<answer>];\n}\n",
		{{"control", e->new_name("control")},
		 {"resumes", e->new_name("resumes")},
		 {"answer", e->new_name("answer")},
		 {"c", control},
		 {"again", resumes ? "1" : "0"},
		 {"to", *answer}});
}

checkpoint_writer::checkpoint_writer(const module &m, const function &f, const checkpoint_plan &plan, bool resumed,
				     editor *e)
    : m_(m), f_(f), plan_(plan), resumed_(resumed), e_(*e)
{
}

std::string checkpoint_writer::next_label()
{
	return label("loop", loops_++);
}

std::string checkpoint_writer::label(const char *what, size_t k) const
{
	return labels_ + what + number(k);
}

void checkpoint_writer::run()
{
	auto loads = replace_block_registers(m_, f_, checkpoint_block, &e_);
	for (const stop_point &p : plan_.points) {
		std::string all;
		for (uint32_t n : p.recomputed)
			all += e_.print_part(m_.statements_of(f_)[n].text) + "\n";
		again_.push_back(all);
	}
	control_ = e_.add_parameter(f_, type::u64);
	labels_ = e_.new_label() + "_";
	std::string answer, begin(own_registers);
	begin += lines("ld.param.u64 <r>c, [<control>];\n", {{"control", control_}});
	begin += begin_block(f_, lines("<r>c"), resumed_, &e_, &answer);
	begin += lines("setp.ne.u32 <r>p, <answer>, 0;\n@<r>p exit;\n", {{"answer", answer}});
	begin += loads.empty() ? "" : loads + "\n";
	if (!plan_.points.empty())
		begin += lines("ld.shared.u64 <r>look, [<block>+32];\nld.volatile.global.u32 <r>seen, [<r>look];\n");
	// Only behind the body may lines name the variables that it declares.
	if (resumed_)
		begin += "bra " + labels_ + "resume;\n";
	begin.pop_back();
	e_.at_begin(f_, begin);
	std::string end = "ret;\n" + (resumed_ ? labels_ + "resume:\n" + resume() : "");
	for (size_t k = 0; k < plan_.points.size(); k++) {
		look_at(k);
		end += save_at(k);
		end += resumed_ ? restore_at(k) : "";
	}
	if (plan_.points.empty())
		return;
	e_.after(m_.statements_of(f_).back(), end + leave().substr(0, leave().size() - 1));
}

// The word that is looked at was read at the look before, so no thread waits for it in a loop.
void checkpoint_writer::look_at(size_t k)
{
	const stop_point &p = plan_.points[k];
	constexpr std::string_view look = "setp.ne.u32 <r>q, <r>seen, 0;\n"
					  "ld.volatile.global.u32 <r>seen, [<r>look];\n";
	const statement &s = at(k);
	if (!p.at_barrier) {
		std::string vote = p.votes ? "vote.sync.any.pred <r>q, <r>q, -1;\n" : "";
		e_.after(s, lines(std::string(look) + vote + "@<r>q bra <stop>;\n<go>:",
				  {{"stop", label("stop", k)}, {"go", label("go", k)}}));
		return;
	}
	e_.unguard(s);
	e_.before(s, lines(std::string(look) + "<go>:\nbarrier.red.or.pred <r>q, 0, <r>q;\n@<r>q bra <stop>;",
			   {{"stop", label("stop", k)}, {"go", label("go", k)}}));
	if (p.replaced)
		e_.replace({m_.instructions[s.index].opcode.begin, s.text.end}, "");
}

std::string checkpoint_writer::find_words(const std::string &first) const
{
	return lines("mul.wide.u32 <r>step, <r>threads, 4;\nmul.wide.u32 <r>at, <r>thread, 4;\n"
		     "add.u64 <r>at, <r>at, <r>base;\nadd.u64 <r>at, <r>at, 32;\n"
		     "mad.lo.u64 <r>at, <r>step, <first>, <r>at;\n",
		     {{"first", first}});
}

std::string checkpoint_writer::find_context() const
{
	return lines(context_base, {{"control", control_}}) + lines(find_thread);
}

std::string checkpoint_writer::save_at(size_t k) const
{
	const stop_point &p = plan_.points[k];
	std::string text = label("stop", k) + ":\n";
	if (!p.at_barrier)
		text += lines("setp.eq.u32 <r>q, 0, 0;\nbarrier.red.or.pred <r>q, 0, <r>q;\n");
	if (plan_.copies_async)
		text += "cp.async.wait_all;\n";
	text += lines(ask_for_context,
		      {{"control", control_}, {"asked", label("asked", k)}, {"full", label("full", k)}});
	text += find_context() + find_words("1") + packer(p.saved, true).text;
	text += lines("mov.u32 <r>where, <k>;\nbra <leave>;\n<full>:\nmov.u64 <r>look, het_checkpoint_never;\n"
		      "mov.u32 <r>seen, 0;\nsetp.ne.u32 <r>q, 0, 0;\nbra <go>;\n",
		      {{"k", number(k + 1)},
		       {"leave", labels_ + "leave"},
		       {"full", label("full", k)},
		       {"go", label("go", k)}});
	return text;
}

std::string checkpoint_writer::restore_at(size_t k) const
{
	return label("back", k) + ":\n" + find_words("1") + packer(plan_.points[k].saved, false).text + again_[k] +
	       lines("setp.ne.u32 <r>q, 0, 0;\nbra <go>;\n", {{"go", label("go", k)}});
}

std::string checkpoint_writer::sum_of_places() const
{
	std::string text = lines("mov.u64 <r>at, het_checkpoint_dynamic;\ncvt.u32.u64 <r>b, <r>at;\n");
	for (const auto *list : {&plan_.shared, &plan_.local})
		for (uint32_t v : *list)
			text += lines("mov.u64 <r>at, <v>;\ncvt.u32.u64 <r>a, <r>at;\nadd.u32 <r>b, <r>b, <r>a;\n",
				      {{"v", m_.str(m_.variables[v].name)}});
	return text;
}

// Returns the lines that copy one unit between the address in <r>c and the context.
std::string checkpoint_writer::copy_unit(const char *space, uint64_t unit, uint64_t wide, uint64_t skipped,
					 uint64_t offset) const
{
	std::string mine = std::string(space) + (unit == 4 ? ".u32" : ".u8"), theirs = wide == 4 ? "u32" : "u8";
	return lines(saves_ ? "ld.<mine> <r>a, [<r>c+<skipped>];\nst.global.<theirs> [<r>at+<offset>], <r>a;\n"
			    : "ld.global.<theirs> <r>a, [<r>at+<offset>];\nst.<mine> [<r>c+<skipped>], <r>a;\n",
		     {{"mine", mine}, {"theirs", theirs}, {"skipped", number(skipped)}, {"offset", number(offset)}});
}

// Calls @copy with the units of a variable, and with the bytes behind them as units: size, count and bytes before.
template <typename F> void checkpoint_writer::for_units(const variable &v, F copy)
{
	uint64_t unit = copied_unit(v), count = v.bytes() / unit;
	if (count)
		copy(unit, count, 0);
	if (v.bytes() % unit)
		copy(uint64_t{1}, v.bytes() % unit, count * unit);
}

std::string checkpoint_writer::copy_local()
{
	std::string text = plan_.local.empty() ? "" : find_words(number(1 + plan_.size.words));
	for (uint32_t index : plan_.local) {
		const variable &v = m_.variables[index];
		for_units(v, [&](uint64_t unit, uint64_t count, uint64_t skipped) {
			text += lines(all_units, {{"v", m_.str(v.name)},
						  {"again", next_label()},
						  {"copy", copy_unit("local", unit, 4, skipped, 0)},
						  {"unit", number(unit)},
						  {"count", number(count)}});
		});
	}
	return text;
}

std::string checkpoint_writer::copy_share(std::string_view variable, const std::string &count, uint64_t unit,
					  uint64_t wide, const std::string &copy)
{
	return lines(share_of_units, {{"again", next_label()},
				      {"done", next_label()},
				      {"count", count},
				      {"v", variable},
				      {"unit", number(unit)},
				      {"wide", number(wide)},
				      {"copy", copy}});
}

// What a launch adds is copied as it is, without words for its last bytes.
std::string checkpoint_writer::copy_shared()
{
	std::string text =
		lines("mul.wide.u32 <r>step, <r>threads, 4;\nmad.lo.u64 <r>step, <r>step, <words>, <r>base;\n"
		      "add.u64 <r>step, <r>step, 32;\n",
		      {{"words", number(1 + plan_.size.words + plan_.size.local_words)}});
	uint64_t offset = 0;
	for (uint32_t index : plan_.shared) {
		const variable &v = m_.variables[index];
		for_units(v, [&](uint64_t unit, uint64_t count, uint64_t skipped) {
			text += copy_share(m_.str(v.name), number(count), unit, 4,
					   copy_unit("shared", unit, 4, skipped, offset));
			offset += 4 * count;
		});
	}
	constexpr const char *dynamic = "het_checkpoint_dynamic";
	text += lines("mov.u32 <r>b, %dynamic_smem_size;\nshr.u32 <r>b, <r>b, 2;\n");
	text += copy_share(dynamic, lines("<r>b"), 4, 4, copy_unit("shared", 4, 4, 0, offset));
	text += lines("shl.b32 <r>a, <r>b, 2;\ncvt.u64.u32 <r>at, <r>a;\nadd.u64 <r>step, <r>step, <r>at;\n"
		      "mov.u32 <r>b, %dynamic_smem_size;\nand.b32 <r>b, <r>b, 3;\n");
	return text + copy_share(dynamic, lines("<r>b"), 1, 1,
				 lines("mov.u32 <r>a, %dynamic_smem_size;\nand.b32 <r>a, <r>a, -4;\n"
				       "cvt.u64.u32 <r>base, <r>a;\nadd.u64 <r>c, <r>c, <r>base;\n") +
					 copy_unit("shared", 1, 1, 0, offset));
}

// All that stop come here with their registers saved.
std::string checkpoint_writer::leave()
{
	saves_ = true;
	return labels_ + "leave:\n" + copy_local() + lines("mov.u64 <r>kept, <r>base;\n") + copy_shared() +
	       lines("mov.u64 <r>base, <r>kept;\n") +
	       lines(write_head, {{"sum", sum_of_places()},
				  {"clear", next_label()},
				  {"cleared", next_label()},
				  {"headed", next_label()}});
}

// The threads of a resumed block bring back what they share, together, before any of them goes on.
std::string checkpoint_writer::resume()
{
	saves_ = false;
	std::string text = lines("ld.shared.u32 <r>a, [<block>+28];\n") + find_context() +
			   lines("mul.wide.u32 <r>at, <r>thread, 4;\nadd.u64 <r>at, <r>at, <r>base;\n"
				 "ld.global.u32 <r>where, [<r>at+32];\nmov.u32 <r>a, 0;\n"
				 "st.global.u32 [<r>at+32], <r>a;\n") +
			   sum_of_places() +
			   lines("ld.global.u32 <r>a, [<r>base+12];\nsetp.ne.u32 <r>p, <r>a, <r>b;\n@<r>p trap;\n"
				 "mov.u32 <r>rank, <r>thread;\nmov.u32 <r>n, <r>threads;\n") +
			   copy_local() + lines("mov.u64 <r>kept, <r>base;\n") + copy_shared() +
			   lines("mov.u64 <r>base, <r>kept;\nsetp.ne.u32 <r>q, 0, 0;\n"
				 "barrier.red.or.pred <r>p, 0, <r>q;\nsetp.eq.u32 <r>p, <r>where, 0;\n@<r>p exit;\n");
	for (size_t k = 0; k < plan_.points.size(); k++)
		text += lines("setp.eq.u32 <r>p, <r>where, <k>;\n@<r>p bra <back>;\n",
			      {{"k", number(k + 1)}, {"back", label("back", k)}});
	return text + "trap;\n";
}

} // namespace het::ptx
