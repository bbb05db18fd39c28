import { expect, test } from "vitest";
import { objects, optionalText } from "../../../lib/core/decode.ts";
import { isObject } from "../../../lib/core/json.ts";
import { HAZARDS } from "../../../lib/kinds/hazards.ts";
import { noticeForSlack } from "../../../lib/report/notice.ts";

test("a block of Slack holds 3,000 characters, however long the names are and whatever is escaped in them", () => {
  for (const character of ["x", "&", "<"]) {
    const names = Array.from({ length: 5 }, () => character.repeat(120));
    const hazards = HAZARDS.map((hazard) => ({ hazard, count: 5, names }));
    const sent = noticeForSlack({ event: "drift", verdict: "Drift.", exitCode: 3, hazards });
    const [block] = objects(sent, "blocks");
    const text = isObject(block?.["text"]) ? (optionalText(block["text"], "text") ?? "") : "";
    expect(text).toMatch(/^Drift\.\n/);
    expect(text.length).toBeLessThanOrEqual(3000);
    expect(text.length).toBeGreaterThan(2500);
  }
});
