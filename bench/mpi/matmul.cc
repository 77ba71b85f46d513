// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Multiplies two square matrices. Each rank has rows of both and of their product. The rows of the second matrix go
// round from rank to rank, from array to array, while kernels use those that are there: sends and kernels that read
// share.
#include "apps/common/product.h"
#include "common/clock.h"
#include "common/format.h"
#include "common/report.h"
#include "common/table.h"
#include "mpi/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace bench;

namespace
{

// Returns rows of the matrix that all ranks know by its seed.
std::vector<float> rows_of(size_t n, size_t first, size_t rows, unsigned seed)
{
	const std::vector<float> all = random_floats(n * n, seed, 0, 1);
	return {all.begin() + ptrdiff_t(first * n), all.begin() + ptrdiff_t((first + rows) * n)};
}

std::vector<double> times(const std::vector<float> &rows, const std::vector<double> &x)
{
	std::vector<double> product(rows.size() / x.size());
	for (size_t y = 0; y < product.size(); y++)
		for (size_t i = 0; i < x.size(); i++)
			product[y] += double(rows[y * x.size() + i]) * x[i];
	return product;
}

class part
{
      public:
	part(const ranks &r, size_t n)
	    : r_(r), n_(n), rows_(n / size_t(r.count)), holder_(r.me),
	      a_(rows_of(n, first(r.me), rows_, 1)), b_{rows_of(n, first(r.me), rows_, 2),
							std::vector<float>(rows_ * n)},
	      c_(rows_ * n)
	{
	}

	// Each rank has all rows of b once. At the end it has those that the one behind it had.
	void multiply(het_side &h)
	{
		for (int step = 0; step < r_.count; step++) {
			const bool is_last = step + 1 == r_.count;
			het::event product = launch(h, !step);
			if (!is_last)
				pass_on();
			product.wait();
			if (!is_last) {
				std::swap(here_, next_);
				holder_ = (holder_ + 1) % r_.count;
			}
		}
	}
	// Bytes that it sends and receives in a multiplication.
	size_t message_bytes() const { return 2 * size_t(r_.count - 1) * rows_ * n_ * sizeof(float); }
	// The product has to do to random numbers what the two matrices do to them one after the other (Freivalds).
	double error() const
	{
		std::vector<double> x(n_);
		const std::vector<float> some = random_floats(n_, 3, 0, 1);
		std::copy(some.begin(), some.end(), x.begin());
		const std::vector<double> wanted = times(a_, times(rows_of(n_, 0, n_, 2), x)), got = times(c_, x);
		double largest = 0;
		for (size_t y = 0; y < rows_; y++)
			largest = std::fmax(largest, distance(got[y], wanted[y], 1));
		return largest;
	}

      private:
	size_t first(int rank) const { return rows_ * size_t(rank); }
	het::event launch(het_side &h, bool fresh)
	{
		const auto run = [&](const auto &c) {
			return h.launch("multiply_part", product_items(n_, rows_), het::read(a_), het::read(b_[here_]),
					c, uint32_t(n_), uint32_t(first(holder_)), uint32_t(rows_), uint32_t(fresh));
		};
		return fresh ? run(het::write(c_)) : run(het::read_write(c_));
	}
	void pass_on()
	{
		const int before = (r_.me + r_.count - 1) % r_.count, behind = (r_.me + 1) % r_.count,
			  n = int(rows_ * n_);
		MPI_Request q[2];
		MPI_Irecv(b_[next_].data(), n, MPI_FLOAT, behind, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(b_[here_].data(), n, MPI_FLOAT, before, 0, MPI_COMM_WORLD, &q[1]);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	}

	const ranks &r_;
	const size_t n_, rows_;
	int holder_; // had these rows of b at the beginning
	size_t here_ = 0, next_ = 1;
	std::vector<float> a_, b_[2], c_;
};

struct measured {
	series products;     // µs
	double moved = 0;    // bytes of all ranks between hosts and devices in a product
	double messages = 0; // bytes that they sent and received
};

// The first product is not measured: in it all goes to the devices.
measured compute(part &p, het_side &h, unsigned rounds)
{
	measured m;
	p.multiply(h);
	const moved_bytes before = moved_bytes::so_far();
	for (unsigned i = 0; i < rounds; i++) {
		PMPI_Barrier(MPI_COMM_WORLD);
		stopwatch watch;
		p.multiply(h);
		PMPI_Barrier(MPI_COMM_WORLD);
		m.products.push_back(watch.lap());
	}
	const moved_bytes moved = moved_bytes::so_far().since(before);
	m.moved = ranks::sum(double(moved.to_host + moved.to_device)) / rounds;
	m.messages = ranks::sum(double(p.message_bytes()));
	return m;
}

void tell(const ranks &r, size_t n, const measured &m, const het::device &device, double error, const std::string &file)
{
	const double operations = 2 * std::pow(double(n), 3), rate = operations / median(m.products) / 1e3;
	report out("mpi-matmul", {{"size", n}, {"ranks", r.count}});
	out.document()["device"] = device.name();
	out.result("matmul/product", "us", summarise(m.products));
	out.value("matmul/rate", "Gflop/s", rate);
	out.value("matmul/moved", "B", m.moved);
	out.value("matmul/messages", "B", m.messages);
	out.value("matmul/error", "", error);
	table shown(format("matrix product, %zu x %zu, %d ranks (%s)", n, n, r.count, device.name()),
		    {"", "a product"});
	shown.row({"time, µs", format("%.1f", median(m.products))});
	shown.row({"Gflop/s", format("%.2f", rate)});
	shown.row({"sent and received, bytes", format("%.0f", m.messages)});
	shown.row({"between hosts and devices, bytes", format("%.0f", m.moved)});
	if (m.messages > 0) {
		out.value("matmul/moved / messages", "", m.moved / m.messages);
		shown.note(format("moved / messages: %.3f", m.moved / m.messages));
	}
	shown.note(format("error %.2g", error));
	shown.print();
	out.write(file);
}

int run(const ranks &r, const app_options &o, size_t size, bool weak)
{
	if (o.small)
		size = 64;
	if (weak)
		size = size_t(std::lround(double(size) * std::cbrt(r.count)));
	const size_t n = whole_groups_of(product_tile * size_t(r.count), size);
	const het::device device = het::devices().front();
	part p(r, n);
	het_side h({device}, het_side::way::alone, {&matmul_kernels, {{"multiply_part", multiply_part_on_host, 7}}});
	const measured m = compute(p, h, o.small ? 1 : o.rounds);
	const double error = ranks::most(p.error());
	const bool right = error <= 1e-5;
	if (!r.me)
		tell(r, n, m, device, error, o.common.json);
	return r.end(right);
}

} // namespace

int main(int argc, char **argv)
{
	const ranks r(&argc, &argv);
	app_options o;
	size_t size = 512;
	bool weak = false;
	command_line line("The product of two square matrices, each rank of MPI's with rows of it on its device.");
	add_app_options(line, o);
	line.number("--size", size, "rows and columns, rounded up to a multiple of 16 for each rank");
	line.flag("--weak", weak, "with one rank: the work grows with the ranks");
	return line.run(argc, argv, [&] { return run(r, o, size, weak); });
}
