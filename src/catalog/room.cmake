target_link_libraries(${target} PUBLIC OpenSSL::Crypto crypt)
