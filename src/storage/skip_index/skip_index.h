#pragma once

// Skip indexes: per so many granules a small summary of an expression's values that can rule out
// that a condition holds in any of their rows. A kind is one file in this folder; layouts in
// docs/format/skip_index.md.

#include "io/file_system.h"
#include "storage/condition/value_claims.h"
#include "storage/table.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace basalt
{

// Collects one index of one part.
class SkipIndexBuilder
{
public:
    virtual ~SkipIndexBuilder() = default;
    // Rows [begin, begin + count) are the expression's values in the next index.granularity
    // granules (the last may have fewer).
    virtual void add_entry(const Column& flat, size_t begin, size_t count) = 0;
    // Bytes that are ready, to be written behind those given before.
    virtual std::string take_bytes() = 0;
    // After the last entry: the rest.
    virtual std::string finish() = 0;
};

// Where an index of a part is read from.
struct SkipIndexSource
{
    std::shared_ptr<const ReadableFile> file;
    uint64_t offset = 0;
    uint64_t size = 0;
    size_t entries = 0;
    size_t entry_rows = 0; // of all entries but the last

    std::string read(uint64_t at, uint64_t bytes) const; // throws CORRUPTED_DATA past the end
};

// An atom of a filter as an index sees it.
struct IndexQuestion
{
    const ConditionAtom* atom = nullptr;
    bool direct = false;                   // the atom's argument is the index's expression
    std::vector<const ValueClaim*> claims; // those about the index's expression
};

// An index of a part, opened. Threads: const methods from any thread.
class SkipIndexReader
{
public:
    virtual ~SkipIndexReader() = default;
    // What the atom can be in each entry (`outcomes` has one for each, to be narrowed).
    virtual void narrow(const IndexQuestion& question, const QueryContext& context,
                        std::vector<Outcomes>& outcomes) const = 0;
};

class SkipIndexKind
{
public:
    virtual ~SkipIndexKind() = default;
    virtual std::string name() const = 0;
    // Throws INCORRECT_QUERY, BAD_ARGUMENTS … for arguments or types that it cannot take.
    virtual void check(const IndexDescription& index) const = 0;
    // Granules of an entry.
    virtual size_t entry_granules(const IndexDescription& index) const
    {
        return std::max<size_t>(index.granularity, 1);
    }
    virtual std::unique_ptr<SkipIndexBuilder> make_builder(const IndexDescription& index,
                                                           size_t entry_rows) const = 0;
    virtual std::unique_ptr<SkipIndexReader> open(const IndexDescription& index,
                                                  SkipIndexSource source) const = 0;
    // Whether narrow() could say anything of such a question.
    virtual bool useful_for(const IndexDescription& index, const IndexQuestion& question) const = 0;
    // For EXPLAIN: what is asked of the index; empty when that is not said.
    virtual std::string condition(const IndexDescription& index,
                                  const std::vector<IndexQuestion>& questions) const
    {
        (void)index;
        (void)questions;
        return {};
    }
};

class SkipIndexRegistry
{
public:
    void add(std::unique_ptr<SkipIndexKind> kind);
    // Null when there is none.
    const SkipIndexKind* find(std::string_view name) const;
    // Throws INCORRECT_QUERY.
    const SkipIndexKind& get(std::string_view name) const;
    std::vector<std::string> names() const;

private:
    std::map<std::string, std::unique_ptr<SkipIndexKind>, std::less<>> kinds_;
};

const SkipIndexRegistry& skip_index_kinds();
void register_all_skip_index(SkipIndexRegistry& registry);

} // namespace basalt
