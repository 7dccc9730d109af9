target_link_libraries(${target} PUBLIC fmt re2 simdjson icuuc)
target_link_libraries(${target} PRIVATE OpenSSL::Crypto roaring)
