import { describe, expect, it } from "vitest";
import { readEndpoint } from "../../../lib/service/endpoint.ts";

function urlOf(flag: string | undefined, environment: Record<string, string> = {}): string | undefined {
  const read = readEndpoint(flag, environment);
  return read.ok ? read.value.url : undefined;
}

describe("the endpoint", () => {
  it("is the service itself by default", () => {
    expect(urlOf(undefined)).toBe("https://api.cloudflare.com/client/v4");
  });

  it("comes from the flag before the environment", () => {
    const environment = { CLOUDFLARE_BASE_URL: "https://environment.test/v4" };
    expect(urlOf(undefined, environment)).toBe("https://environment.test/v4");
    expect(urlOf("https://flag.test/v4", environment)).toBe("https://flag.test/v4");
  });

  it("loses trailing slashes", () => {
    expect(urlOf("https://proxy.test/client/v4//")).toBe("https://proxy.test/client/v4");
    expect(urlOf("https://proxy.test/")).toBe("https://proxy.test");
  });

  it.each(["http://127.0.0.1:8080/client/v4", "http://127.8.9.10", "http://[::1]:80", "http://localhost:1/x"])(
    "may be plain http on this machine: %s",
    (url) => {
      expect(urlOf(url)).toBeDefined();
    },
  );

  it.each([
    "http://api.cloudflare.com/client/v4",
    "http://169.254.169.254/",
    "http://2130706433/",
    "http://0x7f.1/",
    "http://127.1/",
    "http://127.0.0.1.evil.test/",
    "http://localhost.evil.test/",
    "http://[::ffff:127.0.0.1]/",
    "https://api.cloudflare.com@evil.test/",
    "https://user:pass-word-1@api.test/",
    "https://@evil.test/",
    "https://api.test/v4?token=1",
    "https://api.test/v4#x",
    "https://api.test/v4?",
    "https://api.test\\@evil.test/",
    " https://api.test/",
    "ftp://api.test/",
    "file:///etc/passwd",
    "api.test/v4",
    "",
  ])("is refused: %s", (url) => {
    const read = readEndpoint(url, {});
    expect(read).toMatchObject({ ok: false, diagnostics: [{ code: "bad-endpoint", remedy: expect.any(String) }] });
  });

  it("is not repeated when it is refused, because it may hold a password", () => {
    expect(JSON.stringify(readEndpoint("https://user:pass-word-1@api.test/", {}))).not.toContain("pass-word-1");
  });
});
