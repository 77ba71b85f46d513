// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Commands go this way through graph and executors: they are added, handed out when they are ready, finished, waited
// for.
#pragma once

#include "core/executor.h"

namespace het::rt
{

// Adds the command to the graph and sees to it that it runs. It takes one reference of the caller's, in any case; of
// the follower, if there is one, too. Returns 0 or a code; after a code it is as if they had never been.
int enqueue(het_event *e, const command_graph::place &p, const command_graph::follower &then = {});

// Does the same with one that goes before others, as urgently as anything is.
int enqueue_before(het_event *e, const command_graph::follower &then, overtaking &o);

// From now on this thread, for which others wait, calls no code of the program's that ends of commands bring: callbacks
// run on the teller, for which nobody waits. start_teller() has been true, which it is not if no thread can be had.
void tell_elsewhere();
bool start_teller();
// This is that thread. What it waits for may come back to it: it has to go on looking.
bool is_teller();

// Starts what is no command of the program's: it is in no graph, and ready. It takes one reference.
void start_part(het_event *e, executor &on);

// The command is over: this tells all who wait, and hands out what has become ready.
void finish(het_event &e, int status);

// What uses bytes of @r and has begun, and what that waits for, becomes as urgent as anything is.
void raise_users(range r);

// The command was handed out behind others and can't begin: it waits for their ends.
void wait_for_ends(het_event &e);

// Waits, and helps.
void wait_for(het_event &e);

// Makes the event one that only claim() and finish() end.
void open_user_event(het_event &e);
// Claims the user event for the caller, who alone is to finish it then. It is false if somebody else is to, or has.
bool claim(het_event &user_event);

} // namespace het::rt
