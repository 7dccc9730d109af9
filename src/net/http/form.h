#pragma once

// A form (multipart/form-data) in place of a query's body.

#include "engine/external_table.h"
#include "net/http/request.h"

#include <memory>
#include <string>
#include <vector>

namespace basalt
{

// Fields become parameters of the request, files tables of the session for as long as the result lives.
// timezone: the server's. Throws BAD_ARGUMENTS, LIMIT_EXCEEDED, what formats throw.
std::vector<std::unique_ptr<ExternalTable>> take_form(HttpRequest& request, InputBuffer& body,
                                                      Session& session,
                                                      const std::string& timezone);

// Whether the parameter is x_structure, x_types or x_format of one of these tables x.
bool describes_external(const std::string& parameter,
                        const std::vector<std::unique_ptr<ExternalTable>>& tables);

} // namespace basalt
