// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// What is pure of the model: Chimera's choice, PEP's selector and the five ways, registers' places, parameters.
#include "pep/allocation.h"
#include "pep/chimera.h"
#include "pep/machine.h"
#include "pep/selector.h"

#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

using namespace pep;

// --- PEP's selector ---------------------------------------------------------------------------------------------

// All orders of the three times: a block drains if it ends before the launch, or before it could be saved.
TEST(selector, every_order_of_end_launch_and_checkpoint)
{
	for (const double left : {0, 1, 2, 3})
		for (const double lead : {-1, 0, 1, 2, 3})
			for (const double saving : {0, 1, 2, 3}) {
				const bool outlasts = left > lead && left > saving;
				EXPECT_EQ(choose_when_announced({left, lead, saving}) == when_announced::base, outlasts)
					<< left << lead << saving;
				EXPECT_EQ(choose_when_there(left, saving) == when_there::save, left > saving);
			}
}

TEST(selector, the_five_ways)
{
	EXPECT_EQ(leaving_of(true, true, false), leaving::base_and_delta);
	EXPECT_EQ(leaving_of(true, false, false), leaving::one_checkpoint);
	EXPECT_EQ(leaving_of(true, false, true), leaving::drain_then_one);
	EXPECT_EQ(leaving_of(true, true, true), leaving::drain_then_base);
	for (const bool had_base : {false, true})
		for (const bool after_drain : {false, true})
			EXPECT_EQ(leaving_of(false, had_base, after_drain), leaving::drain);
}

// --- Chimera ----------------------------------------------------------------------------------------------------

// The choice is compared with what is best of all that is allowed, by its definition.
TEST(chimera, takes_what_loses_least_of_what_is_in_time_else_the_quickest)
{
	unsigned saves = 0, drains = 0, flushes = 0;
	for (const double done : {0, 30, 60, 100})
		for (const double most : {60, 100})
			for (const double rate : {0.0, 0.5, 2.0})
				for (const double switching : {5, 40})
					for (const bool may_flush : {false, true})
						for (const double limit : {1, 20, 50, 200}) {
							const chimera_block b = {done, 100,       most,
										 rate, switching, may_flush};
							const chimera_choice c = choose_chimera(b, limit);
							const double drain = rate > 0 ? (100 - done) / rate : 1e300;
							std::vector<chimera_choice> all = {
								{way_out::save, switching, 2 * switching * rate},
								{way_out::drain, drain, std::max(0.0, most - done)}};
							if (may_flush)
								all.push_back({way_out::flush, 0, done});
							bool any_in_time = false;
							for (const chimera_choice &o : all)
								any_in_time |= o.cycles <= limit;
							for (const chimera_choice &o : all) {
								if (any_in_time && o.cycles <= limit) {
									EXPECT_LE(c.cycles, limit);
									EXPECT_LE(c.lost, o.lost);
								}
								if (!any_in_time) {
									EXPECT_LE(c.cycles, o.cycles);
								}
							}
							saves += c.way == way_out::save;
							drains += c.way == way_out::drain;
							flushes += c.way == way_out::flush;
							EXPECT_TRUE(may_flush || c.way != way_out::flush);
						}
	EXPECT_GT(saves, 0u);
	EXPECT_GT(drains, 0u);
	EXPECT_GT(flushes, 0u);
}

// --- registers --------------------------------------------------------------------------------------------------

namespace
{

allocation allocation_of(const std::string &body)
{
	het::ptx::module m;
	const std::string text = ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
				 ".reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %d<5>;\n" +
				 body + "ret;\n}\n";
	const auto wrong = het::ptx::parse(text, m);
	EXPECT_FALSE(wrong) << wrong->describe();
	return allocate(m, *m.find_function("k"));
}

} // namespace

TEST(allocation, what_lives_at_once_has_places_of_its_own)
{
	// Three values live before they are added, and the sums take their places.
	const allocation a = allocation_of("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
					   "add.u32 %r4, %r1, %r2;\nadd.u32 %r5, %r4, %r3;\nadd.u32 %r6, %r5, %r5;\n");
	EXPECT_EQ(a.registers, 3u);
	EXPECT_EQ(a.predicates, 0u);
}

TEST(allocation, sixty_four_bits_take_two_and_parameters_and_predicates_none)
{
	const allocation a =
		allocation_of("ld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, 4;\n"
			      "add.u64 %d3, %d1, %d2;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%d3], %r1;\n");
	EXPECT_EQ(a.registers, 3u); // %r1, and %d2 or %d3
	EXPECT_EQ(a.predicates, 1u);
}

