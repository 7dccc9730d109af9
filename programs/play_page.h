#pragma once

#include <string>

namespace basalt
{

// The page at /play: a query editor that needs nothing but the browser.
std::string play_page();

} // namespace basalt
