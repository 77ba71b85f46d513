// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Measures checkpoint files: a part of a large memory object changes, by launches on a device or by the host, and it is
// written; in the same round all of it is copied to memory, and that to the disk, which is what a program without them
// would do. Restores are timed as well.
#include "common/clock.h"
#include "common/format.h"
#include "common/kernel_text.h"
#include "common/options.h"
#include "common/report.h"
#include "common/table.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <het.hpp>
#include <memory>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

namespace bench
{
extern const kernel_text change_kernels;
}

using namespace bench;

namespace
{

struct options {
	common_options common;
	size_t megabytes = 4096;
	float percent = 1;
	unsigned pieces = 64; // lie apart
	unsigned rounds = 7;
	std::string file = "checkpoint.tmp";
};

void change_on_host(const het_group *g, void *const *args)
{
	auto *p = static_cast<uint64_t *>(args[0]);
	for (size_t i = g->first[0]; i < g->first[0] + g->items[0]; i++)
		p[i]++;
}

void check_file(bool ok, const std::string &path)
{
	if (!ok)
		throw std::runtime_error(format("%s: %s", path.c_str(), strerror(errno)));
}

enum class changer : uint8_t { device, host };

struct seen {
	series pause, until_safe, copy, copy_and_disk, restore; // ms
	series bytes, compared;                                 // of all
};

class problem
{
      public:
	problem(const options &o, het::device d)
	    : options_(o), device_(d), nbytes_(o.megabytes << 20), queue_({d}), object_(nbytes_),
	      copy_(new char[nbytes_])
	{
		static const het_function functions[] = {{"change", change_on_host, 1}};
		const het_image image = {HET_IMAGE_PTX, 0, change_kernels.ptx, strlen(change_kernels.ptx)};
		program_ = het::program(
			het::sources().opencl(change_kernels.opencl).images(std::array{image}).functions(functions));
		kernel_ = het::kernel(program_, "change");
		auto *words = object_.as<uint64_t>();
		for (size_t i = 0; i < nbytes_ / sizeof(uint64_t); i++)
			words[i] = i * 0x9e3779b97f4a7c15;
		memset(copy_.get(), 1, nbytes_);
		unlink(o.file.c_str());
		file_ = het::checkpoint_file(o.file.c_str());
		// All of it has been there once.
		queue_.launch(kernel_, het::work(nbytes_ / sizeof(uint64_t)), het::read_write(object_)).wait();
		write();
	}
	~problem()
	{
		unlink(options_.file.c_str());
		unlink(other_file().c_str());
	}
	problem(const problem &) = delete;
	problem &operator=(const problem &) = delete;

	void round(changer by, seen &into)
	{
		change(by);
		stopwatch watch;
		write();
		into.until_safe.push_back(watch.lap() / 1e3);
		const het_checkpoint_info i = file_.info();
		into.pause.push_back(double(i.pause_ns) / 1e6);
		into.bytes.push_back(double(i.written_bytes) / double(nbytes_));
		into.compared.push_back(double(i.compared_bytes) / double(nbytes_));
		copy_all(into);
	}
	void restore(seen &into)
	{
		stopwatch watch;
		queue_.restore(file_, {het::named("object", object_)}).wait();
		into.restore.push_back(watch.lap() / 1e3);
		if (memcmp(object_.as<char>(), copy_.get(), nbytes_) != 0)
			throw std::runtime_error("what was restored is wrong");
	}

      private:
	std::string other_file() const { return options_.file + ".copy"; }
	void write() { queue_.write(file_, {het::named("object", object_)}).wait(); }

	void change(changer by)
	{
		const size_t all = size_t(double(nbytes_) * double(options_.percent) / 100);
		const size_t piece = std::max<size_t>(all / options_.pieces / 4096, 1) * 4096;
		for (unsigned k = 0; k < options_.pieces; k++) {
			const size_t at = nbytes_ / options_.pieces * k / 4096 * 4096;
			if (by == changer::host) {
				for (size_t i = at; i < at + piece; i += sizeof(uint64_t))
					object_.as<uint64_t>()[i / sizeof(uint64_t)]++;
				continue;
			}
			queue_.launch(kernel_, het::work(piece / sizeof(uint64_t)),
				      het::read_write(object_.part(at, piece)));
		}
		queue_.finish();
	}

