import { optionalText } from "../../core/decode.ts";
import type { JsonObject } from "../../core/json.ts";
import { defineSetting, type SettingWrite } from "../define-setting.ts";
import type { KindOf } from "../kind-of.ts";
import type { SpecProblem } from "../traits/declared.ts";
import { CODES } from "./codes.ts";

/**
 * The hold of a zone: nobody else can add the name to an account of theirs. A hold that is suspended counts as set, with
 * the time at which it takes hold again by itself in `hold_after`.
 */
export const zoneHold: KindOf<"zone_hold", never, keyof typeof CODES> = defineSetting({
  name: "zone_hold",
  stage: 7,
  section: { key: "zone_hold", required: "hold" },
  path: () => "/hold",
  family: "holds",
  ownCodes: CODES,
  decode: (record) => {
    const after = timeIn(optionalText(record, "hold_after") ?? "");
    return {
      values: {
        hold: record["hold"] === true || after !== "",
        // The public client's types have it as a text, answers as a boolean.
        include_subdomains: record["include_subdomains"] === true || record["include_subdomains"] === "true",
        hold_after: after,
      },
      status: {},
    };
  },
  write,
  // What was asked for is over when its time has come: the hold is back, and nothing is left to do.
  satisfied: (leaf, wanted, prior, live) =>
    leaf === "hold_after" && live === "" && prior === wanted ? true : undefined,
  problems,
  objections: (values, live) =>
    live.values["hold"] !== true && isSuspended(values)
      ? [
          {
            code: "no-hold-to-suspend",
            message: "hold_after suspends a hold, and the zone has none yet",
            remedy: "apply without hold_after first",
          },
        ]
      : [],
  weakens: (from, to) =>
    from["hold"] === true &&
    (to["hold"] !== true ||
      (from["include_subdomains"] === true && to["include_subdomains"] !== true) ||
      untilOf(to) > untilOf(from)),
  subscription: {
    what: "a zone hold",
    least: "enterprise",
    answer: "1005",
    remedy: "leave zone_hold out, or change the zone's plan",
    // Every zone may release the hold that it has.
    isNeeded: ({ hold }) => hold === true,
  },
  hcl: {
    type: "cloudflare_zone_hold",
    importId: ({ zone }) => zone.id,
    isThere: ({ values }) => values["hold"] === true,
    attributes: ({ zone, values }) => [
      ["zone_id", zone.id],
      ["include_subdomains", values["include_subdomains"] === true],
      ...(isSuspended(values) ? [["hold_after", untilOf(values)] as const] : []),
    ],
  },
});

function write(values: JsonObject, live: JsonObject): SettingWrite {
  if (values["hold"] !== true) return { method: "DELETE" };
  const subdomains = values["include_subdomains"] === true;
  if (live["hold"] !== true) return { method: "POST", query: { include_subdomains: subdomains } };
  const changed = Object.entries(values).filter(([leaf, value]) => leaf !== "hold" && value !== live[leaf]);
  return { method: "PATCH", body: Object.fromEntries(changed) };
}

function problems(_key: string, spec: JsonObject): readonly SpecProblem[] {
  if (spec["hold"] !== false) return [];
  const given = [
    ...(spec["include_subdomains"] === true ? ["include_subdomains"] : []),
    ...(isSuspended(spec) ? ["hold_after"] : []),
  ];
  return given.map((leaf) => ({
    path: [leaf],
    code: "no-hold-to-change",
    message: `${leaf} needs a hold, and hold is false`,
    remedy: `set hold: true, or leave ${leaf} out`,
  }));
}

function isSuspended(values: JsonObject): boolean {
  return untilOf(values) !== "";
}

/** Until when the hold is suspended; empty where it is not. Later times sort behind earlier ones. */
function untilOf(values: JsonObject): string {
  return optionalText(values, "hold_after") ?? "";
}

/** A time in the one spelling, whole seconds in UTC; what is none is left as it is. */
function timeIn(text: string): string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}Z`;
}
