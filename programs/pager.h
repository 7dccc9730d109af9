#pragma once

// A program that shows a result page by page: while an object lives, standard output goes to its
// input. One at a time, one thread.

#include <string>

namespace basalt
{

class Pager
{
public:
    // Runs `command` by the shell; nothing when it is empty.
    explicit Pager(const std::string& command);
    ~Pager(); // waits until the program ends

private:
    void* pipe_ = nullptr;
    int output_ = -1; // standard output as it was
};

} // namespace basalt
