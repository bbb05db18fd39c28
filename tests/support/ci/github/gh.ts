import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Filter, openJq } from "../jq.ts";
import type { Program } from "../programs.ts";

/** The flags that the examples use. Any other one is an error. */
const OPTIONS = {
  paginate: { type: "boolean" },
  silent: { type: "boolean" },
  method: { type: "string" },
  jq: { type: "string" },
  field: { type: "string", multiple: true },
  "raw-field": { type: "string", multiple: true },
} as const;

/** What `gh api` does, until the test ends: one request, its answer through jq. */
export function openGh(): Program {
  const filter = openJq();
  return async (args, { cwd, env }) => {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
    const [api, path, ...more] = positionals;
    if (api !== "api" || path === undefined || more.length > 0) throw new Error(`it does not know ${args.join(" ")}`);
    const { method = "GET", jq, paginate, silent, field = [], "raw-field": raw = [] } = values;
    const body = await bodyOf(field, raw, cwd);
    const headers = { authorization: `Bearer ${env["GH_TOKEN"] ?? ""}` };
    const printed: Buffer[] = [];
    let next: string | undefined = `${env["GITHUB_API_URL"]}/${path}`;
    while (next !== undefined) {
      const answer: Response = await fetch(next, { method, headers, ...(body === undefined ? {} : { body }) });
      const content = Buffer.from(await answer.arrayBuffer());
      if (!answer.ok)
        return {
          code: 1,
          stdout: Buffer.concat(printed),
          stderr: `gh: ${content.toString()} (HTTP ${answer.status})\n`,
        };
      // The filter sees one page at a time.
      if (jq !== undefined) printed.push(await filtered(filter, { jq, page: content, env }));
      else if (!silent) printed.push(content);
      next = paginate ? /<(.*)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] : undefined;
    }
    return { code: 0, stdout: Buffer.concat(printed), stderr: "" };
  };
}

async function filtered(
  filter: Filter,
  { jq, page, env }: { readonly jq: string; readonly page: Buffer; readonly env: Readonly<Record<string, string>> },
): Promise<Buffer> {
  const lines = await filter(jq, page.toString("utf8"), env);
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

/** The body of these fields; undefined without any. */
async function bodyOf(files: readonly string[], raw: readonly string[], cwd: string): Promise<string | undefined> {
  const fields: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const add = (name: string, value: string): void => {
    if (name.endsWith("[]")) (lists[name.slice(0, -2)] ??= []).push(value);
    else fields[name] = value;
  };
  for (const [name, value] of files.map(nameAndValue)) {
    if (!value.startsWith("@")) throw new Error(`it does not know --field ${name}=${value}`);
    add(name, await readFile(resolve(cwd, value.slice(1)), "utf8"));
  }
  for (const [name, value] of raw.map(nameAndValue)) add(name, value);
  return files.length + raw.length === 0 ? undefined : JSON.stringify({ ...fields, ...lists });
}

function nameAndValue(field: string): readonly [name: string, value: string] {
  const at = field.indexOf("=");
  return [field.slice(0, at), field.slice(at + 1)];
}
