import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { isList, type Json } from "../../../lib/core/json.ts";

/** What `jq --raw-output --compact-output` prints for a filter, a document and the environment of the moment, line by line. */
export type Filter = (
  filter: string,
  document: string,
  env: Readonly<Record<string, string>>,
) => Promise<readonly string[]>;

type Ask = (document: string, env: Readonly<Record<string, string>>) => Promise<Json>;

/** Filters as jq does until the test ends, with a process for each filter: to start one takes far longer than to ask it. */
export function openJq(): Filter {
  const started = new Map<string, Ask>();
  return async (filter, document, env) => {
    const ask = started.get(filter) ?? start(filter);
    started.set(filter, ask);
    const found = await ask(document, env);
    if (!isList(found)) throw new Error(`jq: ${JSON.stringify(found)} of ${filter}`);
    return found.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  };
}

/** A process that answers each document with one line: the list of what the filter makes of it, or an error. */
function start(filter: string): Ask {
  if (filter.includes("$ENV")) throw new Error("the jq of the tests knows env, and not $ENV");
  const program = `.env as $env | .document | try [def env: $env; ${filter}\n] catch { error: . }`;
  const child = spawn("jq", ["--unbuffered", "--compact-output", program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill());
  const waiting: ((line: string) => void)[] = [];
  let hasEnded = false;
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.(line));
  // A filter that jq does not understand ends it.
  child.stdin.on("error", () => undefined);
  child.on("close", () => {
    hasEnded = true;
    for (const answer of waiting) answer(JSON.stringify({ error: "jq has ended" }));
  });
  return async (document, env) => {
    if (hasEnded) throw new Error("jq has ended");
    const line = new Promise<string>((resolve) => void waiting.push(resolve));
    child.stdin.write(`{"env":${JSON.stringify(env)},"document":${document}}\n`);
    return JSON.parse(await line);
  };
}
