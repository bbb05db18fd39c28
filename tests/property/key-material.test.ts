import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readAnswer } from "../../lib/service/envelope.ts";
import { inFull } from "../support/full.ts";

/** This many characters in a row of a secret may never be readable anywhere. */
const TELLING = 12;

/** A key as a file holds it: base64 in lines of 64, in a frame. Its bytes are as random as a real key's. */
const keys = fc.tuple(fc.nat(), fc.integer({ min: 48, max: 1200 })).map(([seed, length]) => {
  const bytes = Buffer.concat(Array.from({ length: Math.ceil(length / 32) }, (_each, index) => hashOf(seed, index)));
  const lines =
    bytes
      .subarray(0, length)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
});

function hashOf(seed: number, index: number): Buffer {
  return createHash("sha256").update(`${seed} ${index}`).digest();
}

/** What a service may do with the line ends of a text that it repeats. */
const spellings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replaceAll("\n", " "),
  (text) => text.replaceAll("\n", ""),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  (text) => text.replaceAll("\n", "\n    "),
);

const words = fc.array(fc.constantFrom("the", "body", "was:", "invalid", "value", "…", "\n", "at"), { maxLength: 6 });
const around = words.map((each) => each.join(" "));
/** Where a text is cut, in thousandths of its length. */
const cuts = fc.tuple(fc.integer({ min: 0, max: 1000 }), fc.integer({ min: 0, max: 1000 }));

/** A part of a text, anywhere. */
function cutOut(text: string, [one, other]: readonly [number, number]): string {
  const [from, to] = [one, other].sort((left, right) => left - right).map((each) => (each * text.length) / 1000);
  return text.slice(from, to);
}

/** The parts of a key that can be read in a text: as in its file, and without line ends. */
function readable(key: string, text: string): readonly string[] {
  const body = key.replace(/-----.*-----\n/g, "");
  return [body, body.replaceAll("\n", "")].flatMap((whole) =>
    Array.from({ length: Math.max(0, whole.length - TELLING + 1) }, (_each, at) =>
      whole.slice(at, at + TELLING),
    ).filter((part) => text.includes(part)),
  );
}

describe("a key that is repeated, cut at any character, at any place of a message", () => {
  it("cannot be read in an error of the service, known or not, if more than a line of it is repeated", () => {
    fc.assert(
      fc.property(keys, spellings, cuts, around, around, (key, spell, cut, before, after) => {
        const echo = cutOut(spell(key), cut);
        fc.pre(echo.length > 96);
        const message = `${before} ${echo} ${after}`;
        const body = JSON.stringify({ success: false, errors: [{ code: 1428, message }], result: null });
        const reading = readAnswer({ status: 400, headers: {}, body });
        const said = reading.kind === "refusal" ? (reading.entries[0]?.message ?? "") : "";
        expect(reading.kind).toBe("refusal");
        expect(readable(key, said)).toEqual([]);
      }),
      { numRuns: inFull(500, 150) },
    );
  });
});

describe("text that is not a key stays readable", () => {
  it.each([
    "custom_hostname 0d89c70d-ad9f-4843-b99f-6cc0252067e9 of zone 023e105f4ecef8ad9ca31a8372d0c353 was not found",
    "could not find entrypoint ruleset in the http_request_firewall_managed phase",
    "'zone' is not a valid value for kind because exceeded maximum number of zone rulesets for phase http_ratelimit",
    "Could not route to /client/v4/zones/023e105f4ecef8ad9ca31a8372d0c353/custom_hostnames, perhaps your object identifier is invalid?",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 differs",
    "More than 1200 requests per 300 seconds reached. Please wait and consider throttling your request speed",
  ])("%s", (message) => {
    const body = JSON.stringify({ success: false, errors: [{ code: 1, message }], result: null });
    expect(readAnswer({ status: 400, headers: {}, body })).toMatchObject({ entries: [{ message }] });
  });
});
