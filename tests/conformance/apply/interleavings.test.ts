import { expect, test } from "vitest";
import type { ApplyReport } from "../../../lib/apply/outcome.ts";
import type { Random } from "../../../lib/core/clock.ts";
import {
  changesOf,
  dnsRecords,
  endingsOf,
  inWords,
  openRig,
  type Rig,
  seededRandom,
  ZONE,
} from "../../support/engine.ts";
import { FOREIGN_EDITS, type ForeignEdit, isEntryPoint, MANAGED, shows, THEIRS } from "./foreign-edits.ts";

/** `npm run stress:interleavings` runs all of them. */
const INTERLEAVINGS = Number(process.env["ZONEFORM_INTERLEAVINGS"] ?? 80);
const SEED = 20261121;
/** After this time everything that was ordered is active, so that nothing is held. */
const SETTLED_MILLISECONDS = 3_600_000;
const PARTS = ["hostnames", "create", "delete", "rules", "fallback"] as const;

/** Each of these has to occur, or the others would prove little. */
const FATES_TO_MEET = [
  "kept",
  "overwritten as planned",
  "replaced in the window",
  "replaced in the window and reported",
] satisfies Fate[];
/** Results that must never occur. */
const WRONG: readonly Fate[] = ["lost", "replaced in the window and not reported"];

/** One foreign edit at one moment of one plan and apply. */
interface Interleaving {
  readonly edit: ForeignEdit;
  /** What the configuration changes. */
  readonly parts: ReadonlySet<string>;
  readonly parallelism: number;
  /** Before which request the edit happens, as a share of all of them. */
  readonly moment: number;
}

/** The requests to the service, in order. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly isApply: boolean;
}

/** The result, from the edit's point of view. */
type Fate =
  | "nothing to edit"
  | "kept"
  | "overwritten as planned"
  | "replaced in the window"
  | "replaced in the window and reported"
  | "replaced in the window and not reported"
  | "lost";

test("one foreign edit is never lost except between a reread and its write, and a ruleset reports that", async () => {
  const random = seededRandom(SEED);
  const fates = new Map<Fate, number>();
  const wrong: string[] = [];
  for (let each = 0; each < INTERLEAVINGS;) {
    const drawn = draw(random);
    const { fate, complaints } = await interleave(drawn);
    if (fate === "nothing to edit") continue;
    each += 1;
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
    wrong.push(...complaints.map((complaint) => `${inBrief(drawn)}: ${complaint}`));
  }
  const counts = [...FATES_TO_MEET, ...WRONG].map((fate) => `${fate} ${fates.get(fate) ?? 0}`);
  console.log(`interleavings ${INTERLEAVINGS}: ${counts.join(", ")}`);
  expect(wrong).toEqual([]);
  expect([...fates.keys()].sort()).toEqual(FATES_TO_MEET);
});

function draw(random: Random): Interleaving {
  const edit = FOREIGN_EDITS[Math.floor(random.fraction() * FOREIGN_EDITS.length)];
  if (!edit) throw new Error("there are foreign edits");
  return {
    edit,
    parts: new Set(PARTS.filter(() => random.fraction() < 0.7)),
    parallelism: 1 + Math.floor(random.fraction() * 4),
    moment: random.fraction(),
  };
}

function inBrief({ edit, parts, parallelism, moment }: Interleaving): string {
  return `${edit.what}, ${[...parts].join("+")}, parallelism ${parallelism}, at ${moment.toFixed(3)}`;
}

async function interleave(drawn: Interleaving): Promise<{ fate: Fate; complaints: readonly string[] }> {
  const requests = (await carryOut(await settledRig(drawn), drawn, Infinity)).asked.length;
  const rig = await settledRig(drawn);
  // Once after the last request too.
  const { asked, report, edited } = await carryOut(rig, drawn, 1 + Math.floor(drawn.moment * (requests + 1)));
  const fate = chooseRemoval(rig, drawn.edit, { asked, report, edited });
  return { fate, complaints: [...WRONG.filter((each) => each === fate), ...(await afterwards(rig, drawn, fate))] };
}

/** A zone that was applied and is settled; then its configuration wants something else. */
async function settledRig({ parts }: Interleaving): Promise<Rig> {
  const rig = openRig({
    zone: {
      plan: "enterprise",
      dns_records: dnsRecords(),
      rulesets: [{ phase: "http_request_firewall_managed", rules: [THEIRS] }],
    },
    files: { "zones/a.yaml": zoneFile(new Set()) },
  });
  await rig.run();
  await rig.wait(SETTLED_MILLISECONDS);
  rig.write("zones/a.yaml", zoneFile(parts));
  return rig;
}

