import { describe, expect, it } from "vitest";
import { isForbiddenAddress, isLoopbackAddress } from "../../../lib/service/endpoint.ts";

describe("an address that never gets a token", () => {
  it.each([
    "169.254.169.254",
    "169.254.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "192.0.0.192",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "::ffff:a9fe:a9fe",
    "::169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "2130706433",
    "0x7f.0.0.1",
    "127.0.0.01",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
    "",
  ])("%s is forbidden", (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  it.each(["104.16.132.229", "10.0.0.1", "127.0.0.1", "::1", "2606:4700::6810:84e5", "::ffff:104.16.132.229"])(
    "%s is not forbidden",
    (address) => {
      expect(isForbiddenAddress(address)).toBe(false);
    },
  );
});

describe("an address of this machine", () => {
  it.each(["127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1"])("%s is one", (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  it.each([
    "128.0.0.1",
    "126.255.255.255",
    "::ffff:127.0.0.1",
    "::127.0.0.1",
    "::2",
    "1::1",
    "2130706433",
    "127.1",
    "localhost",
    "",
  ])("%s is not one, or is not written as one", (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });
});
