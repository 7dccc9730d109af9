#pragma once

#include "codecs/codec.h"

namespace basalt
{

// Applies the codecs from left to right, at least two of them.
CodecPtr make_codec_chain(std::vector<CodecPtr> codecs);

} // namespace basalt
