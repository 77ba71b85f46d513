// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Threads that stop meet at barrier 0, together with those that wait for them there or stop elsewhere; the first of
// them decides what all do. Those that have ended are not waited for. What is used in every round of a loop is a word
// that was read a look before, and the address of that word: it moves on when an announcement was seen, so blocks that
// have a base look at what the next one, or a stop, sets.
#include "ptx/passes/checkpoint_code.h"

#include "ptx/passes/block_place.h"
#include "ptx/passes/filled.h"

#include <map>

namespace het::ptx
{

namespace
{

// Words 7 on of the block's place: one more than its context (0: none yet; all ones: there was no room), the address of
// the word that it looks at, a count of the threads that stop, when it began, what they do, the bytes that they save,
// and the address of the line that it looks at.
constexpr std::string_view begin_support = R"(.shared .align 16 .b32 het_checkpoint_block[16];
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
	st.shared.u32 [het_checkpoint_block+52], %own;
	ld.param.b64 %c, [het_checkpoint_control];
	setp.eq.u64 %p, %c, 0;
	@%p bra $store;
	ld.global.u64 %look, [%c+48];
	ld.global.u32 %r0, [%c+12];
	mov.u32 %r1, %smid;
	mad.wide.u32 %look, %r0, %r1, %look;
	st.shared.u64 [het_checkpoint_block+56], %look;
	ld.volatile.global.v2.u32 {%r0, %leave}, [%look+120];
	mad.wide.u32 %look, %r0, 4, %look;
	mov.u32 %r0, %globaltimer_lo;
	st.shared.u32 [het_checkpoint_block+44], %r0;
	ld.global.u64 %t, [%c+24];
<number>	setp.eq.u32 %p, %resumes, 0;
	@%p bra $new;
	cvt.u32.u64 %own, %n;
	add.u32 %own, %own, 1;
	ld.global.u64 %t, [%c+64];
	ld.global.u64 %d, [%c+56];
	mad.lo.u64 %t, %n, %t, %d;
	st.global.u32 [%t+28], %leave;
	setp.ne.u32 %p, %leave, 0;
	@%p bra $leave;
	ld.global.u64 %n, [%t];
	mov.u32 %r0, 0;
	st.global.u32 [%t+8], %r0;
	st.global.v2.u32 [%t+16], {%r0, %r0};
$new:
	setp.ne.u32 %p, %leave, 0;
	@%p bra $leave;
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
.reg .b32 %het_checkpoint_since;
.reg .b64 %het_checkpoint_look, %het_checkpoint_c, %het_checkpoint_base;
.reg .b64 %het_checkpoint_at, %het_checkpoint_step, %het_checkpoint_first;
)";

// <r> stands for the prefix of registers in what follows, and what threads that have met do has numbers.
std::string lines(std::string_view text, places with = {})
{
	return filled(filled(text, {{"r", "%het_checkpoint_"},
				    {"block", checkpoint_block},
				    {"save_and_leave", "0"},
				    {"save_and_go_on", "1"},
				    {"go_on", "2"},
				    {"save_changes_and_leave", "3"}}),
		      with);
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

// The first of those that stop decides for all. A block that has a context leaves, if it is to, or runs on. All
// registers of a thread may live here, so what is known is kept in shared memory.
constexpr std::string_view decide = R"(atom.shared.add.u32 <r>rank, [<block>+40], 1;
setp.ne.u32 <r>p, <r>rank, 0;
@<r>p bra <decided>;
ld.shared.u64 <r>c, [<block>+56];
ld.volatile.global.v2.u32 {<r>a, <r>b}, [<r>c+120];
setp.ne.u32 <r>q, <r>b, 0;
mad.wide.u32 <r>at, <r>a, 4, <r>c;
@<r>q mov.u64 <r>at, het_checkpoint_never;
st.shared.u64 [<block>+32], <r>at;
selp.u32 <r>a, <save_changes_and_leave>, <go_on>, <r>q;
st.shared.u32 [<block>+48], <r>a;
<choose><decided>:
setp.eq.u32 <r>q, 0, 0;
barrier.red.popc.u32 <r>n, 0, <r>q;
mov.u32 <r>a, 0;
setp.eq.u32 <r>p, <r>rank, 0;
@<r>p st.shared.u32 [<block>+40], <r>a;
ld.shared.u32 <r>a, [<block>+48];
setp.eq.u32 <r>p, <r>a, <go_on>;
@<r>p bra <on>;
)";

// One that has none asks for it; without room it runs to its end. A stop that is announced wants a base of blocks that
// would not have ended by then as far as is known, and of so many as leave contexts for others.
constexpr std::string_view choose = R"(ld.shared.u32 <r>a, [<block>+28];
setp.ne.u32 <r>p, <r>a, 0;
@<r>p bra <decided>;
mov.u32 <r>n, <save_and_leave>;
ld.volatile.global.u32 <r>i, [<r>c+116];
ld.param.u64 <r>c, [<control>];
@<r>q bra <ask>;
mov.u32 <r>b, %globaltimer_lo;
ld.shared.u32 <r>a, [<block>+44];
sub.u32 <r>b, <r>b, <r>a;
ld.global.u32 <r>a, [<r>c+88];
setp.ge.u32 <r>p, <r>b, <r>a;
@<r>p bra <outlasts>;
sub.u32 <r>b, <r>a, <r>b;
setp.le.u32 <r>p, <r>b, <r>i;
@<r>p bra <decided>;
<outlasts>:
atom.global.add.u32 <r>b, [<r>c+92], 1;
ld.global.u32 <r>a, [<r>c+96];
setp.ge.u32 <r>p, <r>b, <r>a;
@<r>p bra <decided>;
mov.u32 <r>n, <save_and_go_on>;
<ask>:
ld.global.u64 <r>at, [<r>c+72];
atom.global.add.u64 <r>c, [<r>c+80], 1;
cvt.u32.u64 <r>a, <r>c;
add.u32 <r>a, <r>a, 1;
setp.ge.u64 <r>p, <r>c, <r>at;
@<r>p mov.u32 <r>n, <go_on>;
@!<r>p st.shared.u32 [<block>+28], <r>a;
st.shared.u32 [<block>+48], <r>n;
)";

