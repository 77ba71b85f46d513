// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Uses events: a chain of commands stands ready until the program lets it go, tells when it has ended, and how long it
// took.
#include <atomic>
#include <cstdio>
#include <het.hpp>
#include <vector>

namespace
{
const char source[] = "kernel void raise(global const int *in, global int *out, int by)\n"
		      "{\n"
		      "	size_t i = get_global_id(0);\n"
		      "	out[i] = in[i] + by;\n"
		      "}\n";

void raise(const het_group *g, void *const *args)
{
	auto in = static_cast<const int *>(args[0]);
	auto out = static_cast<int *>(args[1]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		out[i] = in[i] + *static_cast<const int *>(args[2]);
}

void tell_times(const char *what, const het::event &e)
{
	const het_event_times t = e.times();
	std::printf("%-6s began %8.1f us after the call, and took %8.1f us\n", what, double(t.started - t.queued) / 1e3,
		    double(t.ended - t.started) / 1e3);
}
} // namespace

int main()
try {
	const het_function table[] = {{"raise", raise, 3}};
	const het::program program(het::sources().opencl(source).functions(table));
	const het::kernel kernel(program, "raise");
	const het::queue queue;
	constexpr size_t n = 100000;
	std::vector<int> first(n), second(n), third(n);

	// Nothing of the chain begins before the gate is set. (Its parts would be in order without events, too: they
	// share bytes.)
	const het::user_event gate;
	const het::event filled = queue.fill(first.data(), 1, n, {gate});
	const het::event raised =
		queue.launch(kernel, het::work(n).after({filled}), het::read(first), het::write(second), 41);
	const het::event copied = queue.copy(third.data(), second.data(), n * sizeof(int), {raised});

	std::atomic<int> told{-1};
	copied.then([&](int status) { told = status; }); // called on some thread, once
	const bool waited = filled.status() > HET_COMPLETE && copied.status() == HET_QUEUED;
	gate.set();
	copied.wait();
	while (told == -1) { // a callback may come a little later than the event
	}

	tell_times("fill", filled);
	tell_times("kernel", raised);
	tell_times("copy", copied);
	std::printf("third[%zu] is %d\n", n - 1, third[n - 1]);
	return !(waited && told == HET_COMPLETE && third[0] == 42 && third[n - 1] == 42);
} catch (const het::error &e) {
	std::fprintf(stderr, "%s\n", e.what());
	return 1;
}
