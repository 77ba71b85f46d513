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

// Enqueues a copy of all texels between the memory object and a texture.
int enqueue_copy(const _cl_mem &m, const image_place &p, bool to_texture, het_queue *q, het_event **event)
{
	const image &i = *m.image;
	het_texture_copy_args a = {};
	a.size = sizeof(a);
	(to_texture ? a.to : a.from) = p.texture.get();
	std::copy_n(i.extent, 3, a.region);
	a.host.memory = m.memory.get();
	a.host.row_pitch = i.row;
	a.host.slice_pitch = i.slice;
	return het_texture_copy(q, &a, event);
}

// In the program's own queue a copy might stand behind commands that have nothing to do with the image, and others that
// read the image would wait for them.
int fill(command &c, const _cl_mem &m, const image_place &p, bool to_texture, image_place &filled)
{
	het_event *made = nullptr;
	if (int err = enqueue_copy(m, p, to_texture, own_queue(), &made))
		return err;
	filled.filled.reset(made);
	filled.is_current = true;
	c.wait_for(made);
	return 0;
}

int make_texture(const image &i, image_place &p)
{
	het_texture_args a = texture_like(i.shape, i.format);
	a.device = p.device;
	het_texture *made = nullptr;
	const int err = het_texture_create(&a, &made);
	p.texture.reset(made);
	return err;
}

int find_texture(image &i, het_device *d, image_place **found)
{
	for (image_place &p : i.textures) {
		*found = &p;
		if (p.device == d)
			return 0;
	}
	image_place p;
	p.device = d;
	if (int err = make_texture(i, p))
		return err;
	i.textures.push_back(std::move(p));
	*found = &i.textures.back();
	return 0;
}

void note_written(image &i, const image_place &at)
{
	i.is_blank = false;
	i.home.is_current = &at == &i.home;
	for (image_place &p : i.textures)
		p.is_current = &at == &p;
}

// What else writes the bytes of a buffer is not seen here, so its images are copied each time.
bool is_of_buffer(const _cl_mem &m)
{
	return bool(m.whole);
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

int bring_to(command &c, _cl_mem &m, het_device *d, het_texture **texture)
{
	image &i = *m.image;
	image_place *p = nullptr;
	int err = find_texture(i, d, &p);
	if (err)
		return err;
	*texture = p->texture.get();
	settle(i);
	if (!is_of_buffer(m) && (p->is_current || i.is_blank)) {
		p->is_current = true;
		return 0;
	}
	err = bring_home(c, m);
	return err ? err : fill(c, m, *p, true, *p);
}

void note_written_at_home(_cl_mem &m)
{
	note_written(*m.image, m.image->home);
}

int note_written_on(_cl_mem &m, het_device *d, het_queue *q)
{
	image_place *p = nullptr;
	if (int err = find_texture(*m.image, d, &p))
		return err;
	if (is_of_buffer(m))
		return enqueue_copy(m, *p, false, q, nullptr);
	note_written(*m.image, *p);
	return 0;
}

bool is_current_on(_cl_mem &m, het_device *d)
{
	settle(*m.image);
	return std::any_of(m.image->textures.begin(), m.image->textures.end(),
			   [&](const image_place &p) { return p.device == d && p.is_current; });
}

} // namespace hetcl
