// SPDX-License-Identifier: GPL-2.0
/*
 * State bytes.
 *
 * User space reads them at any time, and so do threads that wait; each byte is
 * valid by itself. They are changed under gvm_region.lock, for write or for
 * read with gvm_region.marks. Runs of equal bytes are found and filled eight at
 * a time.
 */
#include <linux/string.h>

#include "gpuvm_drv.h"

static u8 *byte_of(const struct gvm_region *r, unsigned long at)
{
	unsigned long page = r->first + at;

	return r->states[page / PAGE_SIZE - r->first / PAGE_SIZE] + page % PAGE_SIZE;
}

u8 gvm_state(const struct gvm_region *r, unsigned long at)
{
	return READ_ONCE(*byte_of(r, at));
}

/* A run is equal bytes that lie together. */
struct run {
	u8 *bytes;
	unsigned long n;
	u8 state;
};

/*
 * Finds the run that @s begins with, and takes it off. Whoever holds
 * gvm_region.lock for read may see another change SHARED to HOST: then a run
 * ends early, or is what it was.
 */
static struct run next_run(const struct gvm_region *r, struct gvm_span *s)
{
	u8 *p = byte_of(r, s->begin);
	struct run run = { p, min(s->end - s->begin, PAGE_SIZE - offset_in_page(p)), READ_ONCE(*p) };
	u8 *other = data_race(memchr_inv(p, run.state, run.n));

	if (other > p)
		run.n = other - p;
	else if (other)
		run.n = 1;
	s->begin += run.n;
	return run;
}

/* Some look at bytes without a lock; each changes once. */
static void set_run(const struct run *run, u8 state)
{
	data_race(memset(run->bytes, state, run->n));
}

/* Returns whether all states in @s are of the given @kinds (bit numbers). */
bool gvm_states_are(const struct gvm_region *r, struct gvm_span s, unsigned long kinds)
{
	while (s.begin < s.end) {
		struct run run = next_run(r, &s);

		if (!(BIT(run.state & GPUVM_STATE_MASK) & kinds))
			return false;
	}
	return true;
}

/*
 * Changing to HOST unmaps nothing: what was SHARED stays read-only until the
 * next write.
 */
static bool must_unmap(u8 old, u8 new)
{
	switch (old & GPUVM_STATE_MASK) {
	case GPUVM_STATE_HOST:
		return new != GPUVM_STATE_HOST;
	case GPUVM_STATE_SHARED:
		return new != GPUVM_STATE_HOST && new != GPUVM_STATE_SHARED;
	default:
		return false;
	}
}

/* The caller holds the region's lock for write. */
void gvm_states_set(struct gvm_region *r, struct gvm_span s, u8 new, struct gvm_change *change)
{
	while (s.begin < s.end) {
		struct run run = next_run(r, &s);

		if (must_unmap(run.state, new))
			change->unmap = true;
		if (run.state & GPUVM_STATE_UPGRADED)
			change->upgraded += run.n;
		set_run(&run, new);
	}
}

/* The caller holds the region's lock for write. */
void gvm_states_wake(struct gvm_region *r, struct gvm_span s)
{
	while (s.begin < s.end) {
		struct run run = next_run(r, &s);

		if (run.state == GVM_DEVICE_POSTED)
			set_run(&run, GPUVM_STATE_DEVICE);
	}
}

/*
 * Returns false if no byte was @old. The caller holds the region's lock for
 * read, and @r->marks.
 */
static bool replace(struct gvm_region *r, struct gvm_span s, u8 old, u8 new)
{
	bool any = false;

	while (s.begin < s.end) {
		struct run run = next_run(r, &s);

		if (run.state == old) {
			set_run(&run, new);
			any = true;
		}
	}
	return any;
}

/*
 * Makes SHARED pages HOST. The counter changes twice. Another thread may see
 * HOST, write and be done with only the first change made; whoever looks at the
 * bytes after that sees its flag. Whoever saw the first change and came to the
 * bytes too early finds the second one the next time.
 */
void gvm_states_upgrade(struct gvm_region *r, struct gvm_span s)
{
	spin_lock(&r->marks);
	WRITE_ONCE(*r->upgrades, *r->upgrades + 1);
	/* This one and the next pair with the acquiring load in user space. */
	smp_wmb();
	replace(r, s, GPUVM_STATE_SHARED, GPUVM_STATE_HOST | GPUVM_STATE_UPGRADED);
	/* See above. */
	smp_store_release(r->upgrades, *r->upgrades + 1);
	spin_unlock(&r->marks);
}

/*
 * Puts a touch into the ring unless its chunk is there already. Returns false
 * if the ring is full.
 */
bool gvm_states_post(struct gvm_region *r, unsigned long at, const struct gpuvm_touch *touch)
{
	bool posted;

	spin_lock(&r->marks);
	posted = gvm_state(r, at) & GPUVM_STATE_POSTED;
	if (!posted && gvm_ring_post(&r->ctx->ring, touch))
		posted = replace(r, gvm_chunk(r, at), GPUVM_STATE_DEVICE, GVM_DEVICE_POSTED);
	spin_unlock(&r->marks);
	return posted;
}
