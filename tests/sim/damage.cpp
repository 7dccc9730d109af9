// Damage of files: after it answers are right or name an error, and the rest is served.

#include "simulation.h"

namespace basalt::sim
{

void Simulation::damage()
{
}

} // namespace basalt::sim
