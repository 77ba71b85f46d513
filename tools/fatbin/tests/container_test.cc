// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Tests writer and reader of fat binaries: what goes in comes out, and nothing else is ever taken for it.
#include "fatbin/checksum.h"
#include "fatbin/document.h"

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>

using namespace tool::fat;
using format::container;
using format::fault;

namespace
{

document small()
{
	document d;
	const char source[] = "kernel void add() {}";
	const uint64_t identity = source_identity(source, "-DN=1");
	kernel add{"add",        {},      format::split::safe, "writes at its own index, alone", 2, "A 0 w 4 +4*a1*x0",
		   "N __X= Y=3", identity};
	format::reach_row reach = {-4, 12, uint64_t{1} << 32, {{4, 0, 1, 0, 0}, {4, 4, 2, -1, 1}}};
	add.arguments.push_back(
		{"x", "float*", format::space::global, format::access::read_only, 4, format::access::read_only, reach});
	add.arguments.push_back({"n", "uint", format::space::value, format::access::none, 4, {}, {}});
	d.kernels = {add, {"nothing", {}, format::split::unknown, "", 0, "", "", identity}};
	d.images.push_back({format::target::opencl_c, "", 1, 2, "-DN=1", source, "", identity});
	d.images.push_back({format::target::spirv, "", 1, 0, "", "", "llvm-spirv is not installed"});
	d.images.push_back({format::target::native, "a; b; c", 0, 0, "", std::string("\0\x7f\xff binary", 10), ""});
	return d;
}

// Reads the bytes in memory of just their size, so that a sanitizer sees each step beside it. Returns nothing if they
// are refused, which must have a reason.
std::optional<document> read(const std::string &bytes)
{
	const auto all = as_bytes(bytes);
	const std::vector<std::byte> exact(all.begin(), all.end());
	try {
		return from_elf(exact);
	} catch (const std::runtime_error &why) {
		EXPECT_GT(strlen(why.what()), 10u);
		return std::nullopt;
	}
}

std::string refusal(const std::string &bytes)
{
	container c;
	fault why;
	EXPECT_FALSE(c.open(as_bytes(bytes), why));
	return why.text;
}

// Returns the file with a changed directory and a right checksum.
std::string with_directory(const std::string &file, const std::function<void(std::byte *)> &change)
{
	std::string made = file;
	format::elf_sections elf;
	format::bytes directory;
	fault why;
	EXPECT_TRUE(elf.open(as_bytes(made), why) && elf.contents(elf.find(format::directory_section), directory));
	auto *at = const_cast<std::byte *>(directory.data());
	change(at);
	uint64_t sum = format::checksum(directory.subspan(offsetof(format::head, major)));
	memcpy(at + offsetof(format::head, checksum), &sum, sizeof(sum));
	return made;
}

std::string with_head(const std::string &file, const std::function<void(format::head &)> &change)
{
	return with_directory(file, [&](std::byte *at) {
		format::head h;
		memcpy(&h, at, sizeof(h));
		change(h);
		memcpy(at, &h, sizeof(h));
	});
}

template <class Row, class F>
std::string with_row(const std::string &file, format::table format::head::*which, F change)
{
	return with_directory(file, [&](std::byte *at) {
		format::head h;
		memcpy(&h, at, sizeof(h));
		Row r;
		memcpy(&r, at + (h.*which).offset, sizeof(r));
		change(r);
		memcpy(at + (h.*which).offset, &r, sizeof(r));
	});
}

bool contains(const std::string &text, const char *part)
{
	return text.find(part) != text.npos;
}

} // namespace

TEST(container, gives_back_what_was_written)
{
	EXPECT_EQ(read(to_elf(small())), small());
	EXPECT_EQ(read(to_elf(document{})), document{});
}

TEST(container, finds_kernels_by_name)
{
	std::string file = to_elf(small());
	container c;
	fault why;
	format::kernel k;
	ASSERT_TRUE(c.open(as_bytes(file), why)) << why.text;
	ASSERT_TRUE(c.find("nothing", k));
	EXPECT_EQ(k.narguments, 0u);
	ASSERT_TRUE(c.find("add", k));
	EXPECT_STREQ(c.argument(k, 1).type, "uint");
	EXPECT_TRUE(c.argument(k, 0).has_reach());
	EXPECT_FALSE(c.argument(k, 1).is_analysed);
	EXPECT_FALSE(c.find("ad", k));
}

