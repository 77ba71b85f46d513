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
	if (!path_)
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
	return is_there_ ? read_launches()
			 : fail(o == checkpoint::outcome::no_memory ? HET_ENOMEM : HET_EFILE, "checkpoint file %s: %s",
				path(), why.text);
}

int checkpoint_store::read_launches()
{
	const checkpoint::item *i = held_.find(checkpoint::launches_name);
	if (!i)
		return 0;
	reference<stored_launches> l(new (std::nothrow) stored_launches);
	if (l)
		l->bytes_read.reset(static_cast<std::byte *>(calloc(i->nbytes, 1)));
	if (!l || !l->bytes_read)
		return fail(HET_ENOMEM, "checkpoint file %s: no memory for its launches", path());
	if (int err = read_stored_pages(*i, l->bytes_read.get()))
		return err;
	checkpoint::fault why;
	if (l->all.open({l->bytes_read.get(), i->nbytes}, why) != checkpoint::outcome::done)
		return fail(HET_EFILE, "checkpoint file %s: %s", path(), why.text);
	launches_ = std::move(l);
	return 0;
}

// Does not touch the memory of pages of zeros, which @to has: a small file may say so of any number.
int checkpoint_store::read_stored_pages(const checkpoint::item &i, std::byte *to)
{
	for (uint64_t first = 0, end = 0; first < i.npages(); first = end + 1) {
		for (end = first; end < i.npages() && i.pages[end].at;)
			end++;
		if (end == first)
			continue;
		if (int err = read(i, first, end - first, to + first * checkpoint::page_size))
			return err;
	}
	return 0;
}

int checkpoint_store::begin(uint64_t room, std::unique_ptr<checkpoint::generation_writer> &w)
{
	checkpoint::log_state s = state_;
	if (is_there_ && !file_.is_at(path()))
		return fail(HET_EFILE, "checkpoint file %s: it was removed or replaced; open it again", path());
	if (!is_there_) {
		if (!::access(path(), F_OK))
			return say_made_by_others();
		if (!made_.make(path()) || !checkpoint::begin_log(made_, new_identity(), 0, s))
			return fail(HET_EFILE, "checkpoint file %s: it can't be made: %s", path(), strerror(errno));
	}
	w.reset(new (std::nothrow) checkpoint::generation_writer(is_there_ ? file_ : made_, s, room));
	return w ? 0 : fail(HET_ENOMEM, "het_checkpoint_write: out of memory");
}

int checkpoint_store::say_made_by_others() const
{
	return fail(HET_ESTATE, "checkpoint file %s: something else has made it since it was opened", path());
}

void checkpoint_store::abandon(checkpoint::generation_writer &w)
{
	w.abandon();
	made_ = {};
}

// What was written counts where it is found by the file's name.
int checkpoint_store::put_in_place()
{
	if (is_there_)
		return file_.is_at(path())
			       ? 0
			       : fail(HET_EFILE,
				      "checkpoint file %s: it was removed or replaced while it was written; "
				      "open it again",
				      path());
	if (!made_.put_in_place(path(), false))
		return errno == EEXIST ? say_made_by_others()
				       : fail(HET_EFILE, "checkpoint file %s: it can't be put in place: %s", path(),
					      strerror(errno));
	file_ = std::exchange(made_, {});
	is_there_ = true;
	return 0;
}

int checkpoint_store::commit(checkpoint::generation_writer &w, reference<stored_launches> launches)
{
	checkpoint::fault why;
	checkpoint::contents::change next;
	checkpoint::log_state after;
	int err = w.write(held_, next, after, why) ? put_in_place() : say_failed(w, why);
	if (err) {
		abandon(w);
		return err;
	}
	{
		runtime_guard g(lock_);
		held_.commit(next);
		state_ = after;
		std::swap(launches_, launches);
	}
	name_lasts_ = name_lasts_ || file_.sync_name(path());
	if (!name_lasts_)
		err = fail(HET_EFILE,
			   "checkpoint file %s: it holds what was written, but if the machine stops it may have no "
			   "name, or be as before, as its folder can't be synchronized: %s; the next write tries "
			   "again",
			   path(), strerror(errno));
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
	if (!small.make(path(), &file_))
		return inform("checkpoint file %s: it can't be made smaller: %s", path(), strerror(errno));
	if (!checkpoint::write_anew(file_, small, new_identity(), held_, copied, s, why))
		return inform("checkpoint file %s: it can't be made smaller: %s", path(), why.text);
	if (!file_.is_at(path()))
		return inform("checkpoint file %s: it is not made smaller: it was removed or replaced", path());
	if (!small.put_in_place(path(), true))
		return inform("checkpoint file %s: it can't be made smaller: %s", path(), strerror(errno));
	// The old file is what is found if that is not on the disk, and has the same.
	name_lasts_ = small.sync_name(path());
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
	return {state_.generation, nitems(), state_.end, launches_ ? launches_->all.nlaunches() : 0};
}

// Launches are the last one.
size_t checkpoint_store::nitems() const
{
	return held_.all().size() - (launches_ ? 1 : 0);
}

reference<stored_launches> checkpoint_store::launches(uint64_t *generation)
{
	runtime_guard g(lock_);
	*generation = state_.generation;
	return reference<stored_launches>::to(launches_.get());
}

bool checkpoint_store::find_item(uint64_t number, char *name, uint64_t *nbytes)
{
	runtime_guard g(lock_);
	if (number >= nitems())
		return false;
	const checkpoint::item &i = held_.all()[number];
	memcpy(name, i.name, sizeof(i.name));
	*nbytes = i.nbytes;
	return true;
}

} // namespace het::rt