// <r>since has a bit of those that sets of stop points have: where the thread was saved before.
constexpr std::string_view find_since = R"(mov.u32 <r>since, 1;
ld.shared.u32 <r>a, [<block>+48];
setp.ne.u32 <r>p, <r>a, <save_changes_and_leave>;
@<r>p bra <found>;
mul.wide.u32 <r>at, <r>thread, 4;
add.u64 <r>at, <r>at, <r>base;
ld.global.u32 <r>a, [<r>at+32];
min.u32 <r>a, <r>a, <last>;
shl.b32 <r>since, <r>since, <r>a;
<found>:
)";

// Shared memory is saved again if a thread may have written it since, which one that has ended meanwhile may have.
constexpr std::string_view vote_on_shared = R"(and.b32 <r>a, <r>since, <stale>;
setp.ne.u32 <r>q, <r>a, 0;
ld.shared.u32 <r>a, [<block>+48];
setp.ne.u32 <r>p, <r>a, <save_changes_and_leave>;
mov.u32 <r>a, <r>n;
@!<r>p ld.global.u32 <r>a, [<r>base+24];
setp.ne.or.u32 <r>q, <r>a, <r>n, <r>q;
barrier.red.or.pred <r>q, 0, <r>q;
@!<r>q bra <unchanged>;
)";

// The block's place has one more than the number of the context.
constexpr std::string_view context_base = R"(ld.param.u64 <r>c, [<control>];
ld.shared.u32 <r>a, [<block>+28];
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
.pragma "nounroll";
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
.pragma "nounroll";
<copy>add.u64 <r>at, <r>at, <r>step;
add.u64 <r>c, <r>c, <unit>;
add.u32 <r>i, <r>i, 1;
setp.lt.u32 <r>p, <r>i, <count>;
@<r>p bra <again>;
)";

// The threads take their shares of all places, which say that a thread has ended; the first one goes on.
constexpr std::string_view clear_places = R"(<thread>mov.u32 <r>i, <r>rank;
<clear>:
.pragma "nounroll";
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
ld.shared.u32 <r>a, [<block>+52];
shl.b32 <r>a, <r>a, 2;
mov.u32 <r>b, 0;
st.shared.u32 [<block>+52], <r>b;
)";

// That of a block which runs on is done then.
constexpr std::string_view note_base = R"(ld.shared.u32 <r>i, [<block>+48];
setp.eq.u32 <r>p, <r>i, <save_and_go_on>;
@<r>p st.global.u32 [<r>base+16], <r>a;
@<r>p st.global.u32 [<r>base+24], <r>n;
@<r>p st.global.u32 [<r>base+8], <r>b;
@<r>p bra <headed>;
setp.eq.u32 <r>p, <r>i, <save_and_leave>;
@<r>p st.global.u32 [<r>base+16], <r>b;
)";

