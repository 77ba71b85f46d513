// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// A kernel puts its last parameter's first words to an address. Sources in CUDA would first copy a parameter that is
// indexed by a thread's number to the thread's own memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace het_omp
{

// These are its parameters as a block. A launch takes all of it, so one kernel is for few bytes and one for many.
template <size_t nbytes> struct put_block {
	uint64_t to, words;
	uint32_t word[nbytes / sizeof(uint32_t)];
};
using small_put = put_block<256>;
using large_put = put_block<4096>;
static_assert(sizeof(large_put) <= 4352, "PTX allows so many bytes of parameters");

constexpr size_t put_threads = 64;

inline constexpr char put_kernel_ptx[] = R"ptx(
.version 6.0
.target sm_70
.address_size 64
.visible .entry put(
	.param .u64 put_to,
	.param .u64 put_words,
	.param .align 4 .b8 put_word[####]
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<4>;
	.reg .b64 	%rd<8>;
	ld.param.u64 	%rd1, [put_to];
	ld.param.u64 	%rd2, [put_words];
	cvta.to.global.u64 	%rd1, %rd1;
	mov.b64 	%rd3, put_word;
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, %ntid.x;
	cvt.u64.u32 	%rd4, %r1;
	cvt.u64.u32 	%rd5, %r2;
$next:
	setp.ge.u64 	%p1, %rd4, %rd2;
	@%p1 bra 	$done;
	shl.b64 	%rd6, %rd4, 2;
	add.s64 	%rd7, %rd3, %rd6;
	ld.param.u32 	%r3, [%rd7];
	add.s64 	%rd7, %rd1, %rd6;
	st.global.u32 	[%rd7], %r3;
	add.s64 	%rd4, %rd4, %rd5;
	bra 	$next;
$done:
	ret;
}
)ptx";

// The two differ in the size of the last parameter.
consteval auto put_kernel_of(const char (&bytes)[5])
{
	std::array<char, sizeof put_kernel_ptx> text = {};
	std::ranges::copy(put_kernel_ptx, text.begin());
	std::ranges::copy_n(bytes, 4, std::ranges::find(text, '#'));
	return text;
}
inline constexpr auto small_put_ptx = put_kernel_of(" 256"), large_put_ptx = put_kernel_of("4096");

} // namespace het_omp
