import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { FIELDS, parse, type Problem, typeName } from "../../lib/rules.ts";
import { documented } from "./corpus.ts";
import { mutated, randomExpression, randomFrom, randomPattern } from "./random.ts";

// Compares our parser with the service's own: `npm run rules:oracle`. The Python package octorules-wirefilter brings that one;
// ZONEFORM_WIREFILTER_PATH names the folder of an unpacked wheel, if the package is not installed.

/** How many random expressions to compare; none in an ordinary run. A fifth of them is about regular expressions, and half of the others have mistakes. */
const COUNT = Number(process.env["ZONEFORM_ORACLE"] ?? 0);

const SCRIPT = `
import json, os, sys
folder = os.environ.get("ZONEFORM_WIREFILTER_PATH")
if folder: sys.path.insert(0, folder)
from octorules_wirefilter import parse_expression
for text in json.load(sys.stdin):
    error = parse_expression(text).get("error", "")
    print(error.strip().split("\\n")[-1].strip(" ^"))
`;

/** What one of the two accepts and the other one does not: theirs is "" and ours empty if accepted. */
interface Case {
  readonly text: string;
  readonly theirs: string;
  readonly ours: readonly Problem[];
}

/** Where the two are known to differ. docs/rules-language.md explains each under the same name. */
const DIFFERENCES: readonly { readonly name: string; readonly isIt: (found: Case) => boolean }[] = [
  {
    name: "true and false",
    isIt: ({ text, theirs }) => theirs === "unknown identifier" && /\b(?:true|false)\b/.test(text),
  },
  {
    name: "signatures of functions",
    isIt: ({ theirs }) => /^invalid (?:kind of|type of|number of) argument/.test(theirs),
  },
  { name: "an empty expression", isIt: ({ text }) => text.trim() === "" },
  {
    name: "a field behind &",
    isIt: (found) => /&|bitwise_and/.test(found.text) && says(/compare it with a whole number$/)(found),
  },
  { name: "stars of a wildcard", isIt: ({ theirs }) => theirs.includes("star metacharacters, but the limit is") },
  { name: "classes of Unicode", isIt: ({ theirs }) => theirs.includes("Unicode property") },
  { name: "size of a regular expression", isIt: says(/is too large$/, /exceeds size limit/) },
  { name: "incomplete addresses", isIt: says(/ is no IP address/) },
  { name: "sign in an escape", isIt: says(/is no escape of a quoted string/) },
  { name: "limits of arguments", isIt: says(/ is a number from | may not be empty$|^an expression may call /) },
  {
    name: "patterns in arguments",
    isIt: ({ ours }) => ours.every(({ code }) => code === "bad-pattern") && ours.length > 0,
  },
  { name: "managed lists", isIt: says(/^unknown list \$cf\./) },
  { name: "length", isIt: ({ ours }) => ours.some(({ code }) => code === "too-large") },
];

/** Whether all that we refuse has a message like that, or what the service says is like the other one. */
function says(message: RegExp, theirs?: RegExp): (found: Case) => boolean {
  return (found) => {
    if (found.ours.length === 0) return theirs?.test(found.theirs) === true;
    return found.ours.every((problem) => message.test(problem.message));
  };
}

it("agrees with the service's own parser, but for the differences that docs/rules-language.md explains", ({ skip }) => {
  skip(COUNT === 0, "skipped: npm run rules:oracle compares with the service's own parser");
  const probes = ask([...FIELDS.keys()]);
  skip(typeof probes === "string", String(probes));
  const conditions = documented().filter(({ type = "Boolean" }) => type === "Boolean");
  const texts = [...conditions.map(({ text }) => text), ...randomTexts()].map((text) => withKnownFields(text, probes));
  const theirs = ask(texts);
  if (typeof theirs === "string") throw new Error(theirs);
  const cases = texts.map((text, index) => ({ text, theirs: theirs[index] ?? "", ours: refusals(text) }));
  const differing = cases.filter((found) => (found.theirs === "") !== (found.ours.length === 0));
  const counts = new Map<string, number>();
  for (const found of differing) {
    const name = DIFFERENCES.find(({ isIt }) => isIt(found))?.name ?? "not explained";
    counts.set(name, (counts.get(name) ?? 0) + 1);
    if (name === "not explained") console.log(found.text, "\n  theirs:", found.theirs, "\n  ours:", found.ours);
  }
  const accepted = cases.filter(({ ours }) => ours.length === 0).length;
  console.log(`oracle: ${texts.length} expressions, ${accepted} of them accepted, ${differing.length} differences`);
  for (const [name, count] of counts) console.log(`  ${name}: ${count}`);
  expect([...counts.keys()]).not.toContain("not explained");
});

it("every known difference is explained in docs/rules-language.md", () => {
  const page = readFileSync(new URL("../../docs/rules-language.md", import.meta.url), "utf8");
  expect(DIFFERENCES.filter(({ name }) => !page.includes(`| ${name} |`))).toEqual([]);
});

/** What the service's parser says about each text, "" if it accepts it; or why it cannot be asked. */
function ask(texts: readonly string[]): readonly string[] | string {
  const options = { input: JSON.stringify(texts), encoding: "utf8", maxBuffer: 1e9 } as const;
  const { status, stdout, stderr, error } = spawnSync("python3", ["-c", SCRIPT], options);
  if (error !== undefined) return `skipped: python3 does not start: ${error.message}`;
  if (status !== 0) return `skipped: ${stderr.trim().split("\n").at(-1)}`;
  return stdout.split("\n").slice(0, -1);
}

function randomTexts(): readonly string[] {
  return Array.from({ length: COUNT }, (_, seed) => {
    const random = randomFrom(seed);
    if (seed % 5 === 0) return `http.host matches r##"${randomPattern(random)}"##`;
    const text = randomExpression(random);
    // A mistake may cut a character in half, and the service is never sent one of these.
    return seed % 2 === 0 ? text : mutated(random, text).replaceAll(/\p{Surrogate}/gu, "\ufffd");
  });
}

/** Fields that both know, by type. */
const STAND_INS = new Map([
  ["String", "http.host"],
  ["Integer", "cf.waf.score"],
  ["IP address", "ip.src"],
  ["Boolean", "ssl"],
  ["Array<String>", "http.request.headers.names"],
  ["Array<Integer>", "cf.bot_management.detection_ids"],
  ["Array<Array<String>>", "http.request.body.multipart.names"],
  ["Map<Integer>", "cf.llm.prompt.custom_topic_categories"],
  ["Map<Array<String>>", "http.request.headers"],
]);

/** The same text with other fields for those that only the documentation has. */
function withKnownFields(text: string, probes: readonly string[] | string): string {
  const unknown = [...FIELDS].filter((_, index) => probes[index] === "unknown identifier");
  const others = new Map(unknown.map(([name, { type }]) => [name, STAND_INS.get(typeName(type))]));
  return text.replaceAll(/[A-Za-z0-9_.]+/g, (name) => others.get(name) ?? name);
}

/** What we refuse, and what we do not know although the service may. */
function refusals(text: string): readonly Problem[] {
  return parse(text).problems.filter(({ code, isWarning, message }) => {
    return isWarning !== true || (code === "unknown-name" && !message.startsWith("unknown list"));
  });
}
