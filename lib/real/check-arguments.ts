import { USUAL_PACE } from "../apply/run.ts";
import { type Diagnostic, error, Refusal } from "../core/diagnostic.ts";

/** Returns what is wrong with an argument, or undefined. */
type Check = (value: unknown) => string | undefined;

const textList: Check = (value) =>
  Array.isArray(value) && value.every(isText) ? undefined : `is ${nameOf(value)}, not a list of texts`;

const truth: Check = (value) => (typeof value === "boolean" ? undefined : `is ${nameOf(value)}, not true or false`);

/** The checks of the fields that select a part of a project. */
const PART: Readonly<Record<string, Check>> = {
  zones: textList,
  target: textList,
  exclude: textList,
  sources: (value) =>
    isRecord(value) && Object.values(value).every(isText) ? undefined : `is ${nameOf(value)}, not paths by source`,
};

/** Throws `Refusal` for anything that `openWorld` did not return. */
export function checkWorld(world: unknown): void {
  if (isRecord(world) && typeof world["connect"] === "function" && typeof world["file"] === "string") return;
  throw new Refusal([wrong("world", `is ${nameOf(world)}`, "give what openWorld gave")]);
}

/** Throws `Refusal` for anything that `plan` or `decodePlan` did not return: a missing plan approves nothing. */
export function checkApproved(approved: unknown): void {
  const isWhole =
    isRecord(approved) && isPlan(approved["plan"]) && isRecord(approved["scope"]) && isText(approved["endpoint"]);
  if (isWhole) return;
  const is = isPlan(approved) ? "is a plan alone, without its endpoint and scope" : `is ${nameOf(approved)}`;
  throw new Refusal([wrong("the approved plan", is, "give what plan or decodePlan gave, whole")]);
}

/** Throws one `Refusal` with every mistake in a plan request. */
export function checkPlanRequest(request: unknown): void {
  checkFields(request, {
    ...PART,
    completeSources: textList,
    deny: textList,
    isDestroy: truth,
    dnsCheck: (value) => (isRecord(value) ? undefined : `is ${nameOf(value)}, not an object`),
  });
}

/** Throws one `Refusal` with every mistake in a drift request. */
export function checkDriftRequest(request: unknown): void {
  checkFields(request, { ...PART, records: truth });
}

/** Throws one `Refusal` with every mistake in an apply request. */
export function checkApply(request: unknown): void {
  checkFields(request, {
    deny: textList,
    ...Object.fromEntries(Object.keys(USUAL_PACE).map((name) => [name, paceCheck(name)])),
    approvedBy: (value) => (isText(value) ? undefined : `is ${nameOf(value)}, not a text`),
    report: (value) => (typeof value === "function" ? undefined : `is ${nameOf(value)}, not a function`),
  });
}

/** The check of a field of `Pace`: its name says whether it is a time or a number of things. */
function paceCheck(name: string): Check {
  return name.endsWith("Milliseconds") ? time : oneOrMore;
}

function time(value: unknown): string | undefined {
  return Number.isFinite(value) && Number(value) >= 0 ? undefined : `is ${nameOf(value)}, not a time of 0 or more`;
}

function oneOrMore(value: unknown): string | undefined {
  return Number.isInteger(value) && Number(value) >= 1 ? undefined : `is ${nameOf(value)}, not 1 or more`;
}

function checkFields(given: unknown, checks: Readonly<Record<string, Check>>): void {
  if (!isRecord(given))
    throw new Refusal([wrong("the request", `is ${nameOf(given)}`, "give an object, or leave it out")]);
  const faults = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) return [wrong(name, "is not an option here", `the options are ${Object.keys(checks).join(", ")}`)];
    const fault = check(value);
    return fault === undefined ? [] : [wrong(name, fault, "see docs/library.md")];
  });
  if (faults.length > 0) throw new Refusal(faults);
}

function isPlan(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value["zones"]) && isText(value["hash"]) && isText(value["project"]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Names a value without showing its contents: they may hold a secret. */
function nameOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean")
    return `${value}`;
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function wrong(name: string, is: string, remedy: string): Diagnostic {
  return error({ code: "bad-argument", message: `${name} ${is}`, remedy });
}
