// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "stage.h"

namespace het::ptx::simt
{

stage::stage(const example &e, const std::string &text, const options &with) : dev(text, with.check_defined), e_(e)
{
	dev.with = with;
	with_launch.kernel = dev.prog().find(e.kernel);
	EXPECT_NE(with_launch.kernel, nullptr) << e;
	with_launch.grid = e.grid;
	with_launch.block = e.block;
	with_launch.shared_bytes = e.shared_bytes;
	for (const auto &a : e.arguments) {
		bool is_buffer = a.kind == example::argument::buffer;
		buffers.push_back(is_buffer ? a.bytes : std::vector<uint8_t>());
		uint64_t v = dev.prog().shared_of(*with_launch.kernel).dynamic_at;
		if (is_buffer)
			v = dev.share(buffers.back());
		else if (a.kind == example::argument::value)
			memcpy(&v, a.bytes.data(), a.bytes.size());
		add_argument(v);
	}
}

void stage::add_argument(uint64_t value)
{
	ASSERT_LT(arguments_, with_launch.kernel->parameters.size()) << e_;
	const argument &place = with_launch.kernel->parameters[arguments_++];
	with_launch.parameters.resize(place.offset + place.bytes);
	memcpy(&with_launch.parameters[place.offset], &value, place.bytes);
}

void stage::must_run()
{
	auto out = run();
	EXPECT_FALSE(out.error) << e_ << ": " << out.error->describe();
	for (const auto &f : out.findings)
		ADD_FAILURE() << e_ << ": " << f.first.describe();
}

void stage::check() const
{
	for (size_t i = 0; i < buffers.size(); i++) {
		SCOPED_TRACE("argument " + std::to_string(i + 1));
		EXPECT_EQ(difference(e_.arguments[i], buffers[i]), "");
	}
}

} // namespace het::ptx::simt
