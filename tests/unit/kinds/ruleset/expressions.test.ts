import { expect, it } from "vitest";
import { compareReach, excludes, implies } from "../../../../lib/kinds/ruleset/expressions.ts";
import { ALL_FACTS, MEANINGS } from "../../../property/weakening-world.ts";

it.each(Object.entries(MEANINGS))(
  "what %s implies is true wherever it is, and what it excludes nowhere",
  (first, isFirst) => {
    const matched = ALL_FACTS.filter(isFirst);
    for (const [second, isSecond] of Object.entries(MEANINGS)) {
      if (implies(first, second)) expect(matched.every(isSecond), second).toBe(true);
      if (excludes(first, second)) expect(matched.some(isSecond), second).toBe(false);
    }
  },
);

/** Deep brackets. */
const DEEP = `${"(".repeat(18)}c or d${")".repeat(18)}`;

it.each([
  ["a and b", "a"],
  ["a", "(b) or (a) or c"],
  ["not (a or b)", "not a"],
  ['http.host eq "a.net"', 'http.host in {"b.net" "a.net"}'],
  ["ip.src in {192.0.2.1}", "ip.src in {192.0.2.1 192.0.2.2}"],
  ['starts_with(http.request.uri.path, "/a") and a', 'starts_with(http.request.uri.path,"/a")'],
  ['starts_with(path, "/\\x61b")', 'starts_with(path, "/\\x61")'],
  ['starts_with(path, "/upload")', 'starts_with(lower(path), "/up")'],
  ['path contains "/upload"', 'path contains "/up"'],
  ['path matches "^/upload"', 'starts_with(path, "/up")'],
  ['path wildcard "/upload*"', 'path wildcard "/up*"'],
  [`a in {1} and ${DEEP} and b in {2}`, `a in {1 3} and ${DEEP} and b in {2}`],
])("%s is proven to imply %s, and not the other way round", (first, second) => {
  expect([implies(first, second), implies(second, first)]).toEqual([true, false]);
});

it.each([
  ['http.host eq "a or b"', 'http.host eq "a"'],
  ['a eq "x" or b eq "y', 'a eq "x"'],
  [`${"(".repeat(5000)}a${")".repeat(5000)}`, "a"],
  [`a in {1} or ${DEEP} or b in {2}`, `a in {1} and ${DEEP} and b in {2}`],
  ['http.user_agent in {"a\nb"}', 'http.user_agent in {"a\nc" "d\nb"}'],
  ["port in {1 .. 5}", "port in {0 .. 1 5}"],
  ["port in {1.. 5}", "port in {1.. 3 5}"],
  ['a eq "x" # or b', 'a eq "x"'],
])("%s is not proven to imply %s", (first, second) => {
  expect(implies(first, second)).toBe(false);
});

it.each([`a in {1} or ${DEEP}`, 'a eq "x', "port in {1 .. 5}", ""])("%s implies itself", (expression) => {
  expect(implies(expression, expression)).toBe(true);
});

it.each([
  ['host eq "a"', 'host in {"b" "c"}'],
  ['host eq "a" and x', 'host eq "b" or (host == "c" and y)'],
  ["port in {80 443}", "port in {8080}"],
  ["a and b", "not a"],
  ["a", "not (a or b)"],
  ['host eq "a"', 'lower(host) eq "b"'],
  [`a and ${DEEP}`, "not a"],
])("no request is matched by both %s and %s", (first, second) => {
  expect([excludes(first, second), excludes(second, first)]).toEqual([true, true]);
});

it.each([
  ["ip.src in {10.0.0.0/8}", "ip.src in {10.1.0.0/16}"],
  ["port in {80..90}", "port eq 85"],
  ['host eq "a"', 'host eq "\\x61"'],
  ['host eq "a"', 'path eq "b"'],
  ["a or b", "not a"],
  ['a eq "x" # and b', 'a eq "y"'],
])("a request may be matched by both %s and %s", (first, second) => {
  expect(excludes(first, second)).toBe(false);
});

