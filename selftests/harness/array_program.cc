// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "array_program.h"

#include <algorithm>
#include <numeric>

namespace selftest
{

array_program::array_program(context &t, action_list a, std::initializer_list<size_t> chunks)
    : t_(t), fx_(t), actions_(a)
{
	on_failure([](void *self) { static_cast<array_program *>(self)->tell(); }, this);
	for (size_t count : chunks) {
		size_t n = std::min(count * chunk - count % 2 * 1000, largest_of(t.v.kind));
		arrays_.emplace_back(fx_, t.v.kind, n, unsigned(count));
		arrays_.back().link_everywhere();
	}
}

array_program::~array_program()
{
	on_failure(nullptr, nullptr);
}

bool array_program::has_edges(const array &a)
{
	return reinterpret_cast<uintptr_t>(a.data()) % page || a.size() % page;
}

array_step array_program::random_step()
{
	const auto &weights = actions_.weights;
	auto pick = unsigned(t_.random.below(std::accumulate(weights.begin(), weights.end(), 0u)));
	unsigned what = 0;
	while (pick >= weights[what])
		pick -= weights[what++];
	array_step s{what, unsigned(t_.random.below(arrays_.size())), unsigned(t_.random.below(fx_.devices())), 0, 0};
	size_t size = arrays_[s.which].size();
	size_t longest = t_.random.one_in(4) ? size : t_.random.one_in(2) ? 64 : 5 * page;
	s.off = t_.random.below(size);
	s.n = t_.random.between(1, std::min(longest, size - s.off));
	return s;
}

void array_program::loop(std::span<const array_step> body, unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		for (const array_step &s : body) {
			history_[number_++ % history_size] = s;
			perform(s);
		}
	}
}

void array_program::tell() const
{
	uint64_t first = number_ < history_size ? 0 : number_ - history_size;
	for (uint64_t i = first; i < number_; i++) {
		const array_step &s = history_[i % history_size];
		note("  %llu: %s, array %u (%p, %zu bytes), device %u, bytes %zu to %zu", (unsigned long long)i,
		     actions_.names[s.what], s.which, static_cast<const void *>(arrays_[s.which].data()),
		     arrays_[s.which].size(), s.dev, s.off, s.off + s.n);
	}
}

} // namespace selftest
