target_link_libraries(${target} PRIVATE edit jemalloc)
