// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/passes/block_place.h"

#include "ptx/passes/access.h"

namespace het::ptx
{

const std::string_view number_of_block = R"(	mul.wide.u32 %n, %z, %ny;
	cvt.u64.u32 %d, %y;
	add.u64 %n, %n, %d;
	cvt.u64.u32 %d, %nx;
	mul.lo.u64 %n, %n, %d;
	cvt.u64.u32 %d, %x;
	add.u64 %n, %n, %d;
	setp.eq.u64 %p, %t, 0;
	@%p bra $consecutive;
	shl.b64 %n, %n, 3;
	add.u64 %t, %t, %n;
	ld.global.u64 %n, [%t];
	bra $numbered;
$consecutive:
	ld.global.u64 %t, [%c+16];
	add.u64 %n, %n, %t;
$numbered:
)";

// In grids of one dimension the number is the index.
const std::string_view place_of_number = R"(	ld.global.u32 %nx, [%c];
	ld.global.u32 %ny, [%c+4];
	ld.global.u32 %nz, [%c+8];
	cvt.u32.u64 %x, %n;
	mov.u32 %y, 0;
	mov.u32 %z, 0;
	cvt.u64.u32 %t, %nx;
	setp.lt.u64 %p, %n, %t;
	@%p bra $store;
	div.u64 %d, %n, %t;
	mul.lo.u64 %t, %d, %t;
	sub.u64 %t, %n, %t;
	cvt.u32.u64 %x, %t;
	cvt.u64.u32 %t, %ny;
	div.u64 %n, %d, %t;
	cvt.u32.u64 %z, %n;
	mul.lo.u64 %t, %n, %t;
	sub.u64 %t, %d, %t;
	cvt.u32.u64 %y, %t;
	bra $store;
$leave:
	ld.global.u64 %d, [%c+32];
	atom.global.add.u64 %t, [%c+40], 1;
	shl.b64 %t, %t, 3;
	add.u64 %d, %d, %t;
	st.global.u64 [%d], %n;
$store:
	st.shared.u32 [<block>], %x;
	st.shared.u32 [<block>+4], %y;
	st.shared.u32 [<block>+8], %z;
	st.shared.u32 [<block>+12], %leave;
	st.shared.u32 [<block>+16], %nx;
	st.shared.u32 [<block>+20], %ny;
	st.shared.u32 [<block>+24], %nz;
)";

std::string replace_block_registers(const module &m, const function &f, std::string_view block, editor *e)
{
	std::array<std::string, block_registers.size()> names;
	std::string loads;
	for (const statement &s : m.statements_of(f)) {
		if (s.kind != statement::kind_t::instruction)
			continue;
		for (span where : registers_of(m, s)) {
			for (size_t k = 0; k < block_registers.size(); k++) {
				if (m.str(where) != block_registers[k])
					continue;
				if (names[k].empty()) {
					names[k] = e->new_register(f, type::b32);
					loads += (loads.empty() ? "" : "\n") + ("ld.shared.u32 " + names[k]) + ", [" +
						 std::string(block) + "+" + std::to_string(4 * k) + "];";
				}
				e->replace(where, names[k]);
			}
		}
	}
	return loads;
}

} // namespace het::ptx
