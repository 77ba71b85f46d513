// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "fatbin/container.h"

#include "fatbin/apart.h"
#include "fatbin/asked.h"
#include "fatbin/checksum.h"

#include <algorithm>
#include <cstddef>

namespace het::fatbin
{

namespace
{

constexpr char cure[] = "it is damaged; copy or build it again";

// What terminals take for commands has no place in names.
bool is_printable(bytes strings)
{
	for (std::byte b : strings)
		if ((b < std::byte{' '} && b != std::byte{0}) || b == std::byte{0x7f})
			return false;
	return true;
}

bool is_between(uint32_t value, space first, space last)
{
	return value >= uint32_t(first) && value <= uint32_t(last);
}

bool is_sound(const axis_row &a, uint32_t narguments)
{
	return a.flags <= (axis_from_zero | axis_bounded) && a.first <= a.last &&
	       (a.times < multiplier_argument || a.times - multiplier_argument < narguments);
}

} // namespace

template <class Row> Row container::row(const table &t, uint32_t i) const
{
	// Rows of another minor version are longer, or shorter: what is missing is 0.
	Row r{};
	memcpy(&r, directory_.data() + t.offset + uint64_t{i} * t.row_size, std::min<size_t>(t.row_size, sizeof(r)));
	return r;
}

const char *container::string(uint32_t offset) const
{
	return reinterpret_cast<const char *>(directory_.data()) + head_.strings + offset;
}

// --- checks --------------------------------------------------------------------

bool container::check_table(const table &t, size_t least, const char *what, fault &why) const
{
	bytes all;
	if (t.row_size < least || t.offset < sizeof(head) || t.offset > head_.strings ||
	    !cut(directory_.first(head_.strings), t.offset, uint64_t{t.rows} * t.row_size, all))
		return why.say("the table of %s is not inside the directory: %s", what, cure);
	return true;
}

bool container::check_strings(fault &why) const
{
	bytes strings;
	if (head_.strings < sizeof(head) || head_.strings >= head_.size ||
	    !cut(directory_, head_.strings, head_.size - head_.strings, strings))
		return why.say("the strings are not inside the directory: %s", cure);
	if (strings.front() != std::byte{0} || strings.back() != std::byte{0} || !is_printable(strings))
		return why.say("a string does not end, or has control characters: %s", cure);
	return true;
}

bool container::check_arguments(const kernel_row &k) const
{
	if (k.first_argument > head_.arguments.rows || k.arguments > head_.arguments.rows - k.first_argument)
		return false;
	for (uint32_t i = 0; i < k.arguments; i++) {
		auto a = row<argument_row>(head_.arguments, k.first_argument + i);
		if (!is_sound(a.reach.axes[0], k.arguments) || !is_sound(a.reach.axes[1], k.arguments))
			return false;
	}
	return true;
}

bool container::check_rows(fault &why) const
{
	for (uint32_t i = 0; i < nkernels(); i++) {
		auto k = row<kernel_row>(head_.kernels, i);
		if (!has_string(k.name) || !has_string(k.split_reason) || k.split > uint32_t(split::unsafe) ||
		    k.dimensions > most_axes || !has_string(k.asked) || !is_asked(string(k.asked)) ||
		    !check_arguments(k) || !has_string(k.apart) || !is_apart_text(string(k.apart), k.arguments))
			return why.say("kernel %u has a name or arguments that are not there: %s", i, cure);
	}
	for (uint32_t i = 0; i < head_.arguments.rows; i++) {
		auto a = row<argument_row>(head_.arguments, i);
		if (!has_string(a.name) || !has_string(a.type) || a.access > uint32_t(access::read_write) ||
		    a.found > 1 + uint32_t(access::read_write) || !is_between(a.space, space::value, space::sampler))
			return why.say("argument %u is of no kind that there is: %s", i, cure);
	}
	for (uint32_t i = 0; i < nimages(); i++) {
		auto m = row<image_row>(head_.images, i);
		if (!has_string(m.name) || !has_string(m.options) || !has_string(m.reason))
			return why.say("image %u has a name that is not there: %s", i, cure);
	}
	return true;
}

bool container::open_directory(fault &why)
{
	uint32_t section = elf_.find(directory_section);
	if (!section)
		return why.say("an ELF file without a section %s: no fat binary", directory_section);
	if (!elf_.contents(section, directory_))
		return why.say("cut off: the directory is not inside the file: copy or build it again");
	if (!load(directory_, 0, head_) || memcmp(head_.magic, magic, sizeof(magic)) != 0)
		return why.say("the directory is no directory: %s", cure);
	if (head_.major != major_version)
		return why.say("written in version %u.%u of the format, and this library reads version %u: %s",
			       head_.major, head_.minor, major_version,
			       head_.major > major_version ? "it needs a newer libhet" : "build it again");
	if (head_.size < sizeof(head) || head_.size != directory_.size())
		return why.say("the directory has %zu bytes instead of %u: %s", directory_.size(), head_.size, cure);
	if (checksum(directory_.subspan(offsetof(head, major))) != head_.checksum)
		return why.say("the directory's checksum is wrong: %s", cure);
	return true;
}

bool container::open(bytes file, fault &why)
{
	bool good = elf_.open(file, why) && open_directory(why) && check_strings(why) &&
		    check_table(head_.kernels, least_kernel_row, "kernels", why) &&
		    check_table(head_.arguments, least_argument_row, "arguments", why) &&
		    check_table(head_.images, least_image_row, "images", why) && check_rows(why);
	if (good)
		find_source();
	return good;
}

void container::find_source()
{
	has_sliced_images_ = false;
	for (uint32_t n = 0; n < nimages(); n++) {
		fatbin::image i = image(n);
		if (!i.is_there() || (i.target != target::opencl_c && i.target != target::ptx))
			continue;
		source_ = has_sliced_images_ && source_ != i.source ? 0 : i.source;
		has_sliced_images_ = true;
	}
}

// --- what there is -------------------------------------------------------------

fatbin::kernel container::kernel(uint32_t i) const
{
	auto k = row<kernel_row>(head_.kernels, i);
	fatbin::kernel made = {string(k.name),
			       k.first_argument,
			       k.arguments,
			       fatbin::split(k.split),
			       string(k.split_reason),
			       k.dimensions,
			       string(k.asked),
			       string(k.apart),
			       k.source,
			       true};
	if (!has_sliced_images_ || (k.source && k.source == source_))
		return made;
	made.is_analysed = false;
	made.dimensions = 0;
	if (made.split != split::unknown || k.source)
		made.split_reason = "not analysed: an image is not made from the source that was";
	made.split = split::unknown;
	made.apart = "";
	return made;
}

fatbin::argument container::argument(const fatbin::kernel &k, uint32_t i) const
{
	auto a = row<argument_row>(head_.arguments, k.first_argument + i);
	bool is_analysed = k.is_analysed && a.found != 0;
	return {.name = string(a.name),
		.type = string(a.type),
		.space = fatbin::space(a.space),
		.access = fatbin::access(a.access),
		.size = a.size,
		.is_analysed = is_analysed,
		.found = is_analysed ? fatbin::access(a.found - 1) : access::none,
		.reach = k.is_analysed ? a.reach : reach_row{}};
}

fatbin::image container::image(uint32_t i) const
{
	auto m = row<image_row>(head_.images, i);
	auto kind = fatbin::target(m.target);
	return {kind,
		string(m.name),
		m.major,
		m.minor,
		string(m.options),
		string(m.reason),
		m.size,
		m.checksum,
		m.section,
		kind == target::opencl_c ? source_identity(m.checksum, string(m.options)) : m.source};
}

bool container::find(const char *name, fatbin::kernel &found) const
{
	for (uint32_t i = 0; i < nkernels(); i++) {
		found = kernel(i);
		if (strcmp(found.name, name) == 0)
			return true;
	}
	return false;
}

bool container::contents(const fatbin::image &i, bytes &to, fault &why) const
{
	if (!i.is_there())
		return why.say("the %s was not made: %s", name_of(i.target), i.reason);
	if (!elf_.contents(i.section, to) || to.size() != i.size)
		return why.say("the %s is not inside the file: it is cut off or damaged; copy or build it again",
			       name_of(i.target));
	if (checksum(to) != i.checksum)
		return why.say("the %s has a wrong checksum: %s", name_of(i.target), cure);
	return true;
}

uint64_t source_identity(uint64_t checksum_of_text, const char *options)
{
	const uint64_t both[] = {checksum_of_text, checksum(std::as_bytes(std::span(options, strlen(options))))};
	return checksum(std::as_bytes(std::span(both)));
}

const char *name_of(target t)
{
	switch (t) {
	case target::opencl_c:
		return "OpenCL C";
	case target::spirv:
		return "SPIR-V";
	case target::native:
		return "native binary";
	case target::ptx:
		return "PTX";
	case target::cubin:
		return "cubin";
	}
	return "image of an unknown kind";
}

} // namespace het::fatbin
