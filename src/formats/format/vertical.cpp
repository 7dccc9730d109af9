#include "formats/vertical.h"

namespace basalt
{

void register_vertical(FormatRegistry& registry)
{
    FormatEntry entry;
    entry.name = "Vertical";
    entry.output = make_output<VerticalOutput>;
    registry.add(std::move(entry));
}

} // namespace basalt
