import { parseAddress } from "../../core/address.ts";
import { shellQuoted } from "../../core/quote.ts";
import type { RuleChange } from "../../kinds/traits/compared.ts";
import type { Change } from "../../plan/change.ts";
import type { Drifted } from "../../plan/drift.ts";
import { onlyLetsGo } from "../../plan/write.ts";
import { commandLine, type Line, line } from "../lines/lines.ts";
import { ACTION_WORDS } from "../lines/marks.ts";
import { counted, thousands } from "../../core/words.ts";
import { firstNames, MOST_IN_DANGER, objectName, runName } from "../lines/words.ts";
import { REVIEWING } from "../sections/plan.ts";
import { formatPaths } from "../view/group.ts";
import { tally } from "../view/view.ts";
import { adoptedCount, type DriftView, isOfConfig, type LookedAt, pendingOf, untrackedOf } from "./drift-view.ts";

/** How many unapplied changes to name before counting the rest. */
const MOST_PENDING = 6;

/** How many drifted objects fit into the command that restores them alone. */
const MOST_TARGETS = 5;

/** Differences from live that are no drift, a sentence each. */
export function besideLines(zones: readonly DriftView[]): Line[] {
  const counts = tally(zones.map(({ section }) => section));
  const pending = zones.flatMap(pendingOf);
  const adopted = adoptedCount(zones);
  const untracked = zones.flatMap(untrackedOf).length;
  const gone = zones.flatMap(({ section }) => section.gone);
  const parts: readonly (readonly [count: number, sentence: string, details?: readonly Line[]])[] = [
    [
      pending.length,
      `${counted(pending.length, "configuration change")} ${are(pending.length)} not applied yet${alsoDrifted(zones)}`,
      pendingLines(zones, pending),
    ],
    [
      adopted,
      `${counted(adopted, "value")} ${are(adopted)} already as the YAML declares; the next apply records ${them(adopted)}`,
    ],
    [
      untracked,
      `${counted(untracked, "object")} ${are(untracked)} live as declared; the next apply adds ${them(untracked)} to the state`,
    ],
    [
      counts.held,
      `${counted(counts.held, "change")} cannot be applied yet: Cloudflare is still working on ${them(counts.held)}`,
    ],
    [counts.foreign, `${counted(counts.foreign, "live hostname")} ${are(counts.foreign)} not declared in the YAML`],
    [counts.expired, `${counted(counts.expired, "hostname")} expired: Cloudflare deleted ${them(counts.expired)}`],
    [
      counts.gone,
      `${counted(counts.gone, "hostname")} of the application ${are(counts.gone)} gone: ${firstNames(gone, MOST_IN_DANGER)}`,
    ],
  ];
  const said = parts.filter(([count]) => count > 0);
  const [only] = said;
  if (only === undefined) return [];
  if (said.length === 1) return [line(0, `Not drift: ${only[1]}.`), ...(only[2] ?? [])];
  return [
    line(0, "Not drift:"),
    ...said.flatMap(([, sentence, details = []]) => [line(2, sentence), ...details.map(indented)]),
  ];
}

function indented({ indent, ...rest }: Line): Line {
  return { ...rest, indent: indent + 2 };
}

function are(count: number): string {
  return count === 1 ? "is" : "are";
}

function them(count: number): string {
  return count === 1 ? "it" : "them";
}

/** The changes of the configuration that are not applied yet, and why there can be some right after a run. */
function pendingLines(zones: readonly DriftView[], pending: readonly Change[]): Line[] {
  const undos = zones.flatMap((zone) => (zone.undo !== undefined && pendingOf(zone).length > 0 ? [zone.undo] : []));
  const rest = pending.length - MOST_PENDING;
  return [
    ...pending.slice(0, MOST_PENDING).map((change) => line(2, pendingSentence(change), "quiet")),
    ...(rest > 0 ? [line(2, `and ${thousands(rest)} more`, "quiet")] : []),
    ...[...new Set(undos)].map((run) =>
      line(
        2,
        `run ${runName(run)} was an undo: the YAML still declares what it reverted, and the next apply will redo it`,
      ),
    ),
    line(2, "to see them:"),
    commandLine(4, `zoneform plan${zoneFlags(zones.filter((zone) => pendingOf(zone).some(namesZone)))}`),
  ];
}

