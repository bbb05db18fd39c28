import { readFile } from "node:fs/promises";
import { join } from "node:path";
import picomatch from "picomatch";
import { parse } from "yaml";
import { asObject, object, objects, text, texts } from "../../../../lib/core/decode.ts";
import { isObject, type JsonObject } from "../../../../lib/core/json.ts";
import { ROOT } from "../../command.ts";

/** The file as it is shipped. It is in a project of its own, so no branch of the project with the YAML has it. */
const FILE = "examples/ci/gitlab/.gitlab-ci.yml";

/** The variables that rules look at. */
export type Variables = Readonly<Record<string, string>>;

/** What the file says. */
export interface Configuration {
  readonly stages: readonly string[];
  readonly variables: JsonObject;
  /** What every job does first. */
  readonly beforeScript: readonly string[];
  /** Whether there is a pipeline at all. */
  readonly isWanted: (given: Variables) => boolean;
  readonly jobsOf: (stage: string) => readonly (readonly [name: string, job: JsonObject])[];
  readonly job: (name: string) => JsonObject;
}

/** The text of the file. */
export function readShipped(): Promise<string> {
  return readFile(join(ROOT, FILE), "utf8");
}

/** What a text in the place of the file says. */
export function configurationOf(source: string): Configuration {
  const settings = asObject(parse(source), FILE);
  return {
    stages: texts(settings, "stages"),
    variables: object(settings, "variables"),
    beforeScript: texts(object(settings, "default"), "before_script"),
    isWanted: (given) => objects(object(settings, "workflow"), "rules").some((rule) => isMet(text(rule, "if"), given)),
    jobsOf: (stage) =>
      Object.entries(settings).flatMap(([name, job]) =>
        isObject(job) && job["stage"] === stage ? [[name, job] as const] : [],
      ),
    job: (name) => object(settings, name),
  };
}

/** The first rule of a job that holds; undefined if the pipeline does not have the job. */
export async function ruleOf(
  job: JsonObject,
  given: Variables,
  changedFiles: () => Promise<readonly string[]>,
): Promise<JsonObject | undefined> {
  for (const rule of objects(job, "rules")) {
    if (!isMet(text(rule, "if"), given)) continue;
    if (!Object.hasOwn(rule, "changes")) return rule;
    const fits = picomatch([...texts(rule, "changes")]);
    if ((await changedFiles()).some((file) => fits(file))) return rule;
  }
  return undefined;
}

/** Conditions of this form: `$A == "text" && $B == $C`. Throws for any other. */
function isMet(condition: string, given: Variables): boolean {
  return condition.split("&&").every((term) => {
    const [, left = "", quoted, name] = /^\s*\$(\w+) == (?:"([^"]*)"|\$(\w+))\s*$/.exec(term) ?? [];
    if (left === "") throw new Error(`${term} is none that the tests know`);
    return given[left] !== undefined && given[left] === (quoted ?? given[name ?? ""]);
  });
}
