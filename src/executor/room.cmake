# GROUP BY charges what states allocate by jemalloc's counters of the thread; sanitizers replace
# malloc themselves.
if(NOT BASALT_SANITIZE)
  target_link_libraries(${target} PUBLIC jemalloc)
endif()
