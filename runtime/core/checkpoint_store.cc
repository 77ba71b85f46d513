// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "core/checkpoint_store.h"

#include "fatbin/checksum.h"
#include "os/clock.h"
#include "os/log.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <het.h>
#include <unistd.h>
#include <utility>

namespace het::rt
{

namespace
{

constexpr char suffix[] = ".new";
// What is of no use any longer may be as much as what is, and this.
constexpr uint64_t useless_room = uint64_t{16} << 20;

uint64_t new_identity()
{
	const uint64_t moment[] = {uint64_t(getpid()), uint64_t(gettid()), now_ns(), uint64_t(time(nullptr))};
	return fatbin::checksum(std::as_bytes(std::span(moment)));
}

std::unique_ptr<char[]> join(const char *a, const char *b)
{
	const size_t n = strlen(a), m = strlen(b);
	std::unique_ptr<char[]> text(new (std::nothrow) char[n + m + 1]);
	if (text) {
		memcpy(text.get(), a, n);
		memcpy(text.get() + n, b, m + 1);
	}
	return text;
}

struct freed {
	void operator()(char *text) const { free(text); }
};
using c_text = std::unique_ptr<char, freed>;

// Returns a path that means the same file whatever becomes the process's folder. What takes a file's place has to lie
// beside that, and not beside a link to it.
std::unique_ptr<char[]> lasting(const char *path)
{
	if (const c_text there{realpath(path, nullptr)})
		return join(there.get(), "");
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	std::unique_ptr<char[]> folder = join(path, "");
	if (folder)
		folder[size_t(name - path)] = 0;
	const c_text whole{folder ? realpath(slash ? folder.get() : ".", nullptr) : nullptr};
	if (!whole)
		return join(path, ""); // who opens it is told why it can't be
	folder = join(whole.get(), "/");
	return folder ? join(folder.get(), name) : nullptr;
}

} // namespace

int checkpoint_store::say_failed(const checkpoint::generation_writer &w, const checkpoint::fault &why) const
{
	return fail(w.lacks_memory() ? HET_ENOMEM : HET_EFILE, "checkpoint file %s: %s", path(), why.text);
}

int checkpoint_store::open(const char *given, bool read_only)
{
	read_only_ = read_only;
	path_ = lasting(given);
	path_of_new_ = path_ ? join(path(), suffix) : nullptr;
	if (!path_ || !path_of_new_)
		return fail(HET_ENOMEM, "het_checkpoint_open: out of memory");
	switch (file_.open(path(), read_only)) {
	case disk_file::opened::absent:
		return read_only ? fail(HET_EFILE, "checkpoint file %s: there is none", path()) : 0;
	case disk_file::opened::in_use:
		return fail(HET_ESTATE,
			    "checkpoint file %s: something else has it open to write it; open it to be read only",
			    path());
	case disk_file::opened::failed:
		return fail(HET_EFILE, "checkpoint file %s: it can't be opened: %s", path(), strerror(errno));
	case disk_file::opened::yes:
		break;
	}
	checkpoint::fault why;
	const checkpoint::outcome o = checkpoint::read_log(file_, held_, state_, why);
	is_there_ = o == checkpoint::outcome::done;
	return is_there_ ? 0
			 : fail(o == checkpoint::outcome::no_memory ? HET_ENOMEM : HET_EFILE, "checkpoint file %s: %s",
				path(), why.text);
}

int checkpoint_store::begin(uint64_t room, std::unique_ptr<checkpoint::generation_writer> &w)
{
	checkpoint::log_state s = state_;
	if (is_there_ && !file_.is_at(path()))
		return fail(HET_EFILE, "checkpoint file %s: it was removed or replaced; open it again", path());
	if (!is_there_) {
		if (!::access(path(), F_OK))
			return fail(HET_ESTATE, "checkpoint file %s: something else has made it since it was opened",
				    path());
		const disk_file::opened o = made_.make(path_of_new_.get());
		if (o == disk_file::opened::in_use)
			return fail(HET_ESTATE, "checkpoint file %s: something else is making it", path());
		if (o != disk_file::opened::yes || !checkpoint::begin_log(made_, new_identity(), 0, s))
			return fail(HET_EFILE, "checkpoint file %s: it can't be made: %s", path_of_new_.get(),
				    strerror(errno));
	}
	w.reset(new (std::nothrow) checkpoint::generation_writer(is_there_ ? file_ : made_, s, room));
	return w ? 0 : fail(HET_ENOMEM, "het_checkpoint_write: out of memory");
}

void checkpoint_store::abandon(checkpoint::generation_writer &w)
{
	w.abandon();
	if (!is_there_) {
		unlink(path_of_new_.get());
		made_ = {};
	}
}

// The generation counts in what is open. It is not in place yet if the file was not there.
int checkpoint_store::commit(checkpoint::generation_writer &w)
{
	checkpoint::fault why;
	checkpoint::contents::change next;
	checkpoint::log_state after;
	if (!w.write(held_, next, after, why)) {
		abandon(w);
		return say_failed(w, why);
	}
	bool stands = true;
	int err = 0;
	if (!is_there_ && !disk_file::put_in_place(path_of_new_.get(), path(), false, &stands))
		err = fail(HET_EFILE, "checkpoint file %s: it can't be put in place: %s", path(), strerror(errno));
	if (!stands) {
		abandon(w);
		return err;
	}
	if (!is_there_)
		file_ = std::exchange(made_, {});
	is_there_ = true;
	{
		runtime_guard g(lock_);
		held_.commit(next);
		state_ = after;
	}
	if (!err && state_.end > 2 * held_.stored_bytes() + useless_room)
		make_smaller();
	return err;
}

// The file has what counts in any case: if this fails it stays as it is.
void checkpoint_store::make_smaller()
{
	disk_file small;
	checkpoint::fault why;
	checkpoint::contents copied;
	checkpoint::log_state s = state_;
	bool stands = false;
	if (small.make(path_of_new_.get(), &file_) != disk_file::opened::yes)
		return inform("checkpoint file %s: it can't be made smaller: %s", path(), strerror(errno));
	if (!checkpoint::write_anew(file_, small, new_identity(), held_, copied, s, why))
		inform("checkpoint file %s: it can't be made smaller: %s", path(), why.text);
	else if (!file_.is_at(path()))
		inform("checkpoint file %s: it is not made smaller: it was removed or replaced", path());
	else if (!disk_file::put_in_place(path_of_new_.get(), path(), true, &stands))
		inform("checkpoint file %s: it can't be made smaller: %s", path(), strerror(errno));
	if (!stands) {
		unlink(path_of_new_.get());
		return;
	}
	file_ = std::move(small);
	runtime_guard g(lock_);
	held_.swap(copied);
	state_ = s;
}

int checkpoint_store::read(const checkpoint::item &i, uint64_t first, uint64_t count, std::byte *to)
{
	checkpoint::fault why;
	return checkpoint::read_pages(file_, i, first, count, to, why) == checkpoint::outcome::done
		       ? 0
		       : fail(HET_EFILE, "checkpoint file %s: %s", path(), why.text);
}

checkpoint_store::summary checkpoint_store::look()
{
	runtime_guard g(lock_);
	return {state_.generation, held_.all().size(), state_.end};
}

bool checkpoint_store::find_item(uint64_t number, char *name, uint64_t *nbytes)
{
	runtime_guard g(lock_);
	if (number >= held_.all().size())
		return false;
	const checkpoint::item &i = held_.all()[number];
	memcpy(name, i.name, sizeof(i.name));
	*nbytes = i.nbytes;
	return true;
}

} // namespace het::rt
