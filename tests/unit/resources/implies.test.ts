import { expect, it } from "vitest";
import { implies } from "../../../lib/resources/ruleset/implies.ts";
import { MEANINGS } from "../../property/weakening-oracle.ts";

const BOTH = [true, false];
const REQUESTS = BOTH.flatMap((a) => BOTH.flatMap((b) => BOTH.map((c) => ({ a, b, c, times: 1 }))));

it.each(Object.entries(MEANINGS))("what %s implies is true wherever it is", (first, isFirst) => {
  for (const [second, isSecond] of Object.entries(MEANINGS)) {
    if (implies(first, second))
      expect(
        REQUESTS.every((each) => !isFirst(each) || isSecond(each)),
        second,
      ).toBe(true);
  }
});

it.each([
  ["a and b", "a"],
  ["a", "(b) or (a) or c"],
  ["not (a or b)", "not a"],
  ['http.host eq "a.net"', 'http.host in {"b.net" "a.net"}'],
  ["ip.src in {192.0.2.1}", "ip.src in {192.0.2.1 192.0.2.2}"],
  ['starts_with(http.request.uri.path, "/a") and a', 'starts_with(http.request.uri.path,"/a")'],
])("%s is proven to imply %s, and not the other way round", (first, second) => {
  expect([implies(first, second), implies(second, first)]).toEqual([true, false]);
});

it.each([
  ['http.host eq "a or b"', 'http.host eq "a"'],
  ['a eq "x" or b eq "y', 'a eq "x"'],
  [`${"(".repeat(5000)}a${")".repeat(5000)}`, "a"],
])("nothing is proven of %s", (first, second) => {
  expect(implies(first, second)).toBe(false);
});