	// Memory was touched before, and the file is made anew.
	void copy_all(seen &into)
	{
		stopwatch watch;
		queue_.copy({copy_.get()}, {object_, 0}, nbytes_).wait();
		const double copied = watch.lap();
		const int fd = open(other_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
		check_file(fd >= 0, other_file());
		for (size_t done = 0; done < nbytes_;) {
			const ssize_t n = ::write(fd, copy_.get() + done, nbytes_ - done);
			check_file(n > 0, other_file());
			done += size_t(n);
		}
		check_file(!fdatasync(fd), other_file());
		close(fd);
		into.copy.push_back(copied / 1e3);
		into.copy_and_disk.push_back((copied + watch.lap()) / 1e3);
	}

	const options &options_;
	const het::device device_;
	const size_t nbytes_;
	const het::queue queue_;
	const het::memory object_;
	const std::unique_ptr<char[]> copy_;
	het::program program_;
	het::kernel kernel_;
	het::checkpoint_file file_;
};

std::string words(const ratio &r)
{
	return format("%.4f (%.4f to %.4f)", r.median, r.low, r.high);
}

void tell(const char *name, const seen &s, report &out, table &shown)
{
	const ratio pause = paired_ratio(s.pause, s.copy_and_disk), to_copy = paired_ratio(s.pause, s.copy),
		    bytes = median_interval(s.bytes);
	const std::string path = std::string("changed by ") + name;
	out.result(path + "/pause", "ms", summarise(s.pause));
	out.result(path + "/until it is safe", "ms", summarise(s.until_safe));
	out.result(path + "/full copy", "ms", summarise(s.copy));
	out.result(path + "/full copy and disk", "ms", summarise(s.copy_and_disk));
	out.ratio_of(path + "/pause / full copy and disk", pause);
	out.ratio_of(path + "/pause / full copy", to_copy);
	out.ratio_of(path + "/bytes / all", bytes);
	out.ratio_of(path + "/compared / all", median_interval(s.compared));
	shown.row({name, format("%.1f", median(s.pause)), format("%.1f", median(s.until_safe)),
		   format("%.1f", median(s.copy)), format("%.1f", median(s.copy_and_disk)), words(pause), words(bytes),
		   format("%.3f", median(s.compared))});
}

int run(options o)
{
	if (o.common.quick) {
		o.megabytes = std::min<size_t>(o.megabytes, 16);
		o.rounds = std::min(o.rounds, 2u);
		o.pieces = std::min(o.pieces, 4u);
	}
	const het::device d = het::devices().front();
	report out("checkpoint", {{"megabytes", o.megabytes},
				  {"percent", o.percent},
				  {"pieces", o.pieces},
				  {"rounds", o.rounds},
				  {"device", d.name()}});
	table shown(format("Checkpoint files, %zu MiB of which %.3g %% change, %s", o.megabytes, double(o.percent),
			   d.name()),
		    {"changed by", "pause, ms", "until safe, ms", "full copy, ms", "and disk, ms",
		     "pause / full copy and disk", "bytes / all", "compared / all"});
	problem p(o, d);
	seen device, host;
	for (unsigned r = 0; r < o.rounds; r++) {
		p.round(changer::device, device);
		p.round(changer::host, host);
	}
	p.restore(host);
	tell("device", device, out, shown);
	tell("host", host, out, shown);
	out.result("restore", "ms", summarise(host.restore));
	shown.note(format("A restore takes %.1f ms.", median(host.restore)));
	shown.print();
	out.write(o.common.json);
	return 0;
}

} // namespace

int main(int argc, char **argv)
{
	options o;
	command_line line("Writes a large object to a checkpoint file when a part of it has changed.");
	add_common_options(line, o.common);
	line.number("--megabytes", o.megabytes, "size of the object");
	line.number("--percent", o.percent, "of it that changes");
	line.number("--pieces", o.pieces, "that lie apart");
	line.number("--rounds", o.rounds, "of each kind");
	line.text("--file", o.file, "is made, and one beside it, on the disk that is measured");
	return line.run(argc, argv, [&] { return run(o); });
}
