// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "ptx/decompress.h"

#include <dlfcn.h>

namespace tool
{

namespace
{

// Reads a block of LZ4: sequences of literals, and of a copy of what came before.
class lz4_reader
{
      public:
	lz4_reader(std::string_view in, size_t size) : in_(in), size_(size) { out_.reserve(size); }

	std::optional<std::string> run()
	{
		while (at_ < in_.size()) {
			unsigned token = byte();
			if (!literals(length(token >> 4)))
				return std::nullopt;
			if (at_ == in_.size()) // the last sequence has no copy
				break;
			size_t distance = byte();
			distance |= size_t{byte()} << 8;
			constexpr size_t least = 4;
			if (!copy(distance, length(token & 15) + least))
				return std::nullopt;
		}
		return out_.size() == size_ ? std::optional(std::move(out_)) : std::nullopt;
	}

      private:
	unsigned byte() { return at_ < in_.size() ? static_cast<unsigned char>(in_[at_++]) : 0; }
	size_t length(unsigned first)
	{
		size_t n = first;
		for (unsigned more = first == 15 ? 255 : 0; more == 255 && at_ < in_.size();)
			n += more = byte();
		return n;
	}
	bool literals(size_t n)
	{
		if (n > in_.size() - at_ || n > size_ - out_.size())
			return false;
		out_.append(in_.substr(at_, n));
		at_ += n;
		return true;
	}
	bool copy(size_t distance, size_t n)
	{
		if (distance == 0 || distance > out_.size() || n > size_ - out_.size())
			return false;
		while (n--)
			out_ += out_[out_.size() - distance];
		return true;
	}

	std::string_view in_;
	size_t size_, at_ = 0;
	std::string out_;
};

} // namespace

std::optional<std::string> decompress_lz4(std::string_view block, size_t size)
{
	return lz4_reader(block, size).run();
}

std::optional<std::string> decompress_zstd(std::string_view frame, size_t size, std::string *why)
{
	using decompress_fn = size_t (*)(void *, size_t, const void *, size_t);
	static void *library = dlopen("libzstd.so.1", RTLD_NOW);
	auto decompress = library ? reinterpret_cast<decompress_fn>(dlsym(library, "ZSTD_decompress")) : nullptr;
	if (!decompress) {
		*why = "it is compressed with Zstandard, and there is no libzstd.so.1";
		return std::nullopt;
	}
	std::string out(size, '\0');
	if (decompress(out.data(), out.size(), frame.data(), frame.size()) != size) {
		*why = "it is damaged";
		return std::nullopt;
	}
	return out;
}

} // namespace tool
