#pragma once

// Settings as peers before revision 54429 send them: name and a value whose form depends on the
// setting's type; an empty name ends them.

#include "net/native/messages.h"

namespace basalt
{

// UNKNOWN_SETTING for a name whose type is not known: what follows cannot be read then.
std::vector<NativeSetting> read_binary_settings(InputBuffer& in);

} // namespace basalt
