// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// The kernel puts its last parameter's first words to an address, one a thread. Sources in CUDA would first copy a
// parameter that is indexed by a thread's number to the thread's own memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace het_omp
{

// These are its parameters as a block.
struct put_block {
	static constexpr size_t most_words = 64;
	uint64_t to, words;
	uint32_t word[most_words];
};

inline constexpr char put_kernel_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
.visible .entry put(
	.param .u64 put_to,
	.param .u64 put_words,
	.param .align 4 .b8 put_word[256]
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<7>;
	ld.param.u64 	%rd1, [put_to];
	ld.param.u64 	%rd2, [put_words];
	mov.u32 	%r1, %tid.x;
	cvt.u64.u32 	%rd3, %r1;
	setp.ge.u64 	%p1, %rd3, %rd2;
	@%p1 bra 	$done;
	mov.b64 	%rd4, put_word;
	mad.wide.u32 	%rd5, %r1, 4, %rd4;
	ld.param.u32 	%r2, [%rd5];
	cvta.to.global.u64 	%rd6, %rd1;
	mad.wide.u32 	%rd6, %r1, 4, %rd6;
	st.global.u32 	[%rd6], %r2;
$done:
	ret;
}
)ptx";

} // namespace het_omp
