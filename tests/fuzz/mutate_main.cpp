// Runs a fuzzer's entry without libFuzzer: on its seeds and on what a plain mutator makes of them. A short
// slice for ./test; libFuzzer (tests/fuzz/run.py) finds more.
//
// usage: mutate_NAME [--seconds 10] [--seed 1] [FILE…]   (files: only these inputs)

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

namespace
{

namespace fs = std::filesystem;

std::string read_file(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void run(const std::string& input)
{
    // A copy of its own size, so that a read past its end is noticed.
    const std::vector<uint8_t> bytes(input.begin(), input.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
}

// Seeds are written by a child, which ends when it has.
std::vector<std::string> seeds(int argc, char** argv)
{
    std::vector<std::string> found;
    if (!LLVMFuzzerInitialize)
        return found;
    std::string folder = (fs::temp_directory_path() / "basalt-seeds-XXXXXX").string();
    if (!mkdtemp(folder.data()))
        return found;
    if (const pid_t child = fork(); child == 0)
    {
        setenv("BASALT_SEEDS", folder.c_str(), 1);
        LLVMFuzzerInitialize(&argc, &argv);
        _exit(0);
    }
    else
        waitpid(child, nullptr, 0);
    for (const auto& entry : fs::directory_iterator(folder))
        found.push_back(read_file(entry.path()));
    fs::remove_all(folder);
    return found;
}

class Mutator
{
public:
    Mutator(std::vector<std::string> seeds, uint64_t seed) : seeds_(std::move(seeds)), random_(seed)
    {
    }

    std::string next()
    {
        std::string text = seeds_[random_() % seeds_.size()];
        for (uint64_t steps = 1 + random_() % 6; steps > 0; --steps)
            change(text);
        return text;
    }

private:
    void change(std::string& text)
    {
        static const char* const kWords[] = {
            "SELECT ", " FROM ", "(", ")", ",", "'", "\"", "\\", "\n", "\t", "{", "}", "[", "]", ":",
            "NULL", "\\N", "-1", "1e308", "18446744073709551616", "Array(", "Nullable(", "\xff\xff",
            "String"};
        const size_t at = text.empty() ? 0 : random_() % text.size();
        switch (random_() % 8)
        {
        case 0:
            if (!text.empty())
                text[at] = static_cast<char>(text[at] ^ (1 << random_() % 8));
            break;
        case 1:
            if (!text.empty())
                text[at] = static_cast<char>(random_());
            break;
        case 2:
            text.erase(at, 1 + random_() % 8);
            break;
        case 3:
            text.insert(at, kWords[random_() % std::size(kWords)]);
            break;
        case 4:
            text.insert(at, text.substr(at, random_() % 32));
            break;
        case 5:
            text.resize(at);
            break;
        case 6: // a large length
            text.replace(at, std::min<size_t>(text.size() - at, 4), "\xff\xff\xff\x7f");
            break;
        default:
        {
            const std::string& other = seeds_[random_() % seeds_.size()];
            text.insert(at, other.substr(other.empty() ? 0 : random_() % other.size(), 64));
        }
        }
        if (text.size() > kMaxInputBytes)
            text.resize(kMaxInputBytes);
    }

    static constexpr size_t kMaxInputBytes = 4096;
    std::vector<std::string> seeds_;
    std::mt19937_64 random_;
};

} // namespace

int main(int argc, char** argv)
{
    double seconds = 10;
    uint64_t seed = 1;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            seconds = std::atof(argv[++i]);
        else if (std::strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            seed = std::strtoull(argv[++i], nullptr, 10);
        else
            files.emplace_back(argv[i]);
    for (const auto& file : files)
        run(read_file(file));
    if (!files.empty())
        return 0;
    std::vector<std::string> inputs = seeds(argc, argv);
    if (inputs.empty())
        inputs = {"", "SELECT a, b + 1 FROM t WHERE c LIKE '%x' GROUP BY a ORDER BY b LIMIT 10"};
    for (const auto& input : inputs)
        run(input);
    Mutator mutator(std::move(inputs), seed);
    uint64_t runs = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    const std::string kept = std::string(argv[0]) + ".input";
    while (std::chrono::steady_clock::now() < end)
    {
        const std::string input = mutator.next();
        // The input of a crash is there after it.
        std::ofstream(kept, std::ios::binary | std::ios::trunc) << input;
        run(input);
        ++runs;
    }
    std::printf("%llu runs, clean\n1 passed, 0 failed\n", static_cast<unsigned long long>(runs));
    return runs > 0 ? 0 : 1;
}
