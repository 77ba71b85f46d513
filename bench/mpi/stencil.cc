// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Computes heat on a plate as apps/stencil.cc does, of which each rank has rows. After a step the ranks exchange the
// rows that lie at each other's, from array to array.
#include "apps/common/heat.h"
#include "common/clock.h"
#include "common/format.h"
#include "common/report.h"
#include "common/table.h"
#include "mpi/ranks.h"

#include <cstdio>

using namespace bench;

namespace
{

struct sizes {
	size_t width = 1024, height = 1024; // of the plate, or with weak scaling of each rank's part
	unsigned steps = 50;
};

// Rows of the plate that a rank computes, with one more above and below: its neighbours', or the rim.
class part
{
      public:
	part(const ranks &r, const sizes &s, const std::vector<float> &plate) : r_(r), s_(s)
	{
		const size_t inner = s.height - 2;
		first_ = inner * size_t(r.me) / size_t(r.count);
		rows_ = inner * size_t(r.me + 1) / size_t(r.count) - first_ + 2;
		for (std::vector<float> &p : points_)
			p.assign(plate.begin() + ptrdiff_t(first_ * s.width),
				 plate.begin() + ptrdiff_t((first_ + rows_) * s.width));
	}

	void step(het_side &h, unsigned s)
	{
		h.launch("relax", heat_items(s_.width, rows_), het::read(points_[s % 2]),
			 het::write(points_[(s + 1) % 2]), uint32_t(s_.width), uint32_t(rows_), heat_rate)
			.wait();
	}
	void exchange(unsigned s)
	{
		float *p = points_[(s + 1) % 2].data();
		const int above = r_.me ? r_.me - 1 : MPI_PROC_NULL,
			  below = r_.me + 1 < r_.count ? r_.me + 1 : MPI_PROC_NULL, n = int(s_.width);
		MPI_Request q[4];
		MPI_Irecv(row(p, 0), n, MPI_FLOAT, above, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(row(p, rows_ - 1), n, MPI_FLOAT, below, 1, MPI_COMM_WORLD, &q[1]);
		MPI_Isend(row(p, 1), n, MPI_FLOAT, above, 1, MPI_COMM_WORLD, &q[2]);
		MPI_Isend(row(p, rows_ - 2), n, MPI_FLOAT, below, 0, MPI_COMM_WORLD, &q[3]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	}
	// Bytes that it sends and receives in an exchange.
	size_t halo_bytes() const
	{
		const size_t neighbours = (r_.me > 0) + (r_.me + 1 < r_.count);
		return 2 * neighbours * s_.width * sizeof(float);
	}
	double distance_from(const std::vector<double> &plate, unsigned steps) const
	{
		double largest = 0;
		for (size_t i = s_.width; i < (rows_ - 1) * s_.width; i++)
			largest = std::fmax(largest, distance(points_[steps % 2][i], plate[first_ * s_.width + i], 1));
		return largest;
	}

      private:
	float *row(float *p, size_t y) const { return p + y * s_.width; }

	const ranks &r_;
	const sizes s_;
	size_t first_, rows_;
	std::vector<float> points_[2];
};

struct measured {
	series steps, exchanges; // µs
	double moved = 0;        // bytes of all ranks between hosts and devices, from the end of the first step on
	double halo = 0;         // bytes that they sent and received
};

measured compute(part &p, het_side &h, unsigned steps)
{
	measured m;
	moved_bytes before;
	for (unsigned s = 0; s < steps; s++) {
		PMPI_Barrier(MPI_COMM_WORLD);
		stopwatch watch;
		p.step(h, s);
		if (!s)
			before = moved_bytes::so_far(); // all of it has gone to the device
		PMPI_Barrier(MPI_COMM_WORLD);
		m.steps.push_back(watch.lap());
		p.exchange(s);
		m.exchanges.push_back(watch.lap());
	}
	const moved_bytes moved = moved_bytes::so_far().since(before);
	m.moved = ranks::sum(double(moved.to_host + moved.to_device));
	m.halo = ranks::sum(double(p.halo_bytes()) * steps);
	return m;
}

void tell(const ranks &r, const sizes &s, const measured &m, const het::device &device, double error,
	  const std::string &file)
{
	report out("mpi-stencil", {{"width", s.width}, {"height", s.height}, {"steps", s.steps}, {"ranks", r.count}});
	out.document()["device"] = device.name();
	out.result("stencil/step", "us", summarise(m.steps));
	out.result("stencil/exchange", "us", summarise(m.exchanges));
	out.value("stencil/moved", "B", m.moved / s.steps);
	out.value("stencil/halo", "B", m.halo / s.steps);
	out.value("stencil/error", "", error);
	table shown(
		format("heat on a plate of %zu x %zu points, %d ranks (%s)", s.width, s.height, r.count, device.name()),
		{"", "a step"});
	shown.row({"kernel, µs", format("%.1f", median(m.steps))});
	shown.row({"exchange, µs", format("%.1f", median(m.exchanges))});
	shown.row({"halo rows sent and received, bytes", format("%.0f", m.halo / s.steps)});
	shown.row({"between hosts and devices, bytes", format("%.0f", m.moved / s.steps)});
	if (m.halo > 0) {
		out.value("stencil/moved / halo", "", m.moved / m.halo);
		shown.note(format("moved / halo: %.3f", m.moved / m.halo));
	}
	shown.note(format("error %.2g", error));
	shown.print();
	out.write(file);
}

int run(const ranks &r, const app_options &o, sizes s, bool weak)
{
	if (o.small)
		s = {3000, 70, 10};
	if (weak)
		s.height = (s.height - 2) * size_t(r.count) + 2;
	if (s.width < 3 || s.height < size_t(r.count) + 2) {
		fprintf(stderr, "a plate of %zu rows is too small for %d ranks\n", s.height, r.count);
		return 2;
	}
	const het::device device = het::devices().front();
	const std::vector<float> plate = random_floats(s.width * s.height, 1, 0, 100);
	part p(r, s, plate);
	het_side h({device}, het_side::way::alone, {&stencil_kernels, {{"relax", relax_on_host, 5}}});
	const measured m = compute(p, h, s.steps);
	const double error = p.distance_from(heat_after(plate, s.width, s.height, s.steps), s.steps);
	const bool right = ranks::all(error <= 1e-4);
	if (!r.me)
		tell(r, s, m, device, error, o.common.json);
	return r.end(right);
}

} // namespace

int main(int argc, char **argv)
{
	const ranks r(&argc, &argv);
	app_options o;
	sizes s;
	bool weak = false;
	command_line line("Heat on a plate over many steps, each rank of MPI's with rows of it on its device.");
	add_app_options(line, o);
	line.number("--width", s.width, "points in a row");
	line.number("--height", s.height, "rows");
	line.number("--steps", s.steps, "steps");
	line.flag("--weak", weak, "rows are those of each rank");
	return line.run(argc, argv, [&] { return run(r, o, s, weak); });
}
