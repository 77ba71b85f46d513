// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Two ranks send an array to and fro that is on their devices: by its plain pointer, with libhet-mpi.so preloaded, and
// by hand, with a copy from the device before each send and one to it after each receive.
#include "common/clock.h"
#include "common/format.h"
#include "common/report.h"
#include "common/table.h"
#include "mpi/ranks.h"

#include <cstdio>

namespace bench
{
extern const kernel_text vectoradd_kernels;
} // namespace bench

using namespace bench;

namespace
{

void add_on_host(const het_group *g, void *const *args)
{
	const float *x = array_of<const float>(args, 0), *y = array_of<const float>(args, 1);
	float *z = array_of<float>(args, 2);
	for_items(g, 0, value_of<uint64_t>(args, 3), [&](size_t i) { z[i] = x[i] + y[i]; });
}

// Both ranks have an array of which the device alone has what is right.
class players
{
      public:
	players(const ranks &r, size_t n, het_side &h, plain_device *d)
	    : r_(r), n_(n), d_(d), x_(random_floats(n, 1, 0, 1)), y_(random_floats(n, 2, 0, 1)), array_(n),
	      by_hand_(d, n)
	{
		h.launch("add", het::work(n), het::read(x_), het::read(y_), het::write(array_), uint64_t(n)).wait();
		for (size_t i = 0; d && i < n; i++)
			by_hand_.host[i] = x_[i] + y_[i];
		if (d)
			by_hand_.send();
		for (size_t i = 0; i < n && d; i++)
			by_hand_.host[i] = 0;
	}

	// They return the µs of one way.
	double plainly()
	{
		return one_way([&] { MPI_Send(array_.data(), int(n_), MPI_FLOAT, 1 - r_.me, 0, MPI_COMM_WORLD); },
			       [&] {
				       MPI_Recv(array_.data(), int(n_), MPI_FLOAT, 1 - r_.me, 0, MPI_COMM_WORLD,
						MPI_STATUS_IGNORE);
			       });
	}
	// The layer is passed by.
	double by_hand()
	{
		return one_way(
			[&] {
				by_hand_.fetch();
				PMPI_Send(by_hand_.host.data(), int(n_), MPI_FLOAT, 1 - r_.me, 0, MPI_COMM_WORLD);
			},
			[&] {
				PMPI_Recv(by_hand_.host.data(), int(n_), MPI_FLOAT, 1 - r_.me, 0, MPI_COMM_WORLD,
					  MPI_STATUS_IGNORE);
				by_hand_.send();
			});
	}
	bool are_right()
	{
		if (d_)
			by_hand_.fetch();
		bool right = true;
		for (size_t i = 0; i < n_; i++)
			right = right && array_[i] == x_[i] + y_[i] && (!d_ || by_hand_.host[i] == array_[i]);
		return ranks::all(right);
	}

      private:
	template <typename Send, typename Receive> double one_way(Send send, Receive receive)
	{
		PMPI_Barrier(MPI_COMM_WORLD);
		stopwatch watch;
		if (r_.me)
			receive();
		send();
		if (!r_.me)
			receive();
		return watch.lap() / 2;
	}

	const ranks &r_;
	const size_t n_;
	plain_device *const d_;
	std::vector<float> x_, y_, array_;
	mirrored<float> by_hand_;
};

struct times {
	series plainly, by_hand;
	moved_bytes moved; // by the array, in all rounds
};

times measure(players &p, bool both, unsigned rounds)
{
	times t;
	for (unsigned i = 0; i <= rounds; i++) {
		const bool first = i & 1;
		const double before = both && first ? p.by_hand() : 0;
		const moved_bytes start = moved_bytes::so_far();
		const double mine = p.plainly();
		const moved_bytes moved = moved_bytes::so_far().since(start);
		const double other = both && !first ? p.by_hand() : before;
		if (!i)
			continue;
		t.plainly.push_back(mine);
		t.by_hand.push_back(other);
		t.moved.to_host += moved.to_host;
		t.moved.to_device += moved.to_device;
	}
	return t;
}

void tell(const times &t, bool both, size_t nbytes, const het::device &device, const std::string &file)
{
	const double rounds = double(t.plainly.size());
	const double travelled = double(t.moved.to_host + t.moved.to_device) / rounds / double(2 * nbytes);
	report out("mpi-ping-pong", {{"bytes", nbytes}, {"rounds", t.plainly.size()}});
	out.document()["device"] = device.name();
	out.result("ping-pong/array", "us", summarise(t.plainly));
	out.value("ping-pong/array/moved", "", travelled);
	table shown(format("%zu bytes from array to array on devices (%s), one way", nbytes, device.name()),
		    {"µs", "median"});
	shown.row({"by its pointer", format("%.1f", median(t.plainly))});
	if (both) {
		const ratio r = paired_ratio(t.plainly, t.by_hand);
		out.result("ping-pong/by hand", "us", summarise(t.by_hand));
		out.ratio_of("ping-pong/array / by hand", r);
		shown.row({"copied by hand", format("%.1f", median(t.by_hand))});
		shown.note(format("ratio %.3f (%.3f to %.3f)", r.median, r.low, r.high));
	}
	shown.note(format("bytes between host and device / bytes sent and received: %.3f", travelled));
	shown.print();
	out.write(file);
}

int run(const ranks &r, const app_options &o, size_t kib)
{
	const size_t n = (o.small ? 64 : kib) * 1024 / sizeof(float);
	if (r.count != 2) {
		fprintf(stderr, "this needs two ranks: mpirun -n 2\n");
		return 2;
	}
	const het::device device = het::devices().front();
	const app_kernels kernels = {&vectoradd_kernels, {{"add", add_on_host, 4}}};
	het_side h({device}, het_side::way::alone, kernels);
	const auto plain = open_plain(device, kernels);
	players p(r, n, h, plain.get());
	const bool both = ranks::all(plain != nullptr);
	const times t = measure(p, both, o.small ? 3 : o.rounds);
	if (!r.me)
		tell(t, both, n * sizeof(float), device, o.common.json);
	if (p.are_right())
		return 0;
	printf("%s", r.me ? "" : "WRONG: the numbers are not those that were sent\n");
	return 1;
}

} // namespace

int main(int argc, char **argv)
{
	const ranks r(&argc, &argv);
	app_options o;
	size_t kib = 1024;
	command_line line("Messages from arrays on devices, against copies by hand.");
	add_app_options(line, o);
	line.number("--kib", kib, "KiB of a message");
	return line.run(argc, argv, [&] { return run(r, o, kib); });
}
