// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps what the library says about commands that fail, until somebody asks for it.
#pragma once

#include <het.h>
#include <string>

namespace het::python
{

// This is a queue's on_error.
void note_message(int code, het_event *event, const char *message, void *);

// Returns what was said of the command, or a sentence for its status.
std::string message_of(het_event *event, int status);

// The event goes, and its address may become another one's.
void forget_message(het_event *event);

} // namespace het::python
