// ORDER BY … WITH FILL is planned but not yet run.

#include "base/error.h"
#include "executor/build.h"

namespace basalt
{

OperatorPtr build_fill(FillNode&, OperatorPtr, BuildState&)
{
    throw Error(error_codes::NOT_IMPLEMENTED, "WITH FILL is not implemented");
}

} // namespace basalt
