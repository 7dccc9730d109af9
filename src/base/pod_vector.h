#pragma once

// A growable array of trivially copyable values. Unlike std::vector, resize() leaves new values
// uninitialised, and kPodPadding bytes past the end may be read (not used), so SIMD loops need no
// tail. One owner; moving is cheap.

#include "base/error.h"
#include "base/int_types.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace basalt
{

inline constexpr size_t kPodPadding = 64;

template <class T> class PodVector
{
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;

    PodVector() = default;
    explicit PodVector(size_t n) { resize(n); }
    PodVector(size_t n, const T& value) { assign(n, value); }
    PodVector(std::initializer_list<T> values) { append(values.begin(), values.size()); }
    PodVector(const PodVector& other) { append(other.data(), other.size()); }
    PodVector(PodVector&& other) noexcept { swap(other); }
    PodVector& operator=(const PodVector& other)
    {
        if (this != &other)
        {
            clear();
            append(other.data(), other.size());
        }
        return *this;
    }
    PodVector& operator=(PodVector&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~PodVector() { ::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    size_t capacity() const { return capacity_; }
    size_t capacity_bytes() const { return capacity_ * sizeof(T); }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    const T* begin() const { return data_; }
    const T* end() const { return data_ + size_; }
    T& operator[](size_t i)
    {
        BASALT_DCHECK(i < size_);
        return data_[i];
    }
    const T& operator[](size_t i) const
    {
        BASALT_DCHECK(i < size_);
        return data_[i];
    }
    T& front() { return (*this)[0]; }
    const T& front() const { return (*this)[0]; }
    T& back() { return (*this)[size_ - 1]; }
    const T& back() const { return (*this)[size_ - 1]; }
    operator std::span<const T>() const { return {data_, size_}; }

    void clear() { size_ = 0; }
    void reserve(size_t n)
    {
        if (n > capacity_)
            grow_to(n);
    }
    void resize(size_t n)
    {
        if (n > capacity_)
            grow_to(std::max(n, capacity_ * 2));
        size_ = n;
    }
    void resize_exact(size_t n)
    {
        reserve(n);
        size_ = n;
    }
    void resize_fill(size_t n, const T& value = T())
    {
        const size_t old = size_;
        resize(n);
        for (size_t i = old; i < n; ++i)
            data_[i] = value;
    }
    void assign(size_t n, const T& value)
    {
        size_ = 0;
        resize_fill(n, value);
    }
    void push_back(const T& value)
    {
        if (size_ == capacity_) [[unlikely]]
        {
            const T copy = value;
            grow_to(std::max<size_t>(capacity_ * 2, 16));
            data_[size_++] = copy;
            return;
        }
        data_[size_++] = value;
    }
    void pop_back() { --size_; }
    void append(const T* values, size_t n)
    {
        if (n == 0)
            return;
        const size_t old = size_;
        resize(old + n);
        std::memcpy(static_cast<void*>(data_ + old), values, n * sizeof(T));
    }
    void swap(PodVector& other) noexcept
    {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    void grow_to(size_t n)
    {
        void* grown = ::realloc(static_cast<void*>(data_), n * sizeof(T) + kPodPadding);
        if (!grown)
            throw std::bad_alloc();
        data_ = static_cast<T*>(grown);
        std::memset(static_cast<void*>(data_ + n), 0, kPodPadding);
        capacity_ = n;
    }

    T* data_ = nullptr;
    size_t size_ = 0;
    size_t capacity_ = 0;
};

} // namespace basalt
