find_package(ZLIB REQUIRED)
target_link_libraries(${target} PUBLIC ZLIB::ZLIB zstd lz4 brotlidec brotlienc)
