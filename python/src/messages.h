// SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
// Keeps what the library says about commands that fail, until somebody asks for it.
#pragma once

#include <het.h>
#include <string>

namespace het::python
{

// This is a queue's on_error.
void note_message(int code, het_event *event, const char *message, void *);

// Takes what was said of the command, or a sentence for its status.
std::string take_message(het_event *event, int status);

} // namespace het::python
