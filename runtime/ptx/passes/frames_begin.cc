// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Bodies begin with the stack of a thread, and the frame of a function.
#include "ptx/passes/frames.h"

namespace het::ptx
{

namespace
{

constexpr std::string_view own_slot = R"(mov.u32 <thread>, %tid.z;
mov.u32 <extent>, %ntid.y;
mul.lo.u32 <thread>, <thread>, <extent>;
mov.u32 <extent>, %tid.y;
add.u32 <thread>, <thread>, <extent>;
mov.u32 <extent>, %ntid.x;
mul.lo.u32 <thread>, <thread>, <extent>;
mov.u32 <extent>, %tid.x;
add.u32 <thread>, <thread>, <extent>;
mov.u64 <slot>, het_stack_slots;
mad.wide.u32 <slot>, <thread>, 16, <slot>;
)";

// The frame comes from what is left between top and limit.
constexpr std::string_view take = R"(sub.u64 <room>, <top>, <limit>;
setp.lt.u64 <bad>, <room>, <need>;
@<bad> trap;
sub.u64 <frame>, <top>, <bytes>;
)";

} // namespace

std::string stack_user::in_names(std::string_view text, std::string_view name) const
{
	return filled(text, {{"slot", slot_},
			     {"frame", frame_},
			     {"top", top_},
			     {"limit", limit_},
			     {"room", room_},
			     {"thread", thread_},
			     {"extent", extent_},
			     {"bad", bad_},
			     {"private", private_},
			     {"it", name}});
}

std::string stack_user::take_frame() const
{
	uint64_t aligned = align_ > 16 ? align_ : 0;
	auto lines = filled(take, {{"room", room_},
				   {"top", top_},
				   {"limit", limit_},
				   {"bad", bad_},
				   {"frame", frame_},
				   {"need", std::to_string(bytes_ + aligned)},
				   {"bytes", std::to_string(bytes_)}});
	return lines + (aligned ? in_names("and.b64 <frame>, <frame>, -<it>;\n", std::to_string(aligned)) : "");
}

// Stacks of the given size follow each other block after block, thread after thread.
std::string stack_user::begin_stack()
{
	auto base = e_.add_parameter(f_, type::u64), size = e_.add_parameter(f_, type::u64);
	if (!uses_stack())
		return "";
	auto lines = in_names("mov.u32 <extent>, %ctaid.z;\ncvt.u64.u32 <room>, <extent>;\n");
	for (std::string_view place : {"ctaid.y", "ctaid.x", "tid.z", "tid.y", "tid.x"})
		lines += in_names("mov.u32 <extent>, %n<it>;\ncvt.u64.u32 <top>, <extent>;\n"
				  "mul.lo.u64 <room>, <room>, <top>;\nmov.u32 <extent>, %<it>;\n"
				  "cvt.u64.u32 <top>, <extent>;\nadd.u64 <room>, <room>, <top>;\n",
				  place);
	lines += in_names(own_slot) + in_names("setp.gt.u32 <bad>, <thread>, 31;\n@<bad> trap;\n");
	lines += in_names("ld.param.u64 <limit>, [<it>];\n", base) + in_names("ld.param.u64 <top>, [<it>];\n", size);
	lines += in_names("mad.lo.u64 <limit>, <room>, <top>, <limit>;\nadd.u64 <top>, <limit>, <top>;\n");
	return lines + take_frame() + in_names("st.shared.v2.u64 [<slot>], {<frame>, <limit>};\n");
}

std::string stack_user::begin_frame()
{
	if (!uses_stack())
		return "";
	auto shared = in_names("ld.shared.v2.u64 {<top>, <limit>}, [<slot>];\n") + take_frame() +
		      in_names("st.shared.u64 [<slot>], <frame>;\n");
	if (!in_regions_)
		return in_names(own_slot) + shared;
	// Lanes call functions each at their own time, so one pointer can't be right for all of them.
	auto mask = e_.new_name("mask"), own = e_.new_label(), done = e_.new_label();
	auto lines = in_names("{\n.param .b32 <it>;\ncall (<it>), __het_simd_mask;\nld.param.b32 <thread>, [<it>];\n}\n"
			      "setp.ne.u32 <private>, <thread>, 0;\n",
			      mask) +
		     in_names(own_slot) + in_names("@<private> bra <it>;\n", own) + shared + "bra " + done + ";\n" +
		     own + ":\n";
	if (bytes_) {
		auto memory = e_.new_name("frame");
		lines = ".local .align " + std::to_string(align_) + " .b8 " + memory + "[" + std::to_string(bytes_) +
			"];\n" + lines + in_names("cvta.local.u64 <frame>, <it>;\n", memory);
	}
	return lines + done + ":\n";
}

std::string stack_user::prologue()
{
	auto lines = f_.is_entry ? begin_stack() : begin_frame();
	for (const auto &a : variables_)
		if (a.offset)
			lines += filled("add.u64 <to>, <frame>, <offset>;\n",
					{{"to", a.address}, {"frame", frame_}, {"offset", std::to_string(a.offset)}});
	if (!lines.empty())
		lines.pop_back();
	return lines;
}

} // namespace het::ptx
