// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/module.h"

#include "device.h"
#include "ptx/editor.h"
#include "ptx/lexer.h"

#include <filesystem>
#include <random>

namespace het::ptx
{

namespace
{

using simt::corpus_text;
using simt::parsed;
using simt::with_header;

std::string fault_of(const std::string &text)
{
	module m;
	auto wrong = parse(text, m);
	return wrong ? wrong->describe() : "no fault";
}

std::string body(const std::string &statements)
{
	return with_header(".entry k()\n{\n" + statements + "\n}\n");
}

TEST(Lexer, TakesWordsApart)
{
	std::string text =
		"@!%p1 ld.global.L1::no_allocate.f32 %f1,[%rd1+-4]; // 0f00\n$L_1: /* x */ 0x1FU 0f3F800000 1.5e-3 017";
	lexer words(text);
	std::vector<std::string> found;
	for (token t = words.next(); t.kind != token_kind::end; t = words.next())
		found.push_back(text.substr(t.text.begin, t.text.size()));
	std::vector<std::string> want{
		"@", "!", "%p1",  "ld", ".global", ".L1::no_allocate", ".f32",   "%f1", ",", "[", "%rd1", "+", "-", "4",
		"]", ";", "$L_1", ":",  "0x1FU",   "0f3F800000",       "1.5e-3", "017"};
	EXPECT_EQ(found, want);
}

TEST(Lexer, PercentAloneIsTheRemainder)
{
	lexer words("5%3");
	words.next();
	EXPECT_EQ(words.next().mark, '%');
}

TEST(Parser, HeadsOfFunctionsMayHavePragmas)
{
	auto m = parsed(with_header(
		".entry k(.param .u64 p) .maxntid 32 .pragma \"nounroll\", \"x\"; .minnctapersm 2\n{\nret;\n}\n"
		".entry b() .pragma \"x\";\n{ ret; }\n.func d .pragma \"y\";\n.visible .func e() .pragma \"z\";"));
	ASSERT_EQ(m.functions.size(), 4u);
	EXPECT_TRUE(m.functions[0].has_body);
	EXPECT_EQ(m.str(m.functions[0].directives), " .maxntid 32 .pragma \"nounroll\", \"x\"; .minnctapersm 2");
	EXPECT_TRUE(m.functions[1].has_body);
	EXPECT_FALSE(m.functions[2].has_body);
	EXPECT_FALSE(m.functions[3].has_body);
	EXPECT_EQ(editor(m).print(), m.text);
}

TEST(Parser, ReadsHeaderAndTarget)
{
	auto m = parsed(".version 6.3\n.target sm_75, texmode_independent\n.address_size 32\n");
	EXPECT_EQ(m.version_major, 6u);
	EXPECT_EQ(m.version_minor, 3u);
	EXPECT_EQ(m.str(m.target), "sm_75");
	EXPECT_EQ(m.address_bits, 32u);
}

TEST(Parser, ReadsFunctions)
{
	auto m =
		parsed(with_header(".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
				   ".visible .entry k(.param .u64 .ptr .global .align 4 p, .param .align 8 .b8 s[24])\n"
				   ".maxntid 256, 1, 1\n.minnctapersm 2\n{ ret; }\n"
				   ".func (.reg .u32 %v) f(.reg .u32 %a) { mov.u32 %v, %a; ret; }\n.func g { ret; }"));
	ASSERT_EQ(m.functions.size(), 4u);
	EXPECT_FALSE(m.functions[0].has_body);
	EXPECT_EQ(m.functions[0].results, 1u);
	EXPECT_EQ(m.functions[0].linkage, linkage::external);
	const auto &k = m.functions[1];
	EXPECT_TRUE(k.is_entry && k.has_body);
	EXPECT_EQ(k.parameters, 2u);
	EXPECT_EQ(m.str(k.directives), "\n.maxntid 256, 1, 1\n.minnctapersm 2");
	EXPECT_EQ(m.variables[k.first_parameter + 1].bytes(), 24u);
	EXPECT_EQ(m.str(m.variables[k.first_parameter].pointer_space), ".global");
	EXPECT_TRUE(m.functions[3].parameter_list.empty());
	EXPECT_EQ(m.find_function("f"), &m.functions[2]);
	EXPECT_EQ(m.find_function("h"), nullptr);
}

TEST(Parser, ReadsVariables)
{
	auto m = parsed(with_header(".const .align 4 .b8 w[8] = {1, 2, 0x3};\n.global .u64 t[2] = {generic(w), w+4};\n"
				    ".extern .shared .align 16 .b8 dyn[];\n.visible .global .f32 a, b[3][5];\n"
				    ".global .s32 counted[] = {1, -2, 3};\n.global .attribute(.managed) .u32 m;\n"));
	ASSERT_EQ(m.variables.size(), 7u);
	EXPECT_EQ(m.variables[0].align, 4u);
	EXPECT_EQ(m.str(m.variables[1].initial), "{generic(w), w+4}");
	EXPECT_EQ(m.variables[2].bytes(), 0u);
	EXPECT_EQ(m.variables[4].elements, 15u);
	EXPECT_EQ(m.variables[5].elements, 3u);
	EXPECT_EQ(m.str(m.variables[6].name), "m");
}

TEST(Parser, ReadsOperands)
{
	auto m = parsed(body("@!%p bra $L;\nmov.b64 {%r1, _}, %rd1;\nshfl.sync.up.b32 %r1|%p2, %r2, 1, 0, -1;\n"
			     "ld.u32 %r1, [a+4];\nst.u32 [%rd1 + -8], 0f3F800000;\nmov.u32 %r1, %tid.x;\n"
			     "call.uni (%r1), f, (%r2, 3);\nadd.f64 %d, %d, -1.5;\ncvta.local.u64 %r, %s + 136;\nld.u8 "
			     "%r, [16];$L:"));
	using kind = operand::kind_t;
	auto op = [&](uint32_t i, uint32_t n) { return m.operand_of(m.instructions[i], n); };
	EXPECT_EQ(m.str(m.instructions[0].guard), "%p");
	EXPECT_TRUE(m.instructions[0].guard_negated);
	EXPECT_EQ(op(1, 0).kind, kind::list);
	EXPECT_EQ(op(1, 0).children, 2u);
	EXPECT_EQ(op(2, 0).kind, kind::pair);
	EXPECT_EQ(op(2, 4).value, -1);
	EXPECT_EQ(op(3, 1).kind, kind::address);
	EXPECT_EQ(op(3, 1).value, 4);
	EXPECT_EQ(op(4, 0).value, -8);
	EXPECT_EQ(op(4, 1).value, 0x3F800000);
	EXPECT_EQ(m.str(op(5, 1).component), ".x");
	EXPECT_EQ(op(6, 0).kind, kind::group);
	EXPECT_EQ(op(6, 2).children, 2u);
	EXPECT_EQ(std::bit_cast<double>(op(7, 2).value), -1.5);
	EXPECT_EQ(op(8, 1).value, 136);
	EXPECT_EQ(op(9, 1).value, 16);
}

TEST(Parser, LetsUnknownInstructionsPass)
{
	auto m = parsed(body("frobnicate.async.bulk.v9::new.tensor.2d [%rd1, {%r1, %r2}], [%rd2], %r1 + %r2;\nret;"));
	EXPECT_EQ(m.instructions.size(), 2u);
	EXPECT_EQ(m.operand_of(m.instructions[0], 0).kind, operand::kind_t::other);
	EXPECT_EQ(m.instructions[0].operands, 3u);
}

TEST(Parser, KnowsScopes)
{
	auto m = parsed(body(".reg .b32 %a;\n{ .reg .b32 %b; { mov.b32 %b, %a; } }\n{ ret; }"));
	EXPECT_EQ(m.block_parents.size(), 5u);
	EXPECT_EQ(m.block_parents[3], 2u);
	EXPECT_EQ(m.block_parents[4], 1u);
}

TEST(Parser, SaysWhereAFaultIs)
{
	EXPECT_EQ(fault_of(body("\tadd.s32 %r1, %r2\n\tret;")), "7:2: expected ',' or ';', at 'ret'");
	EXPECT_EQ(fault_of(body("add.s32 %r1, , 2;")), "6:14: expected an operand, at ','");
	EXPECT_EQ(fault_of(".version x\n"), "1:10: expected a version number, at 'x'");
	EXPECT_EQ(fault_of(".entry k("), "1:10: expected a state space, at the end of the text");
	EXPECT_EQ(fault_of(".entry k()\n{ ret;"), "2:1: this body has no '}', at '{'");
	EXPECT_EQ(fault_of(".entry k() { .reg .b33 %r; }"), "1:19: not a type, at '.b33'");
	EXPECT_EQ(fault_of(".global .align 3 .b8 x;"), "1:16: an alignment is a power of two, at '3'");
	EXPECT_EQ(fault_of(".global .b8 x[99999999999999];"), "1:15: an array of this size, at '99999999999999'");
	EXPECT_EQ(fault_of("/* never"), "1:1: comment without an end, at '/*'");
	EXPECT_EQ(fault_of(body("mov.u32 %r1, [%r2;")), "7:1: expected ']', at '}'");
	EXPECT_EQ(fault_of(".entry k() { mov.u32 %r1, [%r2"), "1:27: this has no ']', at '['");
	EXPECT_EQ(fault_of(body("mov.b64 %r1, {%r2)};")), "6:18: expected ',' or '}', at ')'");
	EXPECT_EQ(fault_of(".entry k() .maxntid 1 } {}"), "1:23: expected '{' or ';', at '}'");
	EXPECT_EQ(fault_of("\x01"), "1:1: unexpected byte, at '\x01'");
	EXPECT_EQ(fault_of(".entry k() { .func f { ret; } }"), "1:14: a function inside a function, at '.func'");
}

TEST(Parser, DoesNotNestWithoutEnd)
{
	EXPECT_NE(fault_of(body("call " + std::string(100000, '('))), "no fault");
	EXPECT_NE(fault_of(body(std::string(100000, '{'))), "no fault");
}

TEST(Parser, SplitsImages)
{
	auto texts = split_image(std::string_view("a\0b\0\0c", 6));
	EXPECT_EQ(texts, (std::vector<std::string>{"a", "b", "c"}));
}

std::vector<std::string> corpus()
{
	std::vector<std::string> names;
	for (const auto &file : std::filesystem::directory_iterator(HET_CORPUS))
		if (file.path().extension() == ".ptx")
			names.push_back(file.path().filename());
	return names;
}

// Statements must come in order and not overlap, and between them there are only blanks, comments and braces of bodies.
void expect_everything_is_found(const module &m)
{
	uint32_t at = 0;
	for (const auto &s : m.statements) {
		ASSERT_GE(s.text.begin, at);
		lexer between(std::string_view(m.text).substr(0, s.text.begin), at);
		for (token t = between.next(); t.kind != token_kind::end; t = between.next())
			EXPECT_TRUE(t.mark == '{' || t.mark == '}') << m.fault_at(t.text, "left out").describe();
		at = s.text.end;
	}
}

TEST(CorpusTexts, IsReadWhole)
{
	auto names = corpus();
	EXPECT_GE(names.size(), 6u);
	for (const auto &name : names) {
		SCOPED_TRACE(name);
		auto m = parsed(corpus_text(name));
		expect_everything_is_found(m);
		for (const auto &o : m.operands)
			EXPECT_NE(o.kind, operand::kind_t::other) << m.str(o);
		EXPECT_EQ(editor(m).print(), m.text);
	}
}

// Whatever is done to a text, the parser must end, and point into it.
TEST(CorpusTexts, DamagedTextsAreNoDanger)
{
	std::mt19937 random(1);
	std::string text = corpus_text("control.ptx");
	constexpr std::string_view junk = "{}()[]<>;:,.@%\"/*=-+0x ";
	for (unsigned round = 0; round < 300; round++) {
		std::string damaged = text;
		for (unsigned n = 1 + random() % 3; n; n--)
			damaged[random() % damaged.size()] = junk[random() % junk.size()];
		if (random() % 4 == 0)
			damaged.resize(random() % damaged.size());
		module m;
		auto wrong = parse(damaged, m);
		if (wrong)
			EXPECT_GE(wrong->at.line, 1u);
		else
			EXPECT_EQ(editor(m).print(), damaged);
	}
}

} // namespace

} // namespace het::ptx
