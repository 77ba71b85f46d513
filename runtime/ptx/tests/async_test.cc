// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests mbarrier objects and bulk copies.
#include "device.h"

namespace het::ptx::simt
{

namespace
{

// Makes a kernel k(buffer) with %t = tid.x, %b = the buffer, the shared array s and an mbarrier at bar.
std::string kernel(const std::string &body)
{
	return with_header(".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[1024];\n"
			   ".entry k(.param .u64 buffer)\n{\n.reg .b32 %t, %r<10>;\n.reg .b64 %b, %d<10>;\n"
			   ".reg .pred %p<4>;\nld.param.u64 %b, [buffer];\nmov.u32 %t, %tid.x;\n" +
			   body + "\nret;\n}\n");
}

// Thread 0 initialises the mbarrier for @n arrivals, and the others wait for that.
std::string with_barrier(unsigned n, const std::string &body)
{
	return kernel("setp.eq.u32 %p0, %t, 0;\n@%p0 mbarrier.init.shared::cta.b64 [bar], " + std::to_string(n) +
		      ";\nbar.sync 0;\n" + body);
}

// Returns what one thread leaves in the buffer's words.
std::vector<uint64_t> words_of(const std::string &body)
{
	std::vector<uint64_t> out(8);
	device d(with_barrier(3, body), true);
	d.with.check_defined = true;
	d.must_run("k", {1}, {1}, d.share(out));
	return out;
}

std::string error_of(const std::string &text, unsigned threads = 1)
{
	std::vector<uint64_t> out(8);
	device d(text);
	auto done = d.run("k", {1}, {threads}, d.share(out));
	return done.error ? done.error->describe() : "";
}

} // namespace

TEST(Mbarriers, CountArrivals)
{
	auto got =
		words_of("mbarrier.arrive.shared.b64 %d0, [bar];\nmbarrier.pending_count.b64 %r0, %d0;\n"
			 "st.global.u32 [%b], %r0;\n"
			 "mbarrier.arrive.noComplete.shared.b64 %d1, [bar], 1;\nmbarrier.pending_count.b64 %r0, %d1;\n"
			 "st.global.u32 [%b+8], %r0;\n"
			 "mbarrier.test_wait.shared.b64 %p1, [bar], %d0;\nselp.u32 %r0, 1, 0, %p1;\n"
			 "st.global.u32 [%b+16], %r0;\n"
			 "mbarrier.arrive.shared.b64 _, [bar];\n"
			 "mbarrier.test_wait.shared.b64 %p1, [bar], %d0;\nselp.u32 %r0, 1, 0, %p1;\n"
			 "st.global.u32 [%b+24], %r0;\n"
			 "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 1000;\nselp.u32 %r0, 1, 0, %p1;\n"
			 "st.global.u32 [%b+32], %r0;\n"
			 "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 1;\nselp.u32 %r0, 1, 0, %p1;\n"
			 "st.global.u32 [%b+40], %r0;\n"
			 "mbarrier.arrive.shared.b64 %d0, [bar], 2;\nmbarrier.pending_count.b64 %r0, %d0;\n"
			 "st.global.u32 [%b+48], %r0;\nmbarrier.inval.shared.b64 [bar];");
	EXPECT_EQ(got, (std::vector<uint64_t>{3, 2, 0, 1, 1, 0, 3, 0}));
}

TEST(Mbarriers, ThoseWhoDropAreNotWaitedForAgain)
{
	auto got = words_of("mbarrier.arrive_drop.shared.b64 %d0, [bar], 2;\nmbarrier.arrive.shared.b64 %d1, [bar];\n"
			    "mbarrier.arrive.shared.b64 %d2, [bar];\nmbarrier.pending_count.b64 %r0, %d2;\n"
			    "st.global.u32 [%b], %r0;\nmbarrier.test_wait.shared.b64 %p1, [bar], %d2;\n"
			    "selp.u32 %r0, 1, 0, %p1;\nst.global.u32 [%b+8], %r0;");
	EXPECT_EQ(got[0], 1u);
	EXPECT_EQ(got[1], 1u);
}

TEST(Mbarriers, WaitForBytesToo)
{
	auto got = words_of("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n"
			    "mbarrier.arrive.shared.b64 %d0, [bar], 3;\n"
			    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\nselp.u32 %r0, 1, 0, %p1;\n"
			    "st.global.u32 [%b], %r0;\n"
			    "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 16;\n"
			    "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\nselp.u32 %r0, 1, 0, %p1;\n"
			    "st.global.u32 [%b+8], %r0;\n");
	EXPECT_EQ(got[0], 0u);
	EXPECT_EQ(got[1], 1u);
}

// Threads of several warps hand bytes on in rounds: what one has written the next one reads once the phase is over.
TEST(Mbarriers, KeepThreadsInStep)
{
	constexpr unsigned threads = 96, rounds = 5;
	auto text = with_barrier(
		threads, "mov.u32 %r0, s;\nmov.u32 %r1, 0;\nshl.b32 %r2, %t, 2;\nadd.u32 %r2, %r2, %r0;\n"
			 "add.u32 %r3, %t, 1;\nrem.u32 %r3, %r3, 96;\nshl.b32 %r3, %r3, 2;\nadd.u32 %r3, %r3, %r0;\n"
			 "mov.u32 %r4, %t;\nround:\nst.shared.u32 [%r2], %r4;\n"
			 "mbarrier.arrive.shared.b64 %d0, [bar];\n"
			 "wait:\nmbarrier.try_wait.shared.b64 %p1, [bar], %d0;\n@!%p1 bra wait;\n"
			 "ld.shared.u32 %r4, [%r3];\nmbarrier.arrive.shared.b64 %d0, [bar];\n"
			 "again:\nmbarrier.try_wait.shared.b64 %p1, [bar], %d0;\n@!%p1 bra again;\n"
			 "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 5;\n@%p2 bra round;\n"
			 "mul.wide.u32 %d1, %t, 4;\nadd.u64 %d1, %d1, %b;\nst.global.u32 [%d1], %r4;");
	for (const auto &mode : both_modes(true)) {
		std::vector<uint32_t> out(threads);
		device d(text, true);
		d.with = mode;
		d.must_run("k", {1}, {threads}, d.share(out));
		for (unsigned t = 0; t < threads; t++)
			EXPECT_EQ(out[t], (t + rounds) % threads);
	}
}

TEST(Mbarriers, MisuseIsAFault)
{
	EXPECT_NE(error_of(kernel("mbarrier.arrive.shared.b64 %d0, [bar];")).find("there is no mbarrier here"),
		  std::string::npos);
	EXPECT_NE(error_of(with_barrier(1, "mbarrier.arrive.shared.b64 %d0, [bar], 2;"))
			  .find("2 arrive at an mbarrier that waits for 1"),
		  std::string::npos);
	EXPECT_NE(error_of(kernel("mbarrier.init.shared.b64 [bar], 0;")).find("0 arrivals"), std::string::npos);
	EXPECT_NE(error_of(kernel("mbarrier.init.shared.b64 [s+4], 1;")).find("not aligned"), std::string::npos);
	auto unknown = error_of(kernel("mbarrier.arrive_drop.expect_tx.shared.b64 %d0, [bar], 2;"));
	EXPECT_NE(unknown.find("13:1"), std::string::npos) << unknown;
	EXPECT_NE(unknown.find("this operation on an mbarrier"), std::string::npos) << unknown;
}

TEST(BulkCopies, GoThereAndBack)
{
	std::vector<uint8_t> bytes(512);
	for (size_t i = 0; i < 256; i++)
		bytes[i] = uint8_t(i * 5 + 3);
	auto text = with_barrier(
		1, "@!%p0 bra wait;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;\n"
		   "cp.async.bulk.prefetch.L2.global [%b], 256;\nmov.u32 %r1, 192;\n"
		   "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%b], 64, [bar];\n"
		   "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s+64], [%b+64], %r1, [bar];\n"
		   "wait:\nmbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra wait;\n"
		   "mov.u32 %r2, s;\nshl.b32 %r3, %t, 2;\nadd.u32 %r2, %r2, %r3;\nld.shared.u32 %r4, [%r2];\n"
		   "not.b32 %r4, %r4;\nst.shared.u32 [%r2], %r4;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
		   "@!%p0 bra over;\ncp.async.bulk.global.shared::cta.bulk_group [%b+256], [s], 256;\n"
		   "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nover:");
	for (const auto &mode : both_modes(true)) {
		auto now = bytes;
		device d(text, true);
		d.with = mode;
		d.must_run("k", {1}, {64}, d.share(now));
		for (size_t i = 0; i < 256; i++)
			EXPECT_EQ(now[256 + i], uint8_t(~bytes[i])) << i;
	}
}

TEST(BulkCopies, FaultsNameThePlace)
{
	auto copy = [](const char *what) { return error_of(with_barrier(1, what)); };
	EXPECT_NE(copy("cp.async.bulk.global.shared::cta.bulk_group [%b], [s], 24;").find("no multiple of 16"),
		  std::string::npos);
	EXPECT_NE(copy("cp.async.bulk.global.shared::cta.bulk_group [%b+8], [s], 16;").find("not aligned"),
		  std::string::npos);
	EXPECT_NE(copy("cp.async.bulk.global.shared::cta.bulk_group [%b], [s], 80;").find("behind the buffer"),
		  std::string::npos);
	auto tensor = copy(
		"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%b, {%r1}], [bar];");
	EXPECT_NE(tensor.find("this kind of bulk copy"), std::string::npos) << tensor;
}

TEST(BulkCopies, CopiesOfThreadsArriveToo)
{
	auto text = with_barrier(
		32, "mul.wide.u32 %d0, %t, 4;\nadd.u64 %d0, %d0, %b;\nmov.u32 %r0, s;\nshl.b32 %r1, %t, 2;\n"
		    "add.u32 %r0, %r0, %r1;\ncp.async.ca.shared.global [%r0], [%d0], 4;\n"
		    "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n"
		    "wait:\nmbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;\n@!%p1 bra wait;\n"
		    "ld.shared.u32 %r2, [%r0];\nst.global.u32 [%d0+128], %r2;");
	std::vector<uint32_t> words(64, 7);
	device d(text);
	d.must_run("k", {1}, {32}, d.share(words));
	EXPECT_EQ(words[63], 7u);
}

} // namespace het::ptx::simt
