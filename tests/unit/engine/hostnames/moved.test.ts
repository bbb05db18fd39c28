import { describe, expect, it } from "vitest";
import { movedHostname } from "../../../../lib/engine/hostnames/status.ts";

const NOW = "2026-11-21T06:00:00.000Z";

describe("the date of death of a moved hostname", () => {
  it("is at the latest 7 days after it was first seen moved", () => {
    expect(movedHostname("a.net", { status: "moved", at: "2026-11-20T06:00:00.000Z" }, NOW)).toEqual({
      hostname: "a.net",
      seenOn: "2026-11-20T06:00:00.000Z",
      deletedBy: "2026-11-27T06:00:00.000Z",
    });
  });

  it.each([
    ["it was never seen", undefined],
    ["it was active when it was last seen", { status: "active", at: "2026-01-01T00:00:00.000Z" }],
  ])("is nobody's to say where %s", (_case, known) => {
    expect(movedHostname("a.net", known, NOW)).toEqual({ hostname: "a.net" });
  });

  it("is no date that has passed: a hostname that outlived it moved once more, or the service is late", () => {
    const seenOn = "2026-11-14T06:00:00.000Z";
    expect(movedHostname("a.net", { status: "moved", at: seenOn }, NOW)).toEqual({ hostname: "a.net", seenOn });
  });
});
