// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The text that the pass inspect puts into kernels. <d> stands for its prefix.
#pragma once

#include "ptx/passes/inspect.h"

#include <cstddef>
#include <string_view>

namespace het::ptx::inspect_code
{

static_assert(sizeof(inspect_table) == 88 && offsetof(inspect_table, reads) == 16 &&
	      offsetof(inspect_table, writes) == 24 && offsetof(inspect_table, sources) == 32 &&
	      offsetof(inspect_table, bounds) == 40 && offsetof(inspect_table, counts) == 48 &&
	      offsetof(inspect_table, result) == 56 && offsetof(inspect_table, page) == 64 &&
	      offsetof(inspect_table, stride) == 68 && offsetof(inspect_table, groups) == 72 &&
	      offsetof(inspect_table, dimension) == 76 && offsetof(inspect_table, steps) == 80 &&
	      offsetof(inspect_table, skipped) == 84 && offsetof(inspect_result, missed) == 4);

constexpr std::string_view table = ".visible .const .align 8 .b8 <d>table[88];";

// So many marks are set together, where a straight line of code ends.
constexpr unsigned most_marks = 4;
constexpr std::string_view begin = R"(.reg .pred %<d>p, %<d>in, %<d>ok, %<d>m;
.reg .b32 %<d>n, %<d>g, %<d>h, %<d>steps, %<d>set<4>;
.reg .b64 %<d>a, %<d>b, %<d>c, %<d>page, %<d>row, %<d>cell<4>;
mov.u32 %<d>steps, 0;
mov.u32 %<d>n, %ctaid.x;
ld.const.u32 %<d>g, [<d>table+76];
setp.eq.u32 %<d>p, %<d>g, 1;
@%<d>p mov.u32 %<d>n, %ctaid.y;
setp.eq.u32 %<d>p, %<d>g, 2;
@%<d>p mov.u32 %<d>n, %ctaid.z;
ld.const.u32 %<d>g, [<d>table+72];
setp.eq.u32 %<d>p, %<d>g, 0;
@%<d>p mov.u32 %<d>g, -1;
div.u32 %<d>n, %<d>n, %<d>g;
ld.const.u32 %<d>g, [<d>table+68];
mul.wide.u32 %<d>row, %<d>n, %<d>g;)";

// A block of a kernel leaves if it is not asked for, or if another thread was cut off, as nobody wants the marks then.
constexpr std::string_view begin_of_kernel = R"(mov.u32 %<d>n, %ctaid.x;
mov.u32 %<d>g, %ctaid.y;
mad.lo.u32 %<d>n, %<d>n, 0x9e3779b1, %<d>g;
mov.u32 %<d>g, %ctaid.z;
mad.lo.u32 %<d>n, %<d>n, 0x85ebca6b, %<d>g;
mul.lo.u32 %<d>n, %<d>n, 0x9e3779b1;
shr.u32 %<d>n, %<d>n, 16;
ld.const.u32 %<d>g, [<d>table+84];
and.b32 %<d>n, %<d>n, %<d>g;
setp.ne.u32 %<d>p, %<d>n, 0;
ld.const.u64 %<d>c, [<d>table+8];
setp.eq.or.u64 %<d>p, %<d>c, 0, %<d>p;
@%<d>p exit;
ld.const.u64 %<d>c, [<d>table+56];
ld.volatile.global.u32 %<d>n, [%<d>c];
setp.ne.u32 %<d>p, %<d>n, 0;
@%<d>p exit;)";

constexpr std::string_view loop = R"(add.u32 %<d>steps, %<d>steps, 1;
ld.const.u32 %<d>n, [<d>table+80];
setp.gt.u32 %<d>p, %<d>steps, %<d>n;
ld.const.u64 %<d>c, [<d>table+56];
@%<d>p st.global.u32 [%<d>c], 1;
@%<d>p exit;)";

// The address is in %<d>a, or -1 for lanes without an access, which no range has. It is in a page of the range then.
constexpr std::string_view find = R"(ld.const.u64 %<d>c, [<d>table];
sub.u64 %<d>a, %<d>a, %<d>c;
ld.const.u64 %<d>c, [<d>table+8];
setp.lt.u64 %<d>in, %<d>a, %<d>c;
ld.const.u32 %<d>g, [<d>table+64];
shr.u64 %<d>page, %<d>a, %<d>g;)";

constexpr std::string_view count = R"(ld.const.u64 %<d>c, [<d>table+48];
setp.ne.and.u64 %<d>p, %<d>c, 0, %<d>in;
shl.b64 %<d>b, %<d>page, 3;
add.u64 %<d>c, %<d>c, %<d>b;
@%<d>p red.global.add.u64 [%<d>c], 1;)";

// <k> is the number of the mark, and <matrix> where the table has the matrix' address.
constexpr std::string_view look = R"(ld.const.u64 %<d>c, [<d>table+<matrix>];
add.u64 %<d>c, %<d>c, %<d>row;
add.u64 %<d>cell<k>, %<d>c, %<d>page;
mov.u32 %<d>set<k>, 1;
@%<d>in ld.global.u8 %<d>set<k>, [%<d>cell<k>];)";

constexpr std::string_view set = R"(setp.eq.u32 %<d>p, %<d>set<k>, 0;
@%<d>p st.global.u8 [%<d>cell<k>], 1;)";

// All of <bytes> may be loaded, and the address is aligned for that.
constexpr std::string_view may_load = R"(ld.const.u64 %<d>c, [<d>table+40];
setp.ne.and.u64 %<d>p, %<d>c, 0, %<d>in;
shl.b64 %<d>b, %<d>page, 3;
add.u64 %<d>c, %<d>c, %<d>b;
mov.u64 %<d>b, 0xffffffff00000000;
@%<d>p ld.global.u64 %<d>b, [%<d>c];
shl.b64 %<d>c, %<d>page, %<d>g;
sub.u64 %<d>a, %<d>a, %<d>c;
cvt.u32.u64 %<d>n, %<d>a;
rem.u32 %<d>g, %<d>n, <bytes>;
setp.eq.and.u32 %<d>ok, %<d>g, 0, %<d>in;
mov.b64 {%<d>g, %<d>h}, %<d>b;
setp.ge.and.u32 %<d>ok, %<d>n, %<d>g, %<d>ok;
add.u32 %<d>n, %<d>n, <bytes>;
setp.le.and.u32 %<d>ok, %<d>n, %<d>h, %<d>ok;)";

// These stand before find, and behind may_load, for generic addresses: those of other spaces may be loaded.
constexpr std::string_view is_global = R"(isspacep.global %<d>m, %<d>a;)";
constexpr std::string_view may_load_others = R"(not.pred %<d>m, %<d>m;
or.pred %<d>ok, %<d>ok, %<d>m;)";

// A lane that <wants> to load and may not.
constexpr std::string_view missed = R"(not.pred %<d>m, %<d>ok;<wants>
ld.const.u64 %<d>c, [<d>table+56];
@%<d>m st.global.u32 [%<d>c+4], 1;)";

// Nothing is written to global memory.
constexpr std::string_view may_store = R"(isspacep.shared %<d>ok, %<d>a;
isspacep.local %<d>p, %<d>a;
or.pred %<d>ok, %<d>ok, %<d>p;)";

} // namespace het::ptx::inspect_code
