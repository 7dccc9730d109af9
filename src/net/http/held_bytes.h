#pragma once

// The part of a reply that is kept back until its head may be sent: in memory, and beyond that in
// a nameless file. One thread at a time. Errors: CANNOT_OPEN_FILE, NOT_ENOUGH_SPACE,
// CANNOT_WRITE_TO_FILE, CANNOT_READ_FROM_FILE_DESCRIPTOR.

#include "base/int_types.h"

#include <functional>
#include <string>
#include <string_view>

namespace basalt
{

// Of one reply; more goes to the file.
inline constexpr size_t kMaxHeldBytesInMemory = 16 << 20;

class HeldBytes
{
public:
    HeldBytes() = default;
    ~HeldBytes();
    HeldBytes(const HeldBytes&) = delete;
    HeldBytes& operator=(const HeldBytes&) = delete;

    // Where the file is made; empty: the system's folder for temporary files.
    void set_folder(std::string folder) { folder_ = std::move(folder); }
    void add(std::string_view bytes);
    uint64_t size() const { return memory_.size() + file_bytes_; }
    // All of them in order, in pieces.
    void read(const std::function<void(std::string_view)>& piece) const;
    void clear();

private:
    void open_file();

    std::string folder_;
    std::string memory_;
    int fd_ = -1;
    uint64_t file_bytes_ = 0;
};

} // namespace basalt
