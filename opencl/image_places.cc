// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
#include "image_places.h"

#include "image_formats.h"
#include "queue.h"

namespace hetcl
{

namespace
{

// A copy that has failed has left its target stale.
void settle(image_place &p)
{
	int status = HET_COMPLETE;
	if (!p.filled || het_event_status(p.filled.get(), &status) || status > HET_COMPLETE)
		return;
	p.is_current &= status == HET_COMPLETE;
	p.filled.reset();
}

// If all copies that there were have failed, what is at home is the best there is.
void settle(image &i)
{
	bool is_anywhere = false;
	settle(i.home);
	is_anywhere |= i.home.is_current;
	for (image_place &p : i.textures) {
		settle(p);
		is_anywhere |= p.is_current;
	}
	i.home.is_current |= !is_anywhere;
}

using events = std::vector<het_event *>;

// Enqueues a copy of texels between the memory object and a texture, from the first one on.
int enqueue_copy(const _cl_mem &m, const size_t (&region)[3], const image_place &p, bool to_texture,
		 const events &waits, het_queue *q, het_event **event)
{
	het_texture_copy_args a = {};
	a.size = sizeof(a);
	a.nwaits = waits.size();
	a.waits = waits.data();
	(to_texture ? a.to : a.from) = p.texture.get();
	std::copy_n(region, 3, a.region);
	a.host.memory = m.for_command();
	a.host.row_pitch = m.image->row;
	a.host.slice_pitch = m.image->slice;
	return het_texture_copy(q, &a, event);
}

bool has_ended(het_event *e)
{
	int status = HET_COMPLETE;
	return het_event_status(e, &status) || status <= HET_COMPLETE;
}

void forget_ended(std::vector<owner<het_event, het_event_release>> &all)
{
	std::erase_if(all, [](const auto &e) { return has_ended(e.get()); });
}

// What the host writes until an unmap begins is seen by no order of the runtime's.
events unmaps_of(_cl_mem &m)
{
	auto &all = m.root().unmaps;
	forget_ended(all);
	events left;
	for (const auto &e : all)
		left.push_back(e.get());
	return left;
}

// In the program's own queue a copy might stand behind commands that have nothing to do with the image, and others that
// read the image would wait for them.
int fill(command &c, _cl_mem &m, const image_place &p, bool to_texture, image_place &filled)
{
	het_event *made = nullptr;
	if (int err = enqueue_copy(m, m.image->extent, p, to_texture, unmaps_of(m), own_queue(), &made))
		return err;
	filled.filled.reset(made);
	filled.is_current = true;
	c.wait_for(made);
	return 0;
}

image_place *find_texture(image &i, het_device *d)
{
	const auto at =
		std::find_if(i.textures.begin(), i.textures.end(), [&](const image_place &p) { return p.device == d; });
	return at == i.textures.end() ? nullptr : &*at;
}

void note_written(image &i, const image_place &at)
{
	i.is_blank = false;
	i.home.is_current = &at == &i.home;
	for (image_place &p : i.textures)
		p.is_current = &at == &p;
}

bool is_of_buffer(const _cl_mem &m)
{
	return bool(m.whole);
}

// The program may write bytes of its own without a command, but not while a command uses them.
bool is_as_buffer(_cl_mem &m, image_place &p)
{
	forget_ended(p.users);
	const bool may_differ = m.root().host_pointer && p.users.empty();
	return p.is_current && p.writes == m.root().writes.load() && !may_differ;
}

// All bytes of a buffer that its image has are written, so the texture is as they are if nobody else has written since.
int write_back(_cl_mem &m, image_place &p, het_queue *q)
{
	const uint64_t before = m.root().writes.load();
	het_event *made = nullptr;
	if (int err = enqueue_copy(m, m.image->extent, p, false, {}, q, &made))
		return err;
	p.filled.reset(made);
	if (m.root().writes.fetch_add(1) == before)
		p.writes = before + 1;
	return 0;
}

} // namespace

std::unique_lock<std::mutex> order_images()
{
	static auto *lock = new std::mutex;
	return std::unique_lock(*lock);
}

int bring_home(command &c, _cl_mem &m)
{
	image &i = *m.image;
	settle(i);
	if (i.home.is_current)
		return 0;
	const auto from =
		std::find_if(i.textures.begin(), i.textures.end(), [](const image_place &p) { return p.is_current; });
	return fill(c, m, *from, false, i.home);
}

int make_texture(_cl_mem &m, het_device *d)
{
	image &i = *m.image;
	{
		const auto order = order_images();
		if (find_texture(i, d))
			return 0;
	}
	het_texture_args a = texture_like(i.shape, i.format);
	a.device = d;
	het_texture *made = nullptr;
	if (int err = het_texture_create(&a, &made))
		return err;
	image_place p;
	p.device = d;
	p.texture.reset(made);
	const auto order = order_images();
	if (!find_texture(i, d)) // others may have made one meanwhile
		i.textures.push_back(std::move(p));
	return 0;
}

int bring_to(command &c, _cl_mem &m, het_device *d, het_texture **texture)
{
	image &i = *m.image;
	image_place &p = *find_texture(i, d);
	*texture = p.texture.get();
	m.for_command(); // does what the texture is used for
	settle(i);
	if (is_of_buffer(m) ? is_as_buffer(m, p) : p.is_current || i.is_blank) {
		p.is_current = true;
		return 0;
	}
	const uint64_t writes = m.root().writes.load();
	int err = bring_home(c, m);
	if (!err)
		err = fill(c, m, p, true, p);
	if (!err)
		p.writes = writes;
	return err;
}

void note_written_at_home(_cl_mem &m)
{
	if (is_of_buffer(m))
		m.note_written();
	else
		note_written(*m.image, m.image->home);
}

int note_written_on(_cl_mem &m, het_device *d, het_queue *q)
{
	image_place &p = *find_texture(*m.image, d);
	if (is_of_buffer(m))
		return write_back(m, p, q);
	note_written(*m.image, p);
	return 0;
}

void note_used_on(_cl_mem &m, het_device *d, het_event *launch)
{
	if (!is_of_buffer(m) || !m.root().host_pointer)
		return;
	image_place &p = *find_texture(*m.image, d);
	forget_ended(p.users);
	het_event_retain(launch);
	p.users.emplace_back(launch);
}

void note_unmapped(_cl_mem &m, het_event *unmap)
{
	const auto order = order_images();
	if (m.image)
		note_written_at_home(m);
	else
		m.note_written();
	unmaps_of(m); // forgets those that have ended
	het_event_retain(unmap);
	m.root().unmaps.emplace_back(unmap);
}

// A copy to a texture comes after all that use it, and what writes the bytes it is copied from comes after the copy.
void end_textures(const _cl_mem &m)
{
	for (const image_place &p : m.image->textures)
		enqueue_copy(m, {1, 1, 1}, p, true, {}, own_queue(), nullptr);
}

bool is_current_on(_cl_mem &m, het_device *d)
{
	settle(*m.image);
	const image_place *p = find_texture(*m.image, d);
	return p && p->is_current;
}

} // namespace hetcl
