// libFuzzer entry of HTTP requests and forms: any bytes give requests, the end or an Error, and what was read
// keeps to the limits. The input is what a client sends before it ends its side.

#include "base/error.h"
#include "net/http/multipart.h"
#include "net/http/request.h"
#include "tests/fuzz/seeds.h"

#include <sys/socket.h>

namespace
{

using namespace basalt;

// Less than a socket takes without a reader.
constexpr size_t kMaxInputBytes = 64 << 10;

void read_form(const HttpRequest& request, InputBuffer& body)
{
    const auto* type = request.header("content-type");
    const auto boundary = type ? multipart_boundary(*type) : std::nullopt;
    if (!boundary)
        return;
    MultipartReader reader(body, *boundary);
    size_t parts = 0;
    while (reader.next())
    {
        BASALT_ASSERT(++parts <= kMaxParts);
        if (parts % 2)
            (void)reader.body().read_all(kMaxInputBytes);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    int fds[2];
    if (size > kMaxInputBytes || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
        return 0;
    Socket client(fds[0]), server(fds[1]);
    try
    {
        client.write_all(reinterpret_cast<const char*>(data), size);
        client.shutdown_write();
        HttpConnectionReader reader(server);
        while (const auto request = reader.next_head())
        {
            BASALT_ASSERT(!request->method.empty() && request->headers.size() <= kMaxHttpFields);
            read_form(*request, reader.body());
            if (!reader.drain_body(kMaxInputBytes))
                break;
        }
    }
    catch (const Error&)
    {
    }
    return 0;
}

extern "C" int LLVMFuzzerInitialize(int*, char***)
{
    write_seeds(
        [](const SeedWriter& seed)
        {
            seed("GET /ping?query=SELECT+1&x=%41 HTTP/1.0\r\nHost: h\r\n\r\n");
            seed("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
                 "helloGET / HTTP/1.1\r\n\r\n");
            seed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n4;x=1\r\ndefg\r\n0"
                 "\r\nT: x\r\n\r\n");
            const std::string form =
                "--b\r\nContent-Disposition: form-data; name=\"t\"; filename=\"f\"\r\n\r\n1\t2\n\r\n"
                "--b\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nSELECT 1\r\n--b--\r\n";
            seed("POST /?t_types=UInt8 HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
                 "Content-Length: " +
                 std::to_string(form.size()) + "\r\n\r\n" + form);
        });
    return 0;
}
