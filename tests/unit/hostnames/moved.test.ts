import { describe, expect, it } from "vitest";
import { movedHostname } from "../../../lib/hostnames/status.ts";
import type { StateObject } from "../../../lib/state/state.ts";

const NOW = "2026-11-21T06:00:00.000Z";

function seen(status: string, at: string): StateObject {
  return { kind: "custom_hostname", key: "a.net", id: "1", applied: {}, seen: { status, at } };
}

describe("the date of death of a moved hostname", () => {
  it("is at the latest 7 days after it was first seen moved", () => {
    expect(movedHostname("a.net", seen("moved", "2026-11-20T06:00:00.000Z"), NOW)).toEqual({
      hostname: "a.net",
      seenOn: "2026-11-20T06:00:00.000Z",
      deletedBy: "2026-11-27T06:00:00.000Z",
    });
  });

  it.each([
    ["it was never seen", undefined],
    ["it was active when it was last seen", seen("active", "2026-01-01T00:00:00.000Z")],
    ["it has outlived the date, so that it moved once more", seen("moved", "2026-11-14T06:00:00.000Z")],
  ])("is at the latest 7 days from now where %s", (_case, prior) => {
    expect(movedHostname("a.net", prior, NOW)).toEqual({ hostname: "a.net", deletedBy: "2026-11-28T06:00:00.000Z" });
  });
});
