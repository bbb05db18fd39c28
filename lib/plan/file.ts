import { problem, Refusal, refusal } from "../core/diagnostic.ts";
import { defined, isObject, type JsonObject } from "../core/json.ts";
import { DecodeError, decodeOr, object, optionalNumber, text } from "../core/decode.ts";
import { runningDigest } from "../core/digest.ts";
import { EXIT } from "../core/exit-code.ts";
import { shellQuoted } from "../core/quote.ts";
import type { StateObject } from "../state/state.ts";
import type { Bookkeeping, Change, Plan, ZonePlan } from "./change.ts";
import { BUDGET, decodeBookkeeping, decodeChange, ZONE } from "./decode.ts";
import { DIGEST_VERSION, digestOf, planHash } from "./digest.ts";
import { decodeScope, type PlanScope } from "./scope.ts";

const FORMAT = "zoneform-plan";
const VERSION = 1;

/** A saved plan, with the endpoint that it was made for and its scope. */
export interface SavedPlan {
  readonly plan: Plan;
  readonly endpoint: string;
  readonly scope: PlanScope;
}

/**
 * The lines of a plan file: a header; for each zone one line, its changes and its bookkeeping; a footer with count and
 * hash. It is written and read line by line, so plans of any size can be streamed.
 */
export function* encodePlan(saved: SavedPlan): Iterable<string> {
  const hash = runningDigest();
  let count = 0;
  for (const line of planLines(saved)) {
    hash.add(`${line}\n`);
    count += 1;
    yield line;
  }
  yield JSON.stringify({ count, sha256: hash.hex() });
}

function* planLines({ plan, endpoint, scope }: SavedPlan): Iterable<string> {
  yield JSON.stringify({
    format: FORMAT,
    version: VERSION,
    digest_version: DIGEST_VERSION,
    project: plan.project,
    budget: { ...plan.budget },
    hash: plan.hash,
    endpoint,
    scope,
  });
  for (const { changes, bookkeeping, settled: _settled, reviewed: _reviewed, ...zone } of plan.zones) {
    yield JSON.stringify({ section: zone });
    for (const change of changes) yield JSON.stringify({ change });
    for (const object of bookkeeping.remember) yield JSON.stringify({ remember: object });
    for (const address of bookkeeping.drop) yield JSON.stringify({ drop: address });
    if (bookkeeping.sources) yield JSON.stringify({ sources: bookkeeping.sources });
  }
}

/** Reads a plan file. Throws `Refusal` if it is damaged or edited, and with exit code 4 if it has another version. */
export async function decodePlan(lines: AsyncIterable<string>, where: string): Promise<SavedPlan> {
  const reader = planReader(where);
  for await (const line of lines) reader.take(line);
  return reader.finish();
}

interface Section {
  readonly zone: Omit<ZonePlan, "changes" | "bookkeeping" | "settled">;
  readonly changes: Change[];
  readonly remember: StateObject[];
  readonly drop: string[];
  sources?: Bookkeeping["sources"];
}

function planReader(where: string): { take(line: string): void; finish(): SavedPlan } {
  const hash = runningDigest();
  const sections: Section[] = [];
  let header: JsonObject | undefined;
  let count = 0;
  let isClosed = false;

  function take(line: string): void {
    if (isClosed) throw unreadable(where, count + 1, "there are lines after the footer");
    const value = parse(line, where, count + 1);
    if (Object.hasOwn(value, "sha256")) return close(value);
    hash.add(`${line}\n`);
    count += 1;
    if (header) decoding(where, count, () => add(value));
    else header = checkedHeader(value, where);
  }

  function add(value: JsonObject): void {
    const section = value["section"];
    if (isObject(section))
      return void sections.push({ zone: ZONE.decode(section), changes: [], remember: [], drop: [] });
    const current = sections.at(-1);
    if (!current) throw new DecodeError("section", "there before the first change", undefined);
    const change = value["change"];
    if (isObject(change)) return void current.changes.push(decodeChange(change));
    const entry = decodeBookkeeping(value);
    if ("remember" in entry) current.remember.push(entry.remember);
    else if ("drop" in entry) current.drop.push(entry.drop);
    else current.sources = entry.sources;
  }

  function close(footer: JsonObject): void {
    if (optionalNumber(footer, "count") !== count || text(footer, "sha256") !== hash.hex()) {
      throw unreadable(where, count + 1, "its content does not match the checksum of its footer");
    }
    isClosed = true;
  }

  function finish(): SavedPlan {
    if (!header || !isClosed) throw unreadable(where, count + 1, header ? "it ends before its footer" : "it is empty");
    const first = header;
    const zones = sections.map(planOf);
    const planned = planHash(zones);
    const isAsHashed =
      planned === header["hash"] &&
      zones.every(({ changes }) => changes.every((change) => digestOf(change) === change.digest));
    if (!isAsHashed) throw unreadable(where, 1, "its changes do not match its hash");
    return decoding(where, 1, () => ({
      plan: {
        project: text(first, "project"),
        budget: BUDGET.decode(object(first, "budget")),
        hash: planned,
        zones,
      },
      endpoint: text(first, "endpoint"),
      scope: decodeScope(object(first, "scope")),
    }));
  }

  return { take, finish };
}

function planOf({ zone, changes, remember, drop, sources }: Section): ZonePlan {
  return { ...zone, changes, bookkeeping: { remember, drop, ...defined({ sources }) } };
}

function checkedHeader(header: JsonObject, where: string): JsonObject {
  if (header["format"] !== FORMAT) throw unreadable(where, 1, "it is not a plan file: its first line does not say so");
  const { version, digest_version: digests } = header;
  if (version === VERSION && digests === DIGEST_VERSION) return header;
  if (typeof version !== "number" || typeof digests !== "number")
    throw unreadable(where, 1, "its header has no version");
  throw ofAnotherVersion(`${where} has format ${version} and digests of version ${digests}`, where);
}

/**
 * Why an approval of another version of Zoneform is not valid here: equal changes have other digests there. `file` is
 * the plan file, if there is one.
 */
export function ofAnotherVersion(what: string, file?: string): Refusal {
  const values = { what, version: VERSION, digests: DIGEST_VERSION, file: shellQuoted(file ?? "plan.zfplan") };
  return refusal(problem("plan-of-another-version", values), EXIT.refused);
}

function parse(line: string, where: string, number: number): JsonObject {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch (cause) {
    throw unreadable(where, number, "the line is not JSON", cause);
  }
  throw unreadable(where, number, "the line is not a JSON object");
}

function decoding<T>(where: string, line: number, read: () => T): T {
  return decodeOr(read, (cause) => {
    throw unreadable(where, line, cause.message, cause);
  });
}

function unreadable(where: string, line: number, what: string, cause?: unknown): Refusal {
  const at = { file: where, line, column: 1 };
  return refusal(problem("plan-unreadable", { what, file: shellQuoted(where) }, { at }), 1, { cause });
}
