target_link_libraries(${target} PUBLIC fmt)
