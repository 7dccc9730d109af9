#pragma once

// Hash functions that SQL offers for exchange with other systems. Each follows its published
// algorithm and gives ClickHouse 26.7's numbers; tests compare all lengths from 0 to 300.
// Threads: pure functions.
//
// How ClickHouse's SQL functions use them (learnt from its answers): farmHash64 and metroHash64
// mix integers of up to 64 bits with int_hash64, the murmur family, xxHash, wyHash and halfMD5
// hash the integer's own little-endian bytes, hiveHash too; javaHash of an integer up to 32 bits
// is the integer, of 64 bits the xor of its halves. For several arguments:
//   cityHash64, farmHash64, metroHash64, xxHash64, xxh3          city_hash64_combine
//   murmurHash2_64, murmurHash3_64, gccMurmurHash                murmur_combine64
//   murmurHash2_32, murmurHash3_32, kafkaMurmurHash, xxHash32    murmur_combine32
//   wyHash64, halfMD5 (64 bits), murmurHash3_128 (128 bits)      hash of both hashes' bytes
// An array is combine(int_hash64(length), hash of each element in turn), with sipHash's own
// combine for sipHash; a tuple or a map as several arguments or an array of tuples.

#include "codecs/hash.h"

namespace basalt
{

// FarmHash's Hash64 (Pike, Google 2014).
uint64_t farm_hash64(const char* data, size_t size);

// MetroHash64 (Rogers 2015).
uint64_t metro_hash64(const char* data, size_t size, uint64_t seed = 0);

// MurmurHash2, MurmurHash64A and MurmurHash3 (Appleby).
uint32_t murmur_hash2_32(const char* data, size_t size, uint32_t seed = 0);
uint64_t murmur_hash2_64(const char* data, size_t size, uint64_t seed = 0);
uint32_t murmur_hash3_32(const char* data, size_t size, uint32_t seed = 0);
Hash128 murmur_hash3_128(const char* data, size_t size, uint32_t seed = 0);
// The halves of the 128-bit hash, xored.
uint64_t murmur_hash3_64(const char* data, size_t size);
// gccMurmurHash: libstdc++'s hash of bytes. kafkaMurmurHash: of Kafka's partitioner
// (31 bits).
uint64_t gcc_murmur_hash(const char* data, size_t size);
uint32_t kafka_murmur_hash(const char* data, size_t size);

inline uint64_t murmur_combine64(uint64_t h1, uint64_t h2)
{
    return int_hash64(h1) ^ h2;
}

// Java's String.hashCode() over bytes, which count as signed; and over UTF-16LE units (`size` is
// even).
int32_t java_hash(const char* data, size_t size);
int32_t java_hash_utf16le(const char* data, size_t size);
// java_hash without its sign bit.
int32_t hive_hash(const char* data, size_t size);

// ClickHouse's intHash32 of any integer, extended to 64 bits.
uint32_t int_hash32(uint64_t x);

inline uint32_t murmur_combine32(uint32_t h1, uint32_t h2)
{
    return int_hash32(h1) ^ h2;
}

// wyhash, final version 3 (Wang Yi), seed 0.
uint64_t wy_hash64(const char* data, size_t size);

// Hash of the bytes of two hashes, for wyHash64.
inline uint64_t hash_pair_combine64(uint64_t (*hash)(const char*, size_t), uint64_t h1, uint64_t h2)
{
    const uint64_t both[] = {h1, h2};
    return hash(reinterpret_cast<const char*>(both), sizeof(both));
}

} // namespace basalt
