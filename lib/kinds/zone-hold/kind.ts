import { wordingFrom } from "../../core/diagnostic.ts";
import { boolean, DecodeError, optionalNumber, optionalText } from "../../core/decode.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import { defineSetting, type SettingWrite } from "../define-setting.ts";
import type { KindOf } from "../kind-of.ts";
import type { Live } from "../live.ts";
import type { ValueProblem } from "../traits/declared.ts";
import type { SubscriptionNeed } from "../traits/judged.ts";

/** Codes that only the zone hold raises. */
const CODES = {
  "no-hold-to-suspend": {
    cause: "hold_after suspends a hold, but the zone has none yet",
    message: "hold_after suspends a hold, but the zone has none yet",
    remedy: "apply without hold_after first",
  },
  "no-hold-to-change": {
    cause: "include_subdomains and hold_after have no effect with hold: false",
    message: "{field} has no effect with hold: false",
    remedy: "set hold: true, or remove {field}",
  },
  "suspension-over": {
    cause: "hold_after is in the past: the hold is back, and the line has no effect",
    message: "the suspension of the hold ended at {time}",
    remedy: "remove hold_after, or set a later time",
  },
} as const;

const problem = wordingFrom(CODES);

const SUBSCRIPTION: SubscriptionNeed = {
  what: "a zone hold",
  least: "enterprise",
  answer: "1005",
  remedy: "leave zone_hold out, or change the zone's subscription",
};

/**
 * The hold of a zone: nobody can add the zone's name to another account. A suspended hold counts as set, with the time
 * at which it resumes in `hold_after`.
 */
export const zoneHold: KindOf<"zone_hold", never, keyof typeof CODES> = defineSetting({
  name: "zone_hold",
  stage: 7,
  section: { key: "zone_hold", required: "hold" },
  path: () => "/hold",
  family: "holds",
  ownCodes: CODES,
  decode,
  implied,
  write,
  satisfied: (leaf, desired, live) => (leaf === "hold_after" && isOver(desired, live) ? true : undefined),
  problems,
  objections: (values, live) =>
    live.values["hold"] !== true && isSuspended(values) && !hasCome(untilOf(values), live)
      ? [{ path: ["hold_after"], ...problem("no-hold-to-suspend", {}) }]
      : [],
  weakens: (from, to) =>
    from["hold"] === true &&
    (to["hold"] !== true ||
      (from["include_subdomains"] === true && to["include_subdomains"] !== true) ||
      untilOf(to) > untilOf(from)),
  // Every zone may release its hold.
  subscription: ({ desired }) => (desired["hold"] === true ? [SUBSCRIPTION] : []),
  hcl: {
    type: "cloudflare_zone_hold",
    importId: ({ zone }) => zone.id,
    isThere: ({ values }) => values["hold"] === true,
    note: "Terraform plans one change of it after the import, and sends what is live: the provider does not read include_subdomains.",
    attributes: ({ zone, values }) => [
      ["zone_id", zone.id],
      ["include_subdomains", values["include_subdomains"] === true],
      ...(isSuspended(values) ? [["hold_after", untilOf(values)] as const] : []),
    ],
  },
});

/** A suspended hold still exists. */
function decode(from: JsonObject, at: number | undefined): Pick<Live, "values" | "status"> {
  const isSet = boolean(from, "hold");
  const until = endOfSuspension(from);
  // The service may still show the end of a suspension after the hold is back.
  const isOver = isSet && at !== undefined && Date.parse(until) <= at;
  const after = isOver ? "" : until;
  return {
    values: { hold: isSet || after !== "", include_subdomains: coversSubdomains(from), hold_after: after },
    status: at === undefined ? {} : { read_at: at },
  };
}

/**
 * A hold that is on is not suspended, unless the end of a suspension is declared. Releasing a hold also resets
 * `include_subdomains` and `hold_after`.
 */
function implied(desired: JsonObject): JsonObject {
  if (desired["hold"] === false) return { include_subdomains: false, hold_after: "" };
  return desired["hold"] === true && desired["hold_after"] === undefined ? { hold_after: "" } : {};
}

function write(values: JsonObject, live: JsonObject): SettingWrite {
  if (values["hold"] !== true) return { method: "DELETE" };
  const subdomains = values["include_subdomains"] === true;
  if (live["hold"] !== true) return { method: "POST", query: { include_subdomains: subdomains } };
  const changed = Object.entries(values).filter(([leaf, value]) => leaf !== "hold" && value !== live[leaf]);
  return { method: "PATCH", body: Object.fromEntries(changed) };
}

function problems(_key: string, desired: JsonObject): readonly ValueProblem[] {
  return desired["hold"] === false ? withoutHold(desired) : endProblems(untilOf(desired));
}

function withoutHold(desired: JsonObject): readonly ValueProblem[] {
  const given = [
    ...(desired["include_subdomains"] === true ? ["include_subdomains"] : []),
    ...(isSuspended(desired) ? ["hold_after"] : []),
  ];
  return given.map((leaf) => ({ path: [leaf], ...problem("no-hold-to-change", { field: leaf }) }));
}

/** Problems of the end of a suspension: it is no time, or it has passed. */
function endProblems(until: string): readonly ValueProblem[] {
  if (until === "") return [];
  const path = ["hold_after"];
  const time = Date.parse(until);
  if (Number.isNaN(time) || timeText(time) !== until) {
    const remedy = "write a time in UTC, for example 2027-01-31T00:00:00Z";
    return [{ path, code: "no-such-date", message: `${until} is not a time`, remedy }];
  }
  return [{ path, ...problem("suspension-over", { time: until }), after: time }];
}

/** A suspension whose end has passed: the hold is back by itself, and there is nothing to do. */
function isOver(until: Json, live: Live): boolean {
  const isBack = live.values["hold"] === true && live.values["hold_after"] === "";
  return isBack && hasCome(until, live);
}

/** Whether a time had passed, by the service's clock, when the hold was read. */
function hasCome(until: Json, { status }: Live): boolean {
  const readAt = optionalNumber(status, "read_at");
  return readAt !== undefined && typeof until === "string" && Date.parse(until) <= readAt;
}

function isSuspended(values: JsonObject): boolean {
  return untilOf(values) !== "";
}

/** The end of the suspension; empty if there is none. Later times sort after earlier ones. */
function untilOf(values: JsonObject): string {
  return optionalText(values, "hold_after") ?? "";
}

/** The end of the suspension that the service shows, normalised; empty if there is none. Throws `DecodeError`. */
function endOfSuspension(from: JsonObject): string {
  const after = from["hold_after"] ?? "";
  if (after === "") return "";
  const time = typeof after === "string" ? Date.parse(after) : Number.NaN;
  if (Number.isNaN(time)) throw new DecodeError("hold_after", "a time", after, "something else");
  return timeText(time);
}

/** The public client declares it as a text, but responses have a boolean. Throws `DecodeError`. */
function coversSubdomains(from: JsonObject): boolean {
  const included = from["include_subdomains"] ?? false;
  if (included === "true" || included === "false") return included === "true";
  return boolean({ include_subdomains: included }, "include_subdomains");
}

/** A time, normalised: whole seconds, in UTC. */
function timeText(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