it("terms that are nested so that a proof would never end prove nothing, in time", () => {
  const nested = (depth: number, leaf: string): string =>
    depth === 0
      ? leaf
      : `(x${depth} ${depth % 2 ? "and" : "or"} y${depth} ${depth % 2 ? "and" : "or"} ${nested(depth - 1, leaf)})`;
  expect(implies(nested(15, "a"), nested(15, "b"))).toBe(false);
});

const TEXTS = ["a", "b", "/"].flatMap((one) => [one, ...["a", "b"].map((other) => one + other)]);

/** Tests of one field for a text, and what each means. */
const TESTS: readonly (readonly [string, (value: string) => boolean])[] = TEXTS.flatMap((text) => [
  [`path eq "${text}"`, (value) => value === text],
  [`path in {"${text}" "aa"}`, (value) => value === text || value === "aa"],
  [`starts_with(path, "${text}")`, (value) => value.startsWith(text)],
  [`ends_with(path, "${text}")`, (value) => value.endsWith(text)],
]);

it.each(TESTS)("%s is proven to imply each test of the same field that it implies, and no other", (first, isFirst) => {
  const values = ["", ...TEXTS].flatMap((one) => TEXTS.map((other) => one + other)).filter(isFirst);
  for (const [second, isSecond] of TESTS) expect(implies(first, second), second).toBe(values.every(isSecond));
});

it.each([
  ['starts_with(path, "/upload")', 'starts_with(raw_path, "/up")'],
  ['starts_with(path, "/upload")', 'starts_with(path, "/UP")'],
  ['starts_with(path, "/upload")', 'ends_with(path, "/up")'],
  ['lower(path) eq "/upload"', 'path eq "/upload"'],
  ['any(starts_with(headers["x"][*], "ab"))', 'all(starts_with(headers["x"][*], "a"))'],
  ['starts_with(path, "/ab") eq starts_with(path, "/ab")', 'starts_with(path, "/a")'],
])("%s is not proven to imply %s, whatever they have in common", (first, second) => {
  expect(implies(first, second)).toBe(false);
});

const UPLOAD = 'starts_with(http.request.uri.path, "/upload")';

it.each([
  [UPLOAD, "true", "every"],
  [UPLOAD, `${UPLOAD} or true`, "every"],
  [UPLOAD, 'starts_with(http.request.uri.path, "/")', "every"],
  [UPLOAD, `${UPLOAD} or ip.src eq 192.0.2.1`, "more"],
  [UPLOAD, 'starts_with(http.request.uri.path, "/up")', "more"],
  ['http.host in {"a.net"}', 'http.host in {"b.net" "a.net"}', "more"],
  ['lower(http.host) eq "a.net"', 'ends_with(lower(http.host), ".net")', "more"],
  ['not starts_with(http.host, "a")', 'not starts_with(http.host, "api")', "more"],
  ["true", UPLOAD, "fewer"],
  [UPLOAD, 'starts_with(http.request.uri.path, "/upload/a")', "fewer"],
  [UPLOAD, 'http.request.uri.path eq "/upload/a"', "fewer"],
  [UPLOAD, `${UPLOAD} and ip.src eq 192.0.2.1`, "fewer"],
  [UPLOAD, "false", "none"],
  [UPLOAD, `(${UPLOAD})`, "same"],
  ["a and b", "b && a", "same"],
  ["true", "true or a", "same"],
  [UPLOAD, 'starts_with(http.request.uri.path, "/files")', "other"],
  [UPLOAD, 'lower(http.request.uri.path) contains "/up"', "more"],
  [UPLOAD, 'http.request.uri.path matches "^/up.oad"', "unknown"],
])("from %s to %s a rule matches other requests: %s", (before, after, reach) => {
  expect(compareReach(before, after)).toBe(reach);
});
