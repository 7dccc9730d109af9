#pragma once

// Servers that the bench starts itself: Basalt in this process, and real ClickHouse as the npm
// package chdb behind a small node script.

#include "io/process.h"

#include <memory>
#include <string>

namespace basalt::bench
{

class EmbeddedServer
{
public:
    explicit EmbeddedServer(const std::string& path);
    ~EmbeddedServer();
    std::string url() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

// node must be on the PATH, and chdb installed in $PEER_MODULES (default build/peer):
// npm install --prefix build/peer chdb. BAD_ARGUMENTS says so when it is not.
class PeerServer
{
public:
    PeerServer();
    ~PeerServer();
    std::string url() const { return url_; }

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
    std::string url_;
};

} // namespace basalt::bench
