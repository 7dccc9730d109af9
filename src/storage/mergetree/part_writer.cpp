#include "storage/mergetree/part_writer.h"

#include "base/error.h"
#include "codecs/hash.h"
#include "encodings/compact_pages.h"
#include "encodings/page_statistics.h"
#include "storage/block_bytes.h"
#include "storage/skip_index/id_filter.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

namespace basalt
{

namespace
{

uint64_t number_setting(const TableMetadata& metadata, std::string_view name, uint64_t otherwise)
{
    const std::string* text = metadata.find_setting(name);
    return text ? std::strtoull(text->c_str(), nullptr, 10) : otherwise;
}

void widen(PageStatistics& all, const PageStatistics& one, bool& bounded)
{
    if (one.min && one.max)
    {
        if (!all.min || compare_values(*one.min, *all.min).value_or(0) < 0)
            all.min = one.min;
        if (!all.max || compare_values(*one.max, *all.max).value_or(0) > 0)
            all.max = one.max;
    }
    else if (one.null_count < one.rows)
        bounded = false;
}

} // namespace

size_t granule_rows_of(const TableMetadata& metadata)
{
    const uint64_t rows = number_setting(metadata, "index_granularity", 8192);
    return std::bit_floor(std::clamp<uint64_t>(rows, 1, kPageRows));
}

std::string file_name_of(std::string_view name)
{
    std::string out;
    for (const char c : name)
    {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_';
        if (plain)
            out.push_back(c);
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    // Names of files are limited; the hash keeps long ones apart.
    constexpr size_t kMaxNameBytes = 127;
    if (out.size() > kMaxNameBytes)
        out = out.substr(0, kMaxNameBytes - 16) +
              fmt::format("{:016x}", xxh3_64(name.data(), name.size()));
    return out;
}

std::set<std::string> values_wanted_by_writer(const TableMetadata& metadata)
{
    std::set<std::string> names;
    const auto add_inputs = [&](const Expressions& expressions)
    {
        for (const auto& name : inputs_of(expressions))
            names.insert(name);
    };
    add_inputs(metadata.partition_key.expressions);
    add_inputs(metadata.sorting_key.expressions);
    add_inputs(metadata.primary_key.expressions);
    for (const auto& index : metadata.indexes)
        add_inputs({index.expression});
    const std::string* codec = metadata.find_setting("default_compression_codec");
    for (const auto& column : metadata.columns)
        if (!column.codec.empty() || (codec && !codec->empty()))
            names.insert(column.name);
    return names;
}

PartWriter::PartWriter(FileSystem& files, PartWriterOptions options, const QueryContext& context)
    : files_(files), options_(std::move(options)), context_(context),
      header_(options_.metadata->physical_header()),
      granule_rows_(granule_rows_of(*options_.metadata))
{
    options_.packed_bytes = number_setting(*options_.metadata, "min_bytes_for_wide_part",
                                           options_.packed_bytes);
    const auto& metadata = *options_.metadata;
    std::vector<ColumnEncodingOptions> encodings;
    for (const auto& column : header_)
    {
        ColumnEncodingOptions encoding;
        encoding.codec = metadata.find_column(column.name)->codec;
        ColumnState state;
        if (encoding.codec.empty())
            encoding.codec = options_.default_codec;
        state.manifest.codec = encoding.codec;
        encoding.effort = options_.effort;
        encodings.push_back(std::move(encoding));
        state.file_name = file_name_of(column.name) + ".bin";
        state.manifest.name = column.name;
        state.manifest.type = column.type->name();
        columns_.push_back(std::move(state));
    }
    encoder_ = make_part_encoder(header_, std::move(encodings), granule_rows_);
    if (!metadata.primary_key.expressions.empty())
    {
        key_program_ =
            std::make_unique<ExpressionProgram>(metadata.primary_key.expressions, context_);
        for (const auto& expression : metadata.primary_key.expressions)
            key_columns_.push_back(
                remove_low_cardinality(expression->type())->create_column());
    }
    if (options_.write_indexes)
        for (const auto& index : metadata.indexes)
            add_index(index);
    manifest_.files.push_back({kPartFileName, 0});
    files_.remove_directory_recursive(options_.directory);
    files_.create_directories(options_.directory);
}

void PartWriter::add_index(const IndexDescription& index)
{
    IndexState state;
    state.description = index;
    const SkipIndexKind& kind = skip_index_kinds().get(index.type);
    state.entry_rows = granule_rows_ * kind.entry_granules(index);
    state.builder = kind.make_builder(index, state.entry_rows);
    state.program = std::make_unique<ExpressionProgram>(Expressions{index.expression}, context_);
    state.waiting = remove_low_cardinality(index.expression->type())->create_column();
    indexes_.push_back(std::move(state));
}

// Columns that the first page shows to hold ids, unless the table's key or an index finds them.
void PartWriter::add_id_filters(const Block& first_page)
{
    const auto& metadata = *options_.metadata;
    const std::string* setting = metadata.find_setting(kAutoIndexSetting);
    if (!options_.write_indexes || (setting && (*setting == "0" || *setting == "false")))
        return;
    const auto& key = metadata.primary_key.expressions;
    for (size_t i = 0; i < first_page.width(); ++i)
    {
        const NamedColumn& column = first_page[i];
        const bool leads_key = !key.empty() && key[0]->kind() == ExpressionKind::Input &&
                               key[0]->name() == column.name;
        const bool indexed = std::any_of(
            metadata.indexes.begin(), metadata.indexes.end(), [&](const IndexDescription& index)
            { return index.type == "bloom_filter" && index.expression->name() == column.name; });
        if (!leads_key && !indexed && looks_like_ids(*values_of(first_page, i), column.type))
            add_index(id_filter_of(column.name, column.type, granule_rows_));
    }
}

PartWriter::~PartWriter()
{
    if (finished_)
        return;
    try
    {
        columns_.clear();
        files_.remove_directory_recursive(options_.directory);
    }
    catch (const std::exception&)
    {
        // It has a temporary name: the next start removes it.
    }
}

void PartWriter::write(const Block& block)
{
    if (block.rows() == 0)
        return;
    if (waiting_rows_ == kPageRows)
        write_waiting(kPageRows, false);
    waiting_.push_back(block);
    waiting_rows_ += block.rows();
    // The last page is written at the end: the key index ends with its last row.
    if (waiting_rows_ > kPageRows)
        write_waiting(kPageRows + 1, false);
}

// Pages while at least so many rows wait; all of them when they are the last.
void PartWriter::write_waiting(size_t least, bool last)
{
    if (waiting_.empty())
        return;
    Block all = waiting_.size() == 1 ? std::move(waiting_[0]) : concat_blocks(waiting_);
    waiting_.clear();
    size_t done = 0;
    while (waiting_rows_ - done >= least || (last && done < waiting_rows_))
    {
        const size_t rows = std::min(kPageRows, waiting_rows_ - done);
        write_page(rows == all.rows() ? all : all.slice(done, rows));
        done += rows;
        if (last && done == waiting_rows_)
            add_key_rows(all.slice(done - 1, 1), true);
    }
    waiting_rows_ -= done;
    if (waiting_rows_)
        waiting_.push_back(done ? all.slice(done, waiting_rows_) : std::move(all));
}

void PartWriter::write_page(const Block& page)
{
    auto encoded = encoder_->encode(page);
    if (rows_ == 0)
        add_id_filters(page);
    add_key_rows(page, false);
    for (auto& index : indexes_)
        add_index_rows(index, page);
    for (size_t i = 0; i < columns_.size(); ++i)
    {
        auto& column = columns_[i];
        const auto& bytes = encoded[i].bytes;
        PageEntry entry;
        entry.offset = column.offset;
        entry.size = static_cast<uint32_t>(bytes.size());
        entry.checksum = xxh3_64(bytes.data(), bytes.size());
        entry.rows = static_cast<uint32_t>(page.rows());
        entry.null_count = encoded[i].statistics.null_count;
        entry.uncompressed_bytes = encoded[i].uncompressed_bytes;
        column.table.add(entry, encoded[i].statistics);
        column.offset += bytes.size();
        column.manifest.uncompressed_bytes += encoded[i].uncompressed_bytes;
        column.manifest.has_nulls |= entry.null_count != 0;
        compressed_bytes_ += bytes.size();
        if (packed_)
            column.pages += bytes;
        else
            column.file->append(bytes);
    }
    rows_ += page.rows();
    if (packed_ && compressed_bytes_ > options_.packed_bytes)
        spread();
}

void PartWriter::add_key_rows(const Block& page, bool last)
{
    if (!key_program_)
        return;
    RowIndexes rows;
    if (last)
        rows.push_back(0);
    else
        for (size_t row = 0; row < page.rows(); row += granule_rows_)
            rows.push_back(static_cast<uint32_t>(row));
    Block inputs;
    for (const auto& name : key_program_->inputs())
        inputs.add(page[static_cast<size_t>(page.find(name))]);
    inputs.set_rows(page.rows());
    const Columns keys = key_program_->run(inputs.take(rows));
    for (size_t i = 0; i < keys.size(); ++i)
        key_columns_[i]->append_range(*to_flat(keys[i]), 0, rows.size());
}

void PartWriter::add_index_rows(IndexState& index, const Block& page)
{
    Block inputs;
    for (const auto& name : index.program->inputs())
    {
        const auto at = static_cast<size_t>(page.find(name));
        inputs.add({values_of(page, at), page[at].type, name});
    }
    inputs.set_rows(page.rows());
    const ColumnPtr values = to_flat(index.program->run(inputs)[0]);
    add_entries(*values, index.entry_rows, index.waiting, *index.builder);
    index.bytes += index.builder->take_bytes();
}

void add_entries(const Column& values, size_t entry_rows, MutableColumnPtr& waiting,
                 SkipIndexBuilder& builder)
{
    for (size_t done = 0; done < values.size();)
    {
        const size_t rows = std::min(entry_rows - waiting->size(), values.size() - done);
        if (rows == entry_rows)
            builder.add_entry(values, done, rows);
        else
            waiting->append_range(values, done, rows);
        done += rows;
        if (waiting->size() == entry_rows)
        {
            builder.add_entry(*waiting, 0, entry_rows);
            waiting = waiting->clone_empty();
        }
    }
}

std::unique_ptr<WritableFile> PartWriter::create(const std::string& name)
{
    return files_.open_for_write(join_path(options_.directory, name), OpenMode::Truncate);
}

void PartWriter::spread()
{
    packed_ = false;
    for (auto& column : columns_)
    {
        column.file = create(column.file_name);
        column.file->append(column.pages);
        column.pages = std::string();
        column.manifest.file = static_cast<uint32_t>(manifest_.files.size());
        manifest_.files.push_back({column.file_name, 0});
    }
}

FileSection PartWriter::append_section(const std::string& bytes)
{
    FileSection section;
    section.offset = sections_.size();
    section.size = bytes.size();
    section.checksum = xxh3_64(bytes.data(), bytes.size());
    sections_ += bytes;
    return section;
}

void PartWriter::finish_column(ColumnState& column, const std::string& shared)
{
    if (packed_)
    {
        // Offsets so far are from the column's own start.
        for (auto& entry : column.table.entries)
            entry.offset += sections_.size();
        sections_ += column.pages;
        column.pages = std::string();
    }
    else
    {
        manifest_.files[column.manifest.file].size = column.file->size();
        column.file->sync();
        column.file->close();
    }
    column.manifest.shared = append_section(shared);
    column.manifest.compressed_bytes = column.offset + shared.size();
    bool bounded = true;
    for (size_t i = 0; i < column.table.entries.size(); ++i)
    {
        PageStatistics page;
        page.rows = column.table.entries[i].rows;
        page.null_count = column.table.entries[i].null_count;
        page.min = column.table.min[i];
        page.max = column.table.max[i];
        widen(column.manifest.statistics, page, bounded);
    }
    if (!bounded)
        column.manifest.statistics = {};
}

void PartWriter::finish_index(IndexState& index)
{
    if (index.waiting->size())
        index.builder->add_entry(*index.waiting, 0, index.waiting->size());
    index.bytes += index.builder->take_bytes() + index.builder->finish();
    IndexManifest entry;
    entry.name = index.description.name;
    entry.type = index.description.type;
    entry.expression = index.description.expression_text;
    entry.arguments = Value(TupleValue{index.description.arguments}).to_text();
    entry.granularity = static_cast<uint32_t>(index.entry_rows / granule_rows_);
    entry.uncompressed_bytes = index.bytes.size();
    if (packed_)
        entry.section = append_section(index.bytes);
    else
    {
        const std::string name = "skp_idx_" + file_name_of(entry.name) + ".bin";
        const auto file = create(name);
        file->append(index.bytes);
        file->sync();
        file->close();
        entry.section.file = static_cast<uint32_t>(manifest_.files.size());
        entry.section.size = index.bytes.size();
        entry.section.checksum = xxh3_64(index.bytes.data(), index.bytes.size());
        manifest_.files.push_back({name, index.bytes.size()});
    }
    index.bytes = std::string();
    manifest_.indexes.push_back(std::move(entry));
}

PartManifest PartWriter::finish(Values partition, int64_t created_unix_s)
{
    write_waiting(1, true);
    BASALT_ASSERT(rows_ > 0);
    const auto shared = encoder_->finish();
    manifest_.rows = rows_;
    manifest_.granule_rows = static_cast<uint32_t>(granule_rows_);
    manifest_.created_unix_s = created_unix_s;
    manifest_.metadata_version = options_.metadata_version;
    manifest_.partition = std::move(partition);
    manifest_.sorting_key = options_.metadata->sorting_key.text;
    // Pages first, then what is read at opening, side by side.
    for (size_t i = 0; i < columns_.size(); ++i)
        finish_column(columns_[i], shared[i]);
    for (auto& index : indexes_)
        finish_index(index);
    for (auto& column : columns_)
    {
        column.manifest.pages = append_section(column.table.encode());
        manifest_.columns.push_back(std::move(column.manifest));
    }
    if (!key_columns_.empty())
    {
        Block keys;
        for (size_t i = 0; i < key_columns_.size(); ++i)
        {
            const auto& type = options_.metadata->primary_key.expressions[i]->type();
            keys.add({key_columns_[i], remove_low_cardinality(type), "key" + std::to_string(i)});
        }
        manifest_.primary_index = append_section(encode_block(keys));
    }
    write_part_file();
    finished_ = true;
    return manifest_;
}

void PartWriter::write_part_file()
{
    manifest_.files[0].size = sections_.size();
    const std::string end = part_file_end(manifest_, sections_.size());
    const auto file = create(kPartFileName);
    file->append(sections_);
    file->append(end);
    file->sync();
    file->close();
    files_.sync_directory(options_.directory);
    manifest_.bytes_on_disk = sections_.size() + end.size();
    for (size_t i = 1; i < manifest_.files.size(); ++i)
        manifest_.bytes_on_disk += manifest_.files[i].size;
    sections_ = std::string();
}

} // namespace basalt