/** The steps of rules, in the words of a plan. */
const STEPS = {
  insert: "add",
  remove: "delete",
  move: "move",
  edit: "change",
  enable: "switch on",
  disable: "switch off",
} as const satisfies Record<RuleChange["action"], string>;

function zoneFlags(zones: readonly DriftView[]): string {
  return zones.map(({ section }) => ` --zone ${shellQuoted(section.zone.name)}`).join("");
}

function pendingSentence(change: Change): string {
  const { address, action, leaves, rules, letGo } = change;
  const word = ACTION_WORDS[action];
  if (onlyLetsGo(change)) return `${word} ${formatPaths(letGo)} of ${objectName(address)}`;
  const paths = formatPaths(leaves.filter(({ cause }) => isOfConfig(cause)).map(({ path }) => path));
  const refs = rules
    .filter(({ cause }) => isOfConfig(cause))
    .map(({ action: step, ref }) => `${STEPS[step]} rule ${ref}`);
  const parts = action === "create" ? [] : [...(paths === "" ? [] : [paths]), ...refs];
  return `${word} ${objectName(address)}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** How many of the unapplied changes are of drifted objects: restoring these applies them too. */
function alsoDrifted(zones: readonly DriftView[]): string {
  const count = zones.flatMap(pendingAndDrifted).length;
  return count === 0 ? "" : `, ${thousands(count)} of them to ${count === 1 ? "an object" : "objects"} above`;
}

function pendingAndDrifted(zone: DriftView): readonly Change[] {
  const drifted = new Set(zone.judgement.drifted.map(({ address }) => address));
  return pendingOf(zone).filter(({ address }) => drifted.has(address));
}

/**
 * The commands to run or edits to make now. The apply is limited to what was checked: to the drifted objects if other
 * changes are pending and these are few, else to the drifted zones.
 */
export function nextLines(zones: readonly DriftView[], { target, exclude }: LookedAt): Line[] {
  const foreign = zones.some(({ judgement }) => judgement.foreign.length > 0) ? REVIEWING : [];
  const changed = zones.filter((zone) => restorable(zone).length > 0);
  if (changed.length === 0) return foreign;
  const drifted = changed.flatMap(restorable);
  const pending = changed.flatMap(pendingOf).length;
  const areFew = pending > 0 && target.length === 0 && drifted.length <= MOST_TARGETS;
  const targets = areFew ? drifted.map(({ address }) => address) : target;
  const inZones = areFew ? "" : zoneFlagsOf(changed);
  const included = areFew ? changed.flatMap(pendingAndDrifted) : changed.flatMap(pendingOf);
  return [
    line(0, `${restoreSentence(drifted.length, included)}:`),
    commandLine(2, `zoneform apply${inZones}${flags("target", targets)}${flags("exclude", exclude)}`),
    line(0, "To keep what was changed, write it into the YAML (asks first):"),
    commandLine(
      2,
      `zoneform drift --write${zoneFlagsOf(changed)}${flags("target", target)}${flags("exclude", exclude)}`,
    ),
    ...foreign,
  ];
}

/** The flags for the drifted zones, if the project has several. */
function zoneFlagsOf(zones: readonly DriftView[]): string {
  return zoneFlags(zones.filter((zone) => restorable(zone).some(namesZone)));
}

/** The objects that an apply restores. For a hostname that Cloudflare may have deleted, the findings say what to do. */
function restorable({ judgement }: DriftView): readonly Drifted[] {
  return judgement.drifted.filter(({ what }) => what !== "vanished");
}

function flags(name: string, values: readonly string[]): string {
  return values.map((value) => ` --${name} ${shellQuoted(value)}`).join("");
}

function restoreSentence(drifted: number, included: readonly Change[]): string {
  const objects = drifted === 1 ? "this object" : `these ${thousands(drifted)} objects`;
  const names = firstNames(
    included.map(({ address }) => address),
    MOST_TARGETS,
  );
  const also = included.length === 0 ? "" : `; this includes the configuration changes to ${names}`;
  return `To restore what the YAML says for ${objects} (asks first${also})`;
}

/** Addresses contain the zone's name if the project has several zones. */
function namesZone({ address }: Pick<Drifted, "address">): boolean {
  return parseAddress(address)?.zone !== undefined;
}