constexpr std::string_view note_stop = R"(st.global.u32 [<r>base+20], <r>a;
st.global.u32 [<r>base+24], <r>n;
mov.u32 <r>a, 1;
st.global.u32 [<r>base+8], <r>a;
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
<sum>st.global.u32 [<r>base+12], <r>b;
<headed>:
setp.eq.u32 <r>q, 0, 0;
barrier.red.or.pred <r>p, 0, <r>q;
mul.wide.u32 <r>at, <r>thread, 4;
add.u64 <r>at, <r>at, <r>base;
mov.u32 <r>where, <k>;
st.global.u32 [<r>at+32], <r>where;
ld.shared.u32 <r>a, [<block>+48];
setp.ne.u32 <r>p, <r>a, <save_and_go_on>;
@<r>p exit;
)";

constexpr std::string_view run_on = R"(<on>:
ld.shared.u64 <r>look, [<block>+32];
mov.u32 <r>seen, 0;
setp.ne.u32 <r>q, 0, 0;
bra <go>;
)";

// Moves a unit between its registers and the thread's words from <r>first on.
class packer
{
      public:
	packer(const saved_unit &u, bool saves) : saves_(saves), place_(u.place)
	{
		const auto &values = u.values;
		switch (bits_of(values[0].type)) {
		case 64:
			both(values[0].name);
			break;
		case 32:
			word(values[0].name);
			break;
		case 16:
			halves(values[0].name, values.size() > 1 ? values[1].name : "");
			break;
		default:
			predicates(values);
		}
	}

	std::string text;

