target_link_libraries(${target} PRIVATE jemalloc)
# The node script that `basalt bench --against chdb` starts is carried in the binary.
file(READ ${CMAKE_SOURCE_DIR}/tools/peer/clickhouse_http.mjs peer_script)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/tools/peer/clickhouse_http.mjs)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/programs/peer_script.h @ONLY CONTENT
"#pragma once\n\ninline constexpr const char* kPeerScript = R\"peer(@peer_script@)peer\";\n")
target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