// Answers belong to one text. Images from which no slices are made may come from anywhere.
TEST(container, has_answers_for_images_of_the_source_that_was_analysed)
{
	auto answers = [](auto change) {
		document d = small();
		change(d);
		document got = *read(to_elf(d));
		const kernel &add = got.kernels[0];
		bool is_known = add.split == format::split::safe && add.dimensions == 2 && add.arguments[0].found &&
				add.arguments[0].reach.length;
		bool is_unknown = add.split == format::split::unknown && !add.dimensions && !add.arguments[0].found &&
				  !add.arguments[0].reach.length && contains(add.split_reason, "not analysed");
		EXPECT_NE(is_known, is_unknown);
		return is_known;
	};
	image ptx = {format::target::ptx, "sm_75", 6, 3, "-DN=1", "ptx", "", small().kernels[0].source};
	EXPECT_TRUE(answers([](document &) {}));
	EXPECT_TRUE(answers([](document &d) { d.images[2].bytes = "another"; }));
	EXPECT_TRUE(answers([](document &d) { d.images.erase(d.images.begin()); }));
	EXPECT_TRUE(answers([&](document &d) { d.images.push_back(ptx); }));
	EXPECT_FALSE(answers([](document &d) { d.images[0].bytes += ' '; }));
	EXPECT_FALSE(answers([](document &d) { d.images[0].options = "-DN=2"; }));
	EXPECT_FALSE(answers([](document &d) { d.kernels[0].source = 0; }));
	ptx.source = 0;
	EXPECT_FALSE(answers([&](document &d) { d.images.push_back(ptx); }));
	EXPECT_FALSE(answers([&](document &d) {
		d.kernels[0].source = 0;
		d.images[0] = ptx;
	}));
}

TEST(container, may_lie_at_any_address)
{
	std::string file = to_elf(small());
	for (size_t shift = 1; shift < 8; shift++) {
		std::string moved(shift, 'x');
		moved += file;
		EXPECT_EQ(from_elf(as_bytes(moved).subspan(shift)), small());
	}
}

TEST(container, is_refused_if_cut_off_anywhere)
{
	std::string file = to_elf(small());
	for (size_t n = 0; n < file.size(); n++)
		EXPECT_FALSE(read(file.substr(0, n))) << n << " of " << file.size() << " bytes";
}

// Some bits of an ELF file mean nothing to us.
TEST(container, notices_each_flipped_bit_or_reads_the_same)
{
	std::string file = to_elf(small());
	size_t refused = 0;
	for (size_t i = 0; i < file.size() * 8; i++) {
		std::string wrong = file;
		wrong[i / 8] = char(wrong[i / 8] ^ 1 << i % 8);
		auto got = read(wrong);
		refused += !got;
		EXPECT_TRUE(!got || *got == small()) << "bit " << i;
	}
	EXPECT_GT(refused, file.size() * 4);
}

TEST(container, says_what_is_no_fat_binary)
{
	EXPECT_TRUE(contains(refusal(""), "no ELF file"));
	EXPECT_TRUE(contains(refusal("kernel void f() {}"), "no ELF file"));
	std::string other = to_elf(small());
	other[other.find(".het.directory") + 1] = 'H';
	EXPECT_TRUE(contains(refusal(other), "without a section .het.directory"));
}

TEST(container, of_another_major_version_is_refused)
{
	std::string file = to_elf(small());
	auto newer = refusal(with_head(file, [](format::head &h) { h.major++; }));
	EXPECT_TRUE(contains(newer, "version 2.3")) << newer;
	EXPECT_TRUE(contains(newer, "newer libhet")) << newer;
	auto older = refusal(with_head(file, [](format::head &h) { h.major--; }));
	EXPECT_TRUE(contains(older, "build it again")) << older;
}

// A later minor version has longer rows and new kinds of images.
TEST(container, of_a_later_minor_version_can_be_read)
{
	std::string file = to_elf(small());
	auto newer =
		read(with_row<format::image_row>(with_head(file, [](format::head &h) { h.minor = 7; }),
						 &format::head::images, [](format::image_row &r) { r.target = 99; }));
	ASSERT_TRUE(newer);
	EXPECT_EQ(newer->kernels, small().kernels);
	EXPECT_STREQ(name_of(newer->images[0].target), "image of an unknown kind");

	// The two kernels are turned into one of twice the size.
	auto longer = read(with_head(file, [](format::head &h) {
		h.kernels.rows = 1;
		h.kernels.row_size *= 2;
	}));
	ASSERT_TRUE(longer);
	EXPECT_EQ(longer->kernels, std::vector<kernel>{small().kernels[0]});
}