      private:
	// The next of its words.
	void word(const std::string &name)
	{
		text += lines("mad.wide.u32 <r>at, <r>threads, <bytes>, <r>first;\n",
			      {{"bytes", number(4 * uint64_t{place_++})}});
		text += lines(saves_ ? "st.global.b32 [<r>at], <v>;\n" : "ld.global.b32 <v>, [<r>at];\n",
			      {{"v", name}});
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
	void predicates(const std::vector<saved_value> &values)
	{
		std::string before = "mov.u32 <r>a, 0;\n", after;
		for (size_t n = 0; n < values.size(); n++) {
			auto bit = number(uint64_t{1} << n);
			before += "@" + values[n].name + " or.b32 <r>a, <r>a, " + bit + ";\n";
			after += "and.b32 <r>b, <r>a, " + bit + ";\nsetp.ne.u32 " + values[n].name + ", <r>b, 0;\n";
		}
		through(before, after);
	}

	const bool saves_;
	uint32_t place_;
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
	e_.after(m_.statements_of(f_).back(), end.substr(0, end.size() - 1));
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

// <r>first is where the thread has its first word of those from @first on.
std::string checkpoint_writer::find_words(uint64_t first) const
{
	return lines("mad.wide.u32 <r>at, <r>thread, 4, <r>base;\nadd.u64 <r>at, <r>at, 32;\n"
		     "mad.wide.u32 <r>first, <r>threads, <bytes>, <r>at;\n",
		     {{"bytes", number(4 * first)}});
}

std::string checkpoint_writer::find_context() const
{
	return lines(context_base, {{"control", control_}}) + lines(find_thread);
}

// What a thread has saved is dead until it is brought back, so what follows needs no registers beside those. Blocks
// that go on have a context, and all that come to the exit leave; the way back is there for the others, and so that
// lanes meet again behind a loop as they would without a stop point: a branch that does not come back would keep them
// apart.
std::string checkpoint_writer::save_at(size_t k)
{
	const stop_point &p = plan_.points[k];
	std::string text = label("stop", k) + ":\n";
	if (!p.at_barrier)
		text += lines("setp.eq.u32 <r>q, 0, 0;\nbarrier.red.or.pred <r>q, 0, <r>q;\n");
	if (plan_.copies_async)
		text += "cp.async.wait_all;\n";
	const std::string decided = next_label();
	const std::string chosen = resumed_ ? ""
					    : lines(choose, {{"control", control_},
							     {"decided", decided},
							     {"outlasts", next_label()},
							     {"ask", next_label()}});
	text += lines(decide, {{"choose", chosen}, {"decided", decided}, {"on", label("on", k)}});
	text += find_context() + lines(find_since, {{"last", number(last_of_sets)}, {"found", next_label()}});
	text += save_registers(p) + find_context() + save_memory(p) + write_head(k);
	text += resumed_ ? "bra " + label("back", k) + ";\n" : bring_back(k);
	return text + lines(run_on, {{"on", label("on", k)}, {"go", label("go", k)}});
}

std::string checkpoint_writer::bring_back(size_t k) const
{
	std::string text = find_words(1);
	for (const saved_unit &u : plan_.points[k].saved)
		text += packer(u, false).text;
	return text;
}

std::string checkpoint_writer::write_head(size_t k)
{
	const std::string headed = next_label();
	return lines(clear_places, {{"thread", lines(find_thread)},
				    {"clear", next_label()},
				    {"cleared", next_label()},
				    {"headed", headed}}) +
	       (resumed_ ? "" : lines(note_base, {{"headed", headed}})) +
	       lines(note_stop, {{"sum", sum_of_places()}, {"headed", headed}, {"k", number(k + 1)}});
}

// Returns the lines, which save so many words, for threads that come from where this set says.
std::string checkpoint_writer::save_since(const stop_point &p, checkpoint_sets stale, uint32_t words,
					  const std::string &copy)
{
	std::string text = copy + lines("red.shared.add.u32 [<block>+52], <n>;\n", {{"n", number(words)}});
	if (stale == p.before)
		return text;
	const std::string over = next_label();
	return lines("and.b32 <r>a, <r>since, <stale>;\nsetp.eq.u32 <r>p, <r>a, 0;\n@<r>p bra <over>;\n",
		     {{"stale", number(stale)}, {"over", over}}) +
	       text + over + ":\n";
}

// Units that are saved since the same stop points stand together.
std::string checkpoint_writer::save_registers(const stop_point &p)
{
	std::map<checkpoint_sets, std::pair<uint32_t, std::string>> groups;
	for (const saved_unit &u : p.saved) {
		auto &[words, text] = groups[u.stale];
		words += u.words;
		text += packer(u, true).text;
	}
	std::string all = find_words(1);
	for (const auto &[stale, group] : groups)
		all += save_since(p, stale, group.first, group.second);
	return all;
}

std::string checkpoint_writer::save_memory(const stop_point &p)
{
	saves_ = true;
	const std::string unchanged = next_label();
	std::string text;
	if (!plan_.local.empty())
		text += save_since(p, p.stale_local, plan_.size.local_words, copy_local());
	text += lines(vote_on_shared, {{"stale", number(p.stale_shared)}, {"unchanged", unchanged}});
	return text + copy_shared() +
	       lines("mov.u32 <r>a, %dynamic_smem_size;\nadd.u32 <r>a, <r>a, <bytes>;\nshr.u32 <r>a, <r>a, 2;\n"
		     "setp.eq.u32 <r>p, <r>rank, 0;\n@<r>p red.shared.add.u32 [<block>+52], <r>a;\n<unchanged>:\n",
		     {{"bytes", number(plan_.size.shared_bytes + 3)}, {"unchanged", unchanged}});
}

std::string checkpoint_writer::restore_at(size_t k) const
{
	return label("back", k) + ":\n" + bring_back(k) + again_[k] +
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
	std::string text = find_words(1 + plan_.size.words) +
			   lines("mov.u64 <r>at, <r>first;\nmul.wide.u32 <r>step, <r>threads, 4;\n");
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
				       "cvt.u64.u32 <r>first, <r>a;\nadd.u64 <r>c, <r>c, <r>first;\n") +
					 copy_unit("shared", 1, 1, 0, offset));
}

// The threads of a resumed block bring back what they share, together, before any of them goes on.
std::string checkpoint_writer::resume()
{
	saves_ = false;
	std::string text = find_context() +
			   lines("mul.wide.u32 <r>at, <r>thread, 4;\nadd.u64 <r>at, <r>at, <r>base;\n"
				 "ld.global.u32 <r>where, [<r>at+32];\n") +
			   sum_of_places() +
			   lines("ld.global.u32 <r>a, [<r>base+12];\nsetp.ne.u32 <r>p, <r>a, <r>b;\n@<r>p trap;\n"
				 "mov.u32 <r>rank, <r>thread;\nmov.u32 <r>n, <r>threads;\n") +
			   (plan_.local.empty() ? "" : copy_local()) + copy_shared() +
			   lines("setp.ne.u32 <r>q, 0, 0;\n"
				 "barrier.red.or.pred <r>p, 0, <r>q;\nsetp.eq.u32 <r>p, <r>where, 0;\n@<r>p exit;\n");
	for (size_t k = 0; k < plan_.points.size(); k++)
		text += lines("setp.eq.u32 <r>p, <r>where, <k>;\n@<r>p bra <back>;\n",
			      {{"k", number(k + 1)}, {"back", label("back", k)}});
	return text + "trap;\n";
}

} // namespace het::ptx
