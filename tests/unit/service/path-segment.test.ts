import * as fc from "fast-check";
import { expect, it } from "vitest";
import { checkCall, pathSegment } from "../../../lib/service/client.ts";

it.each(["", ".", ".."])("%j is refused as a part of a path", (text) => {
  expect(() => pathSegment(text)).toThrow("cannot stand in a path");
});

it("any id stays one part of its path", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (id) => {
      fc.pre(id !== "." && id !== "..");
      const path = `/zones/${pathSegment(id)}/rulesets`;
      const parts = new URL(`https://api.test/client/v4${path}`).pathname.split("/").slice(3);
      expect(() => checkCall({ path }, undefined)).not.toThrow();
      expect(parts.map(decodeURIComponent)).toEqual(["zones", id, "rulesets"]);
    }),
  );
});
