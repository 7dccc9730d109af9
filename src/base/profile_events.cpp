#include "base/profile_events.h"

namespace basalt
{

std::string_view profile_event_name(ProfileEvent event)
{
    static constexpr std::string_view kNames[] = {
#define BASALT_EVENT(name) #name,
        BASALT_PROFILE_EVENTS(BASALT_EVENT)
#undef BASALT_EVENT
    };
    return kNames[static_cast<size_t>(event)];
}

ProfileCounters& server_profile_counters()
{
    static ProfileCounters counters;
    return counters;
}

} // namespace basalt