function zoneFile(parts: ReadonlySet<string>): object {
  const [tier, tls] = parts.has("hostnames") ? ["gold", "1.2"] : ["silver", "1.0"];
  const entry = (hostname: string, tier: string, tls: string): object => ({
    hostname,
    custom_metadata: { tier },
    ssl: { type: "dv", method: "http", settings: { min_tls_version: tls } },
  });
  const rule = (ref: string): object => ({ ...MANAGED, ref, expression: parts.has("rules") ? "false" : "true" });
  return {
    version: 1,
    zone: ZONE,
    fallback_origin: { origin: parts.has("fallback") ? "fallback2.saas.net" : "fallback.saas.net" },
    custom_hostnames: {
      lifecycle: "zoneform",
      entries: [
        entry("edited.net", tier, tls),
        entry("same.net", "silver", "1.0"),
        ...(parts.has("create") ? [entry("new.net", tier, tls)] : []),
        ...(parts.has("delete") ? [] : [entry("dropped.net", "silver", "1.0")]),
      ],
    },
    entry_points: {
      http_request_firewall_managed: { own: ["ours/"], adopt: true, rules: [rule("ours/first"), rule("ours/second")] },
    },
  };
}

/** What was edited: the path of the object, and how many requests had been answered by then. */
interface Edited {
  readonly object: string | undefined;
  readonly after: number;
}

interface Story {
  readonly asked: readonly Asked[];
  readonly report: ApplyReport;
  readonly edited: Edited;
}

/** Plans and applies; the edit happens before request number `moment`, or at the end if there are fewer. */
async function carryOut(rig: Rig, { edit, parallelism }: Interleaving, moment: number): Promise<Story> {
  const asked: Asked[] = [];
  let edited: Edited | undefined;
  let isApply = false;
  const editNow = (): void => {
    edited = { object: edit.act(rig), after: asked.length };
  };
  rig.network((request, _index, pass) => {
    if (asked.length + 1 === moment) editNow();
    asked.push({ method: request.method, path: new URL(request.url).pathname.replace("/client/v4", ""), isApply });
    return pass();
  });
  const plan = await rig.plan();
  isApply = true;
  const report = await rig.apply(plan, { parallelism });
  rig.network((_request, _index, pass) => pass());
  if (!edited && moment < Infinity) editNow();
  return { asked, report, edited: edited ?? { object: undefined, after: asked.length } };
}

function chooseRemoval(rig: Rig, edit: ForeignEdit, { asked, report, edited: { object, after } }: Story): Fate {
  if (object === undefined) return "nothing to edit";
  const isInWindow = inWindow(asked, { object, after });
  if (isInWindow && isEntryPoint(object))
    return `replaced in the window and ${isReported(report) ? "" : "not "}reported`;
  if (edit.isLive(rig)) return "kept";
  if (isInWindow) return "replaced in the window";
  const isSeen = asked.some(({ method, path, isApply }, index) => {
    return index >= after && !isApply && method === "GET" && shows(path, object);
  });
  const isDeleted = asked.some(({ method, path }) => method === "DELETE" && path === object);
  return isSeen && (!edit.isUnowned || isDeleted) ? "overwritten as planned" : "lost";
}

/** Whether the edit fell between the last read of the object and a write of it. */
function inWindow(asked: readonly Asked[], { object, after }: Edited): boolean {
  return asked.some(({ method, path }, write) => {
    if (method === "GET" || path !== object || write < after) return false;
    const read = asked.slice(0, write).findLastIndex((each) => each.method === "GET" && each.path === object);
    return read < after;
  });
}

/** Whether the report says that a PUT of an entry point overwrote a foreign version. */
function isReported(report: ApplyReport): boolean {
  return endingsOf(report).some(({ outcome }) => {
    return outcome.status === "conflict" && outcome.diagnostic.code === "overwrote-another-write";
  });
}

/** Without further edits, one more run reaches what is declared, and foreign edits of unmanaged fields are still there. */
async function afterwards(rig: Rig, { edit, parts }: Interleaving, fate: Fate): Promise<readonly string[]> {
  await rig.wait(SETTLED_MILLISECONDS);
  await rig.run();
  await rig.wait(SETTLED_MILLISECONDS);
  const left = changesOf(await rig.plan());
  // Its plan has seen the edit, and deletes the hostname anyway.
  const isDeleted = parts.has("delete") && edit.hostname === "dropped.net";
  const mustStay = fate === "kept" && edit.isUnowned && !isDeleted;
  return [
    ...(left.length > 0 ? [`the plan after the next run is not empty: ${inWords(left).join("; ")}`] : []),
    ...(mustStay && !edit.isLive(rig) ? ["the next run takes away what nobody owns"] : []),
  ];
}
