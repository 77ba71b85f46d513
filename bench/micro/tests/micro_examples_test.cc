// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/example_kernels.h"
#include "micro/examples.h"
#include "micro/tables.h"
#include "outcome.h"

#include <gtest/gtest.h>

using namespace micro;

namespace
{

json with(std::initializer_list<std::pair<const char *, double>> results)
{
	json all = json::array();
	for (const auto &[name, median] : results)
		all.push_back(json{{"name", name}, {"unit", "GB/s"}, {"median", median}});
	json facts = json::array();
	if (results.size() > 0) {
		facts.push_back(json{{"name", "warp.width"}, {"value", 4}});
		facts.push_back(json{{"name", "groups.of_256"}, {"value", 10}});
		facts.push_back(json{{"name", "l1.size"}, {"value", 4096}});
		facts.push_back(json{{"name", "l2.size"}, {"verdict", "not found"}, {"claim", 10 * 256 * 32}});
		facts.push_back(json{{"name", "l2.fetch"}, {"value", 32}});
	}
	return json{{"results", all}, {"facts", facts}};
}

} // namespace

TEST(examples, take_what_other_tests_found)
{
	const ceilings c = ceilings_of(with({{"bandwidth/global/read/sequential/64", 10},
					     {"bandwidth/global/read/sequential/128", 20},
					     {"bandwidth/global/both/sequential/128", 18},
					     {"bandwidth/global/write/shifted/128", 2},
					     {"vectors/1/128", 20},
					     {"vectors/4/64", 24},
					     {"vectors/4/128", 25},
					     {"vectors/4/256", 25.5},
					     {"bandwidth/local/read/128", 100},
					     {"arithmetic/rate/float fma/128", 60},
					     {"atomics/add/1", 9},
					     {"atomics/add/64", 32},
					     {"banks/1", 14},
					     {"banks/32", 45}}));
	EXPECT_EQ(c.read, 20);
	EXPECT_EQ(c.copy, 18);
	EXPECT_EQ(c.best_copy, 18);
	// Scans copy words, transforms numbers of two.
	const ceilings of_vectors = ceilings_of(with({{"bandwidth/global/both/sequential/128", 18},
						      {"copies/2/64", 20},
						      {"copies/2/128", 21},
						      {"copies/4/64", 22}}));
	EXPECT_EQ(of_vectors.best_copy, 22);
	EXPECT_EQ(predicted_scan(of_vectors, "groups", 256), 2 * 2048 / 18.0);
	EXPECT_EQ(predicted_fourier(of_vectors, "passes of 2", 100), 10 * 1600 / 21.0);
	EXPECT_EQ(c.spread_write, 2);
	EXPECT_EQ(c.vector_read, 25.5);
	EXPECT_EQ(c.vector_width, 4u);
	EXPECT_EQ(c.threads, 128u); // 25 is most of it, and 24 is not
	EXPECT_EQ(c.local_read, 100);
	EXPECT_EQ(c.fma, 60);
	EXPECT_EQ(c.change_ns, 0.5);
	EXPECT_EQ(c.conflict, 32);
	// The slower of reading and of adding; adding by few; reading of vectors.
	EXPECT_EQ(predicted_reduction(c, "each", 1000, 1000), 200);
	EXPECT_EQ(predicted_reduction(c, "each", 4000, 1000), 800);
	EXPECT_EQ(predicted_reduction(c, "rows", 1000, 400), 200 + 50);
	EXPECT_NEAR(predicted_reduction(c, "groups", 1000, 100), 4000 / 25.5, 1e-9);
	EXPECT_EQ(predicted_transpose(c, "each", 10), 400 / 20.0 + 400 / 2.0);
	EXPECT_EQ(predicted_transpose(c, "tiles", 10), 33 * 400 / 100.0); // conflicts
	EXPECT_EQ(predicted_transpose(c, "tiles, padded", 10), 800 / 18.0);
	EXPECT_EQ(predicted_product(c, "tiles", 10), 1000 * 8 / 100.0);
	EXPECT_EQ(predicted_product(c, "blocks", 10), 1000 / 60.0);
	EXPECT_EQ(predicted_product(c, "blocks, ahead", 10), 1000 / 60.0);
	// Eight passes; what is read and written twice; read, and then read and written.
	EXPECT_EQ(predicted_scan(c, "passes", 256), 8 * 2048 / 18.0);
	EXPECT_EQ(predicted_scan(c, "groups", 256), 2 * 2048 / 18.0);
	EXPECT_NEAR(predicted_scan(c, "groups, sums first", 256), 1024 / 25.5 + 2048 / 18.0, 1e-9);
	EXPECT_EQ(predicted_fourier(c, "passes of 2", 100), 10 * 1600 / 18.0);
	EXPECT_EQ(predicted_fourier(c, "passes of 4", 100), 5 * 1600 / 18.0);
	// Memory takes longer than local memory, also where threads want one bank.
	EXPECT_EQ(predicted_fourier(c, "groups", 100), 15 * 800 / 100.0 > 1600 / 18.0 ? 15 * 8.0 : 1600 / 18.0);
	EXPECT_EQ(predicted_fourier(c, "groups, padded", 100), 1600 / 18.0);
}

