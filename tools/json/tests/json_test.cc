// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "json/json.h"

#include <cmath>
#include <gtest/gtest.h>

using het::json;

namespace
{

// Writes what was read as text again.
std::string again(std::string_view text)
{
	return json::parse(text).dump();
}

TEST(json, is_built_from_braces_and_keeps_the_order)
{
	const std::vector<double> samples = {1.5, 2};
	json j = {{"z", 1}, {"a", {{"inner", "text"}}}, {"samples", samples}, {"none", nullptr}, {"yes", true}};
	j["more"].push_back("x");
	j["more"].push_back(json::object());
	EXPECT_EQ(j.dump(),
		  R"({"z":1,"a":{"inner":"text"},"samples":[1.5,2.0],"none":null,"yes":true,"more":["x",{}]})");
}

TEST(json, braces_with_two_texts_are_a_member)
{
	EXPECT_EQ((json{{"a", "b"}}).dump(), R"({"a":"b"})");
	EXPECT_EQ((json{{"a", "b"}, {"c", "d"}}).dump(), R"({"a":"b","c":"d"})");
}

TEST(json, indents)
{
	json j = {{"plain", std::vector<int>{1, 2}}, {"empty", json::array()}};
	j["deep"].push_back({{"a", 1}});
	EXPECT_EQ(j.dump("\t"), "{\n\t\"plain\": [\n\t\t1,\n\t\t2\n\t],\n\t\"empty\": [],\n\t\"deep\": "
				"[\n\t\t{\n\t\t\t\"a\": 1\n\t\t}\n\t]\n}");
}

TEST(json, numbers_come_back_as_they_were)
{
	for (double d : {0.1, 1e300, -4.9e-324, 1e22, 123456789.0, 1 / 3.0})
		EXPECT_EQ(json::parse(json(d).dump()).get<double>(), d);
	EXPECT_EQ(again("[18446744073709551615,-9223372036854775808,0,-1,2.5e-3]"),
		  "[18446744073709551615,-9223372036854775808,0,-1,0.0025]");
	EXPECT_EQ(json(5), json(size_t{5}));
	EXPECT_EQ(json(2.0).dump(), "2.0");
	EXPECT_EQ(json(std::nan("")).dump(), "null");
	EXPECT_EQ(json(INFINITY).dump(), "null");
}

TEST(json, numbers_must_fit)
{
	EXPECT_EQ(json(-1).get<int>(), -1);
	EXPECT_EQ(json(255).get<uint8_t>(), 255);
	EXPECT_EQ(json(3).get<double>(), 3.0);
	EXPECT_THROW(json(-1).get<unsigned>(), json::error);
	EXPECT_THROW(json(256).get<uint8_t>(), json::error);
	EXPECT_THROW(json(uint64_t{1} << 63).get<int64_t>(), json::error);
	EXPECT_THROW(json(1.5).get<int>(), json::error);
	EXPECT_THROW(json("1").get<int>(), json::error);
	EXPECT_THROW(json(1).get<bool>(), json::error);
	EXPECT_THROW(json(1).get<std::string>(), json::error);
}

TEST(json, texts_are_escaped_and_read_again)
{
	const std::string text = "quote \" backslash \\ line\n tab\t bell\a zero" + std::string(1, '\0') + " µs €";
	EXPECT_EQ(json(text).dump(), "\"quote \\\" backslash \\\\ line\\n tab\\t bell\\u0007 zero\\u0000 µs €\"");
	EXPECT_EQ(json::parse(json(text).dump()).get<std::string>(), text);
	EXPECT_EQ(json::parse(R"("\/\u00b5\u20AC\ud83d\ude00")").get<std::string>(), "/µ€😀");
}

TEST(json, what_is_absent_is_null)
{
	const json j = {{"a", 1}};
	EXPECT_TRUE(j["b"].is_null());
	EXPECT_TRUE(j["b"]["c"].is_null());
	EXPECT_EQ(j["b"].begin(), j["b"].end());
	EXPECT_FALSE(j.contains("b"));
	EXPECT_THROW(j.at("b"), json::error);
	EXPECT_THROW(j[0], json::error);
	EXPECT_THROW(json(1)["a"], json::error);
	EXPECT_THROW(json(1).push_back(2), json::error);
}

TEST(json, update_adds_and_replaces)
{
	json j = {{"a", 1}, {"b", 2}};
	j.update({{"b", 3}, {"c", 4}});
	j.update(nullptr);
	EXPECT_EQ(j.dump(), R"({"a":1,"b":3,"c":4})");
}

TEST(json, vectors_are_read)
{
	const json j = json::parse(R"({"numbers": [1, 2.5], "words": ["a", "b"]})");
	EXPECT_EQ(j["numbers"].get<std::vector<double>>(), (std::vector<double>{1, 2.5}));
	EXPECT_EQ(j["words"].get<std::vector<std::string>>(), (std::vector<std::string>{"a", "b"}));
	EXPECT_EQ(j["words"][1], "b");
	EXPECT_THROW(j["words"].get<std::vector<int>>(), json::error);
}

TEST(json, blanks_do_not_count)
{
	EXPECT_EQ(again(" \t\r\n{ \"a\" : [ ] , \"b\" : { } }\n"), R"({"a":[],"b":{}})");
}

TEST(json, refuses_what_is_not_json)
{
	for (const char *text :
	     {"",        " ",         "{",           "[",      "[1",          "[1,",         "[1,]",
	      "{\"a\"}", "{\"a\":}",  "{\"a\":1,}",  "{a:1}",  "nul",         "truee",       "1 2",
	      "01",      "-",         "-01",         "+1",     ".5",          "1.",          "1.e5",
	      "1e",      "inf",       "nan",         "0x10",   "1e999",       "\"",          "\"\\\"",
	      "\"\\x\"", "\"\\u12\"", "\"\\u-123\"", "\"\n\"", "\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"",
	      "[1}",     "'a'",       "\"\\"})
		EXPECT_THROW(json::parse(text), json::error) << text;
}

TEST(json, says_where_a_text_is_wrong)
{
	try {
		json::parse("[1, x]");
		FAIL();
	} catch (const json::error &e) {
		EXPECT_NE(std::string(e.what()).find("column 5"), std::string::npos) << e.what();
	}
}

TEST(json, depth_is_limited)
{
	EXPECT_NO_THROW(json::parse(std::string(400, '[') + std::string(400, ']')));
	EXPECT_THROW(json::parse(std::string(100000, '[')), json::error);
}

} // namespace
