// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "micro/planted.h"
#include "micro/resume.h"
#include "micro/suite.h"

#include <gtest/gtest.h>
#include <set>

using namespace micro;

namespace
{

struct stop {
};

// Runs tests of a planted device, but stops when a test tells of what it is doing.
json run(const std::vector<std::string> &tests, const std::string &stop_at, const json *earlier)
{
	planted_target dut({});
	bench::report out("planted", {{"seed", 1}});
	out.document()["device"] = dut.describe();
	recorder records(out);
	choice what;
	what.only = tests;
	what.smallest = true;
	if (earlier)
		what.finished = take_finished(out.document(), *earlier);
	try {
		run_tests(dut, records, what, [&](const std::string &doing) {
			if (!stop_at.empty() && doing.starts_with(stop_at))
				throw stop();
		});
	} catch (const stop &) {
	}
	return out.document();
}

std::multiset<std::string> names_in(const json &document, const char *list)
{
	std::multiset<std::string> names;
	for (const json &r : document[list])
		names.insert(r.at("name").get<std::string>());
	return names;
}

const std::vector<std::string> tests = {"local-latency", "gather", "strides"};

} // namespace

TEST(resume, has_what_a_whole_run_has)
{
	const json whole = run(tests, "", nullptr);
	// It is stopped in its last test, which has left a part of its figures.
	const json part = run(tests, "strides: 4 words", nullptr);
	ASSERT_LT(part["results"].size(), whole["results"].size());
	ASSERT_EQ(part["finished"].size(), 2u);
	const json rest = run(tests, "", &part);
	EXPECT_EQ(rest["finished"].size(), 3u);
	EXPECT_EQ(names_in(rest, "facts"), names_in(whole, "facts"));
	std::multiset<std::string> expected = names_in(whole, "results"), found = names_in(rest, "results");
	for (std::multiset<std::string> *all : {&expected, &found})
		std::erase_if(*all, [](const std::string &name) { return name.starts_with("reference/"); });
	EXPECT_EQ(found, expected);
	// What was there is not measured again.
	for (const json &before : part["results"])
		for (const json &after : rest["results"])
			if (before["name"] == "spread/gather/64" && after["name"] == before["name"]) {
				EXPECT_EQ(after, before);
			}
}

TEST(resume, refuses_what_is_not_alike)
{
	const json part = run({"gather"}, "", nullptr);
	for (const char *what : {"program", "commit", "settings", "device"}) {
		json other = part, document = part;
		other[what] = "another";
		EXPECT_THROW(take_finished(document, other), std::runtime_error) << what;
	}
}

TEST(resume, of_a_run_that_finished_nothing_begins_anew)
{
	const json nothing = run({"gather"}, "gather: begins", nullptr);
	const json all = run({"gather"}, "", &nothing);
	EXPECT_EQ(all["finished"].size(), 1u);
}
