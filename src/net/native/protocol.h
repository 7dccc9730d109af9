#pragma once

// Numbers of ClickHouse's native TCP protocol. docs/protocol/native.md has the byte tables.

#include "base/int_types.h"

#include <string_view>

namespace basalt
{

// The newest revision that the server speaks. Peers use the smaller of the two that they announce.
inline constexpr uint64_t kNativeRevision = 54486;
// What our client announces: from 54478 on a server may send columns as compressed pieces of their
// own, which the client does not read.
inline constexpr uint64_t kNativeClientRevision = 54477;
// Older peers do not know LowCardinality. ClickHouse 18.16 has 54412.
inline constexpr uint64_t kMinNativeRevision = 54405;

// Revisions from which a message carries more.
namespace revision
{
inline constexpr uint64_t kColumnDefaults = 54410;
inline constexpr uint64_t kWriteInfoInProgress = 54420;
inline constexpr uint64_t kSettingsAsStrings = 54429;
inline constexpr uint64_t kInterserverSecret = 54441;
inline constexpr uint64_t kOpenTelemetry = 54442;
inline constexpr uint64_t kForwardedFor = 54443;
inline constexpr uint64_t kReferer = 54447;
inline constexpr uint64_t kDistributedDepth = 54448;
inline constexpr uint64_t kInitialQueryStartTime = 54449;
inline constexpr uint64_t kProfileEvents = 54451;
inline constexpr uint64_t kParallelReplicas = 54453;
inline constexpr uint64_t kProgressOfInsert = 54456;
inline constexpr uint64_t kAddendum = 54458;
inline constexpr uint64_t kParameters = 54459;
inline constexpr uint64_t kElapsedInProgress = 54460;
inline constexpr uint64_t kPasswordRules = 54461;
inline constexpr uint64_t kInterserverSecretV2 = 54462;
inline constexpr uint64_t kTotalBytesInProgress = 54463;
inline constexpr uint64_t kTimezoneUpdates = 54464;
inline constexpr uint64_t kReadOnlyInTablesStatus = 54467;
inline constexpr uint64_t kRowsBeforeAggregation = 54469;
inline constexpr uint64_t kChunkedPackets = 54470;
inline constexpr uint64_t kParallelReplicasVersion = 54471;
inline constexpr uint64_t kExternalRoles = 54472;
inline constexpr uint64_t kServerSettings = 54474;
inline constexpr uint64_t kQueryAndLineNumbers = 54475;
inline constexpr uint64_t kJwt = 54476;
inline constexpr uint64_t kQueryPlan = 54477;
inline constexpr uint64_t kClusterFunctionVersion = 54479;
inline constexpr uint64_t kCompressedProfileEvents = 54481;
inline constexpr uint64_t kClientAgent = 54485;
inline constexpr uint64_t kInternalQuery = 54486;
} // namespace revision

enum class ClientPacket : uint64_t
{
    Hello = 0,
    Query = 1,
    Data = 2,
    Cancel = 3,
    Ping = 4,
    TablesStatusRequest = 5,
    KeepAlive = 6,
    Scalar = 7,
};

enum class ServerPacket : uint64_t
{
    Hello = 0,
    Data = 1,
    Exception = 2,
    Progress = 3,
    Pong = 4,
    EndOfStream = 5,
    ProfileInfo = 6,
    Totals = 7,
    Extremes = 8,
    TablesStatusResponse = 9,
    Log = 10,
    TableColumns = 11,
    ProfileEvents = 14,
    TimezoneUpdate = 17,
};

// How far a query is to be worked on. Only Complete is built.
inline constexpr uint64_t kStageComplete = 2;

inline constexpr uint64_t kParallelReplicasProtocolVersion = 4;
inline constexpr uint64_t kQueryPlanVersion = 0;
inline constexpr uint64_t kClusterFunctionProtocolVersion = 1;

// Limits of what a peer may send. Past them the connection ends with a clear error.
inline constexpr uint64_t kMaxHelloStringBytes = 64 << 10;
inline constexpr uint64_t kMaxClientInfoStringBytes = 1 << 20;
inline constexpr uint64_t kMaxQueryTextBytes = 256 << 20;
inline constexpr uint64_t kMaxQuerySettings = 10000;
inline constexpr uint64_t kMaxSettingBytes = 1 << 20;
inline constexpr uint64_t kMaxQueryParameters = 10000;
inline constexpr uint64_t kMaxParameterBytes = 16 << 20;
inline constexpr uint64_t kMaxPasswordRules = 1000;
inline constexpr uint64_t kMaxStatusTables = 10000;
inline constexpr uint64_t kMaxExceptionDepth = 32;
inline constexpr uint64_t kMaxExceptionBytes = 16 << 20;
inline constexpr uint64_t kMaxTableColumnsBytes = 16 << 20;
inline constexpr uint64_t kMaxTableNameBytes = 64 << 10;

} // namespace basalt
