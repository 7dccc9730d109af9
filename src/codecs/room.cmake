target_link_libraries(${target} PUBLIC fmt lz4 zstd xxhash)
