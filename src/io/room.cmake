target_link_libraries(${target} PRIVATE OpenSSL::SSL)
