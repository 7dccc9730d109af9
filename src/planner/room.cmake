target_link_libraries(${target} PUBLIC re2)