TEST(examples, say_nothing_of_what_is_not_known)
{
	const ceilings none = ceilings_of(with({}));
	for (const char *stage :
	     {"each", "rows", "groups", "tiles", "blocks", "blocks, ahead", "passes", "passes of 2"}) {
		EXPECT_EQ(predicted_reduction(none, stage, 1000, 100), 0) << stage;
		EXPECT_EQ(predicted_transpose(none, stage, 10), 0) << stage;
		EXPECT_EQ(predicted_product(none, stage, 10), 0) << stage;
		EXPECT_EQ(predicted_scan(none, stage, 1024), 0) << stage;
		EXPECT_EQ(predicted_fourier(none, stage, 1024), 0) << stage;
	}
}

// What threads write a row apart lies beside what others have written just before, if the cache still has that.
TEST(examples, are_written_to_a_cache_that_gathers)
{
	json document = with({{"bandwidth/global/read/sequential/64", 20},
			      {"bandwidth/global/both/sequential/64", 18},
			      {"bandwidth/global/write/shifted/64", 2},
			      {"bandwidth/cache/write/random/64", 8}});
	EXPECT_EQ(predicted_transpose(ceilings_of(document), "each", 10), 400 / 8.0);
	json facts = document["facts"];
	facts.push_back(
		json{{"name", "l3.size"}, {"value", 10 * 256 * 64 - 1}}); // lines of 64 bytes have too little room
	document["facts"] = facts;
	EXPECT_FALSE(ceilings_of(document, size_t{1} << 30).gathers); // what was found counts more than what is told
	EXPECT_EQ(predicted_transpose(ceilings_of(document), "each", 10), 400 / 20.0 + 400 / 2.0);
	facts = json::array();
	facts.push_back(json{{"name", "groups.of_256"}, {"value", 10}});
	document["facts"] = facts;
	EXPECT_FALSE(ceilings_of(document).gathers);
	EXPECT_TRUE(ceilings_of(document, 10 * 256 * 64).gathers);
}

// Where two things take as long, as much of the lower roof is reached as the roofline reaches of its own.
TEST(examples, overlap_as_the_roofline_does)
{
	const ceilings c = ceilings_of(with({{"bandwidth/local/read/64", 50},
					     {"arithmetic/rate/float fma/64", 50},
					     {"roofline/1", 10},
					     {"roofline/8", 72},
					     {"roofline/16", 80},
					     {"roofline/64", 99}}));
	EXPECT_EQ(c.overlap, 0.8);
	// 16 words of 4 bytes for 64 multiplications: both take 1/50 ns each.
	EXPECT_NEAR(predicted_product(c, "blocks", 10), 1000 / 50.0 / 0.8, 1e-9);
	// Multiplications alone would take an eighth as long: a quarter of the loss is left.
	EXPECT_NEAR(predicted_product(c, "tiles", 10), 1000 * 8 / 50.0 * (1 + 0.25 / 4), 1e-9);
}

// All stages of an example leave the same.
TEST(examples, have_right_results_in_each_stage)
{
	outcome o;
	run(o, {}, "examples", 1 << 14);
	const std::string refused = o.report.document()["refused"].dump();
	EXPECT_FALSE(o.records.failed()) << refused;
	ASSERT_EQ(o.report.document()["examples"].size(), 17u) << refused;
	const std::string text = tables_of(o.document());
	EXPECT_NE(text.find("tiles, padded"), std::string::npos);
	EXPECT_NE(text.find("not known"), std::string::npos); // no other test has run
}

TEST(examples, transposes_are_transposes)
{
	constexpr uint32_t n = 64;
	std::vector<uint32_t> from(n * n), each(n * n), tiles(n * n);
	for (uint32_t i = 0; i < n * n; i++)
		from[i] = i * 3 + 1;
	const argument a[] = {from.data(), each.data(), int(n)}, b[] = {from.data(), tiles.data(), int(n), 33};
	transpose_each.host(arguments(a), 0, n * n);
	transpose_tiles.host(arguments(b), 0, n * n / 4);
	for (uint32_t y = 0; y < n; y++)
		for (uint32_t x = 0; x < n; x++)
			ASSERT_EQ(each[x * n + y], from[y * n + x]);
	EXPECT_EQ(each, tiles);
}