// What goes round a loop lives in all of it, however far behind it is used.
TEST(allocation, a_loop_keeps_its_values)
{
	const allocation a = allocation_of("mov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\nL:\nadd.u32 %r3, %r2, 7;\n"
					   "mov.u32 %r2, %r3;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\n"
					   "add.u32 %r4, %r1, %r2;\nadd.u32 %r5, %r4, %r4;\n");
	EXPECT_EQ(a.registers, 2u); // %r3 is a copy, and has the place of %r2
}

// What is written just before a label lives behind it.
TEST(allocation, a_value_lives_on_into_the_next_block)
{
	const allocation a = allocation_of("mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nL:\nadd.u32 %r3, %r1, %r2;\n"
					   "setp.lt.u32 %p1, %r3, 100;\n@%p1 bra L;\n");
	EXPECT_EQ(a.registers, 3u);
}

// Nothing that is written may lie where something lives that is read later.
TEST(allocation, no_write_destroys_what_is_read_later)
{
	const std::string body = "mov.u32 %r1, 1;\nmov.u32 %r2, 2;\nadd.u32 %r3, %r1, %r2;\nmov.u32 %r4, %r3;\n"
				 "add.u32 %r3, %r3, 1;\nadd.u32 %r5, %r4, %r3;\nadd.u32 %r6, %r5, %r1;\n";
	const allocation a = allocation_of(body);
	std::vector<unsigned> values(a.registers);
	// The statements in order, on values by place.
	const auto write = [&](size_t n, unsigned v) { values[a.uses[n].writes.at(0)] = v; };
	const auto read = [&](size_t n, size_t i) { return values[a.uses[n].reads.at(i)]; };
	size_t n = 0;
	while (a.uses[n].writes.empty())
		n++;
	write(n, 1);
	write(n + 1, 2);
	write(n + 2, read(n + 2, 0) + read(n + 2, 1));
	write(n + 3, read(n + 3, 0));
	write(n + 4, read(n + 4, 0) + 1);
	write(n + 5, read(n + 5, 0) + read(n + 5, 1));
	write(n + 6, read(n + 6, 0) + read(n + 6, 1));
	EXPECT_EQ(values[a.uses[n + 6].writes.at(0)], 3u + 4 + 1);
}

// --- the machine ------------------------------------------------------------------------------------------------

TEST(machine, parameters_have_names_and_come_from_files)
{
	machine m;
	set(m, "processors=7");
	set(m, "trap_us=0");
	EXPECT_EQ(m.processors, 7u);
	for (const char *wrong :
	     {"processors", "processors=", "processors=x", "processors=0", "nothing=1", "trap_us=-1"})
		EXPECT_THROW(set(m, wrong), std::invalid_argument) << wrong;
	const std::string path = testing::TempDir() + "pep_parameters";
	std::ofstream(path) << "# a file\nprocessors = 3 # of them\n\n\tcontrollers=2\n";
	set_from_file(m, path);
	EXPECT_EQ(m.processors, 3u);
	EXPECT_EQ(m.controllers, 2u);
	std::remove(path.c_str());
	EXPECT_THROW(set_from_file(m, path), std::runtime_error);
}

// The file that names their sources has all of them, with the values that the program has.
TEST(machine, the_file_of_the_gtx_980_is_what_there_is_by_itself)
{
	std::ifstream file(PEP_PARAMETERS);
	const std::string text{std::istreambuf_iterator<char>(file), {}};
	machine m, other;
	for (const model::parameter &p : parameters_of(m)) {
		EXPECT_NE(text.find("\n" + p.name + " = "), std::string::npos) << p.name;
		set(m, p.name + "=12345");
	}
	set_from_file(m, PEP_PARAMETERS);
	const std::vector<model::parameter> all = parameters_of(m), expected = parameters_of(other);
	for (size_t i = 0; i < all.size(); i++)
		EXPECT_EQ(all[i].value, expected[i].value) << all[i].name;
}

TEST(machine, a_smaller_one_gives_each_processor_the_same)
{
	const machine m;
	for (const unsigned factor : {1u, 2u, 4u, 8u, 16u}) {
		const machine s = scaled(m, factor);
		EXPECT_EQ(s.processors, 16 / factor);
		EXPECT_NEAR(s.share(), m.share(), 1e-9);
	}
	// 224 GB/s for 16 processors.
	EXPECT_NEAR(m.share() * m.clock_mhz * 1e6 * 16, 224e9, 1e6);
}