// The first minor version had shorter rows: nothing is known of what they lack.
TEST(container, of_an_earlier_minor_version_can_be_read)
{
	// The rows of the first kernel and its first argument are left; a second one would be in the middle of the
	// first.
	auto short_rows = with_head(to_elf(small()), [](format::head &h) {
		h.kernels.rows = h.arguments.rows = 1;
		h.kernels.row_size = format::least_kernel_row;
		h.arguments.row_size = format::least_argument_row;
	});
	auto older = read(with_row<format::kernel_row>(short_rows, &format::head::kernels,
						       [](format::kernel_row &r) { r.arguments = 1; }));
	ASSERT_TRUE(older);
	const kernel &add = older->kernels[0];
	EXPECT_EQ(add.split, format::split::unknown); // nobody knows what was analysed
	EXPECT_EQ(add.dimensions, 0u);
	EXPECT_EQ(add.arguments[0].name, "x");
	EXPECT_FALSE(add.arguments[0].found);
	EXPECT_EQ(add.arguments[0].reach, format::reach_row{});
}

TEST(container, with_offsets_that_lead_outside_is_refused)
{
	using format::head;
	std::string file = to_elf(small());
	std::function<void(head &)> changes[] = {
		[](head &h) { h.kernels.offset = ~0u; },
		[](head &h) { h.kernels.rows = ~0u; },
		[](head &h) { h.arguments.offset = 8; },
		[](head &h) { h.images.row_size = ~0u; },
		[](head &h) { h.images.row_size = 0; },
		[](head &h) { h.images.offset = h.strings + 1; },
		[](head &h) { h.strings = h.size; },
		[](head &h) { h.strings = ~0u; },
		[](head &h) { h.strings = 0; },
		[](head &h) { h.size--; },
		[](head &h) { h.kernels.row_size = 2048; },
		[](head &h) { h.strings++; },
	};
	for (size_t i = 0; i < std::size(changes); i++)
		EXPECT_FALSE(read(with_head(file, changes[i]))) << "change " << i;
}

TEST(container, with_rows_that_lead_outside_is_refused)
{
	using namespace het::fatbin;
	std::string file = to_elf(small());
	auto kernels = [&](auto change) { return with_row<kernel_row>(file, &head::kernels, change); };
	auto arguments = [&](auto change) { return with_row<argument_row>(file, &head::arguments, change); };
	auto images = [&](auto change) { return with_row<image_row>(file, &head::images, change); };
	EXPECT_TRUE(read(kernels([](kernel_row &) {})));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.name = 100000; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.first_argument = ~0u; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.arguments = 3; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.split = 3; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.asked = ~0u; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.asked = r.split_reason; }))); // there are no words of that kind
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.apart = ~0u; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.apart = r.split_reason; }))); // there are no statements
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.type = ~0u; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.space = 0; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.access = 4; })));
	EXPECT_FALSE(read(kernels([](kernel_row &r) { r.dimensions = 3; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.found = 5; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.reach.axes[0].times = multiplier_argument + 2; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.reach.axes[1].flags = 4; })));
	EXPECT_FALSE(read(arguments([](argument_row &r) { r.reach.axes[1].first = 2; })));
	EXPECT_FALSE(read(images([](image_row &r) { r.options = ~0u; })));
	EXPECT_FALSE(read(images([](image_row &r) { r.section = 3; }))); // the section is another image's
	EXPECT_FALSE(read(images([](image_row &r) { r.section = ~0u; })));
	EXPECT_FALSE(read(images([](image_row &r) { r.size = ~uint64_t{0}; })));
}

TEST(container, with_strings_that_do_not_end_is_refused)
{
	std::string file = to_elf(small());
	for (char c : {'x', '\x1b', '\n'}) {
		auto wrong = with_directory(file, [c](std::byte *at) {
			format::head h;
			memcpy(&h, at, sizeof(h));
			at[c == 'x' ? h.size - 1 : h.strings + 1] = std::byte(c);
		});
		EXPECT_TRUE(contains(refusal(wrong), "a string does not end, or has control characters"));
	}
}

TEST(container, is_written_without_control_characters)
{
	document d = small();
	d.images[1].reason = "error:\n\t\x1b[31mred";
	EXPECT_EQ(read(to_elf(d))->images[1].reason, "error: [31mred");
}

// The wanted values are those of xxhsum -H1.
TEST(checksum, is_xxh64)
{
	EXPECT_EQ(format::checksum({}), 0xef46db3751d8e999);
	EXPECT_EQ(format::checksum(as_bytes("abc")), 0x44bc2cf5ad770999);
	EXPECT_EQ(format::checksum(as_bytes("The quick brown fox jumps over the lazy dog")), 0x0b242d361fda71bc);
	EXPECT_EQ(format::checksum(as_bytes(std::string(1000, 'x') + "1234567")), 0x048a41e38c8e89c7);
}
