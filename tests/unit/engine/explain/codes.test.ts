import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { error } from "../../../../lib/core/diagnostic.ts";
import * as tables from "../../../../lib/core/codes.ts";
import { CONDITIONS, explain } from "../../../../lib/engine/explain/explain.ts";
import { KINDS } from "../../../../lib/kinds/registry.ts";
import { TEXTS } from "../../../../lib/service/explanations/statuses.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** Every code of ours, of all tables. */
const CODES = [...Object.values(tables), ...KINDS.map(({ ownCodes }) => ownCodes)].flatMap((table) =>
  Object.keys(table),
);

/** What matches in lib and cmd, but for the emulator and the tables that explain codes and statuses. */
function matches(...pattern: readonly string[]): readonly string[] {
  const tablesOf = ["codes.ts", "statuses.ts"].map((name) => `--exclude=${name}`);
  const places = ["lib", "cmd", "--include=*.ts", "--exclude-dir=emulator", "--exclude-dir=codes", ...tablesOf];
  const options = { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
  return spawnSync("grep", ["-rho", ...pattern, ...places], options)
    .stdout.split("\n")
    .filter((line) => line !== "");
}

/** Every text that may be a code, but for keys. */
const WORDS = new Set(matches("-P", '["`][a-z0-9]+([-.][a-z0-9${}]+)*["`](?!:)'));

test("a code that no table explains does not compile", () => {
  error({ code: "setting-not-editable", message: "a code of a kind does" });
  // @ts-expect-error: this is what the type checker has to say
  expect(error({ code: "no-such-code", message: "" })).toMatchObject({ code: "no-such-code" });
});

test("no code stands in two tables", () => {
  expect(CODES.filter((code, index) => CODES.indexOf(code) < index)).toEqual([]);
});

test("each code is raised somewhere", () => {
  // The migration names what is lost by its sort.
  const made = (code: string): boolean => code.startsWith("waf-lost-") && WORDS.has("`waf-lost-${sort}`");
  expect(CODES.filter((code) => !WORDS.has(JSON.stringify(code)) && !made(code))).toEqual([]);
});

test("a remedy of the catalogue stands nowhere else", () => {
  const remedies = Object.values(tables).flatMap((table) => Object.values(table).map(({ remedy }) => remedy));
  // Two or three words may come twice by chance.
  const long = remedies.filter((remedy) => remedy.length > 20);
  expect(matches("-F", ...long.flatMap((remedy) => ["-e", JSON.stringify(remedy)]))).toEqual([]);
});

test("each code is explained, once", () => {
  // The service has texts that are called as our own finding about the same matter is.
  const ofService = [...CONDITIONS, ...TEXTS].map(({ code }) => code);
  for (const code of CODES) {
    const own = explain(code).filter(({ of }) => of === "zoneform");
    expect(own, code).toHaveLength(1);
    if (!ofService.includes(code)) expect(explain(code), code).toEqual(own);
  }
});

test("an explanation is said as messages are: in lower case, without a full stop, in a line or two", () => {
  for (const code of CODES) {
    for (const text of explain(code).flatMap(({ cause, remedy }) => [cause, remedy])) {
      expect(text, code).toMatch(/^[^A-Z]|^([A-Z]{2,}|ZONEFORM_|YAML|DNS|CAA|Zoneform|Cloudflare|Total TLS)/);
      expect(text, code).toMatch(/[^.\s]$/);
      expect(text.length, code).toBeLessThan(200);
    }
  }
});
