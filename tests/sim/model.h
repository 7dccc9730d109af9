#pragma once

// What the simulated server must hold: plain rows of texts, changed by the same statements. Cells
// are texts as the format TabSeparated writes them.

#include "base/clock.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace basalt::sim
{

// Random numbers of one seed.
class Dice
{
public:
    explicit Dice(uint64_t seed) : source_(seed) {}
    uint64_t below(uint64_t end) { return source_.next_u64() % end; } // end > 0
    uint64_t between(uint64_t first, uint64_t last) { return first + below(last - first + 1); }
    bool one_in(uint64_t n) { return below(n) == 0; }
    template <class T> const T& pick(const std::vector<T>& from) { return from[below(from.size())]; }
    RandomSource& source() { return source_; }

private:
    SeededRandom source_;
};

struct Column
{
    std::string name;
    std::string type;
    std::string codec;   // empty: none is given
    std::string fallback; // cell of rows that were written before the column was added
};

using Cells = std::vector<std::string>;

struct Row
{
    Cells cells;
    // While mutations are under way rows may still look as they did before them.
    std::vector<Cells> earlier;
    bool deleted = false;     // by a mutation under way: only `earlier` may be seen
    bool may_be_gone = false; // its TTL is over
};

// Columns 0 to 3 are always there: id UInt64, p UInt8, ts DateTime, k.
inline constexpr size_t kId = 0, kPartition = 1, kTime = 2, kKey = 3, kFixedColumns = 4;

struct Predicate
{
    std::string sql;
    std::function<bool(const Cells&)> holds;
};

struct SimTable
{
    std::vector<Column> columns;
    std::map<uint64_t, Row> rows;     // by id
    std::map<uint64_t, Row> detached; // by id
    int64_t ttl_s = 0;                  // rows are over at ts + ttl_s; 0: never
    std::vector<std::string> indexes;

    size_t find_column(const std::string& name) const; // columns.size() when absent
    // Mutations: rows look as before or as after it until settle().
    void remove_where(const Predicate& predicate);
    void update_where(const Predicate& predicate, size_t column,
                      const std::function<std::string(const std::string&)>& change);
    // Every mutation is done.
    void settle();
    bool is_settled() const;
    // What system tables must say of it: columns, TTL, indexes.
    std::string description() const;
    // Rows whose time is over at this moment may vanish from now on.
    void note_time(int64_t unix_s);

    // Text of what is wrong with these lines, which must be all rows; empty when nothing is.
    // Rows that may be gone and are, stay gone.
    std::string judge(const std::vector<std::string>& lines, bool settled);
    // The same for the ids that a predicate selects; nothing is remembered.
    std::string judge_ids(const std::vector<std::string>& ids, const Predicate& predicate) const;
};

using Model = std::map<std::string, SimTable>;

std::string time_text(int64_t unix_s);     // "2023-11-14 22:13:20"
int64_t time_of_text(const std::string&);  // its inverse
std::vector<std::string> split(const std::string& text, char separator); // no last empty one

} // namespace basalt::sim
