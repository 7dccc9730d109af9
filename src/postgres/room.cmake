find_path(LIBPQ_INCLUDE libpq-fe.h PATH_SUFFIXES postgresql REQUIRED)
target_include_directories(${target} PRIVATE ${LIBPQ_INCLUDE})
target_link_libraries(${target} PUBLIC pq zstd OpenSSL::SSL OpenSSL::Crypto)
