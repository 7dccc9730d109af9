#pragma once

// Learns templates from sample lines: lines are grouped by their skeleton (delimiters kept, words
// and values masked); while a group has more than kMaxTuplesOfSkeleton distinct combinations of
// words, the place with most distinct words becomes a slot; each combination that is left is a
// template. Values that never change become text.

#include "encodings/template_siblings.h"
#include "encodings/text_template.h"

namespace basalt::inline encodings
{

inline constexpr size_t kTemplateSampleRows = 4096;
inline constexpr size_t kNestedSampleRows = 2048; // of the texts of a slot
inline constexpr size_t kMaxTuplesOfSkeleton = 16;
inline constexpr size_t kMaxLearntAtOnce = 512;

// At most about so many of the rows, in stretches.
RowIndexes template_sample(const RowIndexes& rows, size_t most);

// rows: of the sample, ascending. Most frequent templates first.
std::vector<TextTemplate> learn_templates(const StringColumn& column, const RowIndexes& rows,
                                          SiblingColumns& siblings);

} // namespace basalt::encodings
