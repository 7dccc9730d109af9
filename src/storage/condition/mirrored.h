#pragma once

namespace basalt
{

// The comparison with its sides exchanged: a < b is b > a. Kind is any enum with the four orders;
// its other values stay.
template <class Kind> constexpr Kind mirrored(Kind kind)
{
    switch (kind)
    {
    case Kind::Less:
        return Kind::Greater;
    case Kind::LessOrEquals:
        return Kind::GreaterOrEquals;
    case Kind::Greater:
        return Kind::Less;
    case Kind::GreaterOrEquals:
        return Kind::LessOrEquals;
    default:
        return kind;
    }
}

} // namespace basalt
