#include "io/ip_network.h"

#include <gtest/gtest.h>

namespace basalt
{
namespace
{

TEST(IpNetwork, Contains)
{
    EXPECT_TRUE(in_network("10.1.2.3", "10.0.0.0/8"));
    EXPECT_FALSE(in_network("11.1.2.3", "10.0.0.0/8"));
    EXPECT_TRUE(in_network("10.1.2.3", "10.0.0.0/255.0.0.0"));
    EXPECT_TRUE(in_network("10.1.2.3", "10.1.2.3"));
    EXPECT_FALSE(in_network("10.1.2.4", "10.1.2.3"));
    EXPECT_TRUE(in_network("10.1.2.3", "0.0.0.0/0"));
    EXPECT_TRUE(in_network("10.1.2.129", "10.1.2.128/25"));
    EXPECT_FALSE(in_network("10.1.2.127", "10.1.2.128/25"));
    EXPECT_TRUE(in_network("::ffff:10.1.2.3", "10.0.0.0/8"));
    EXPECT_TRUE(in_network("2001:db8::1", "2001:db8::/32"));
    EXPECT_FALSE(in_network("2001:db9::1", "2001:db8::/32"));
    EXPECT_FALSE(in_network("10.1.2.3", "::/0"));
    EXPECT_TRUE(in_network("2001:db8::1", "::/0"));
    EXPECT_TRUE(in_network("fe80::1%eth0", "fe80::/10"));
    for (const char* broken : {"", "x", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "10.0.0", "::/129"})
        EXPECT_FALSE(in_network("10.1.2.3", broken)) << broken;
    EXPECT_FALSE(in_network("nobody", "0.0.0.0/0"));
}

TEST(IpNetwork, Loopback)
{
    EXPECT_TRUE(is_loopback("127.0.0.1"));
    EXPECT_TRUE(is_loopback("127.9.9.9"));
    EXPECT_TRUE(is_loopback("::1"));
    EXPECT_FALSE(is_loopback("0.0.0.0"));
    EXPECT_FALSE(is_loopback("::"));
    EXPECT_TRUE(resolves_to("localhost", "127.0.0.1"));
    EXPECT_FALSE(resolves_to("localhost", "10.0.0.1"));
}

} // namespace
} // namespace basalt
