import { parseAddress } from "../../core/address.ts";
import { shellQuoted } from "../../core/shell.ts";
import type { Change } from "../../plan/change.ts";
import type { Drifted } from "../../plan/drift.ts";
import { type Line, line } from "../lines/lines.ts";
import { counted, thousands } from "../lines/words.ts";
import { formatPaths } from "../view/group.ts";
import { tally } from "../view/tally.ts";
import { adoptedCount, type DriftView, type LookedAt, pendingOf, untrackedOf } from "./drift-view.ts";
import { objectName } from "../lines/names.ts";
import { runName } from "./run-name.ts";

/** So many changes that are not applied yet are named. */
const MOST_PENDING = 5;

/** What differs from live and is no drift: a sentence each. */
export function besideLines(zones: readonly DriftView[]): Line[] {
  const counts = tally(zones.map(({ section }) => section));
  const pending = zones.flatMap(pendingOf);
  const adopted = adoptedCount(zones);
  const untracked = zones.flatMap(untrackedOf).length;
  const parts: readonly (readonly [count: number, sentence: string, details?: readonly Line[]])[] = [
    [
      pending.length,
      `${counted(pending.length, "configuration change")} ${are(pending.length)} not applied yet`,
      pendingLines(zones, pending),
    ],
    [
      adopted,
      `${counted(adopted, "value")} ${adopted === 1 ? "was" : "were"} changed by hand to what the YAML declares`,
    ],
    [
      untracked,
      `${counted(untracked, "object")} ${are(untracked)} live as declared; the next apply adds ${them(untracked)} to the state`,
    ],
    [
      counts.held,
      `${counted(counts.held, "change")} ${are(counts.held)} held until the service has finished something`,
    ],
    [counts.foreign, `${counted(counts.foreign, "live hostname")} ${are(counts.foreign)} not declared in the YAML`],
    [counts.expired, `${counted(counts.expired, "hostname")} expired: the service deleted ${them(counts.expired)}`],
    [
      counts.gone,
      `${counted(counts.gone, "hostname")} ${are(counts.gone)} gone: the application deleted ${them(counts.gone)}`,
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

/** Which changes of the configuration are not applied yet, and why that can be so right after a run. */
function pendingLines(zones: readonly DriftView[], pending: readonly Change[]): Line[] {
  const undos = zones.flatMap((zone) => (zone.undo !== undefined && pendingOf(zone).length > 0 ? [zone.undo] : []));
  const rest = pending.length - MOST_PENDING;
  return [
    ...pending.slice(0, MOST_PENDING).map((change) => line(2, pendingSentence(change), "quiet")),
    ...(rest > 0 ? [line(2, `and ${thousands(rest)} more`, "quiet")] : []),
    ...[...new Set(undos)].map((run) =>
      line(
        2,
        `run ${runName(run)} was an undo: the YAML still declares what it took back, and the next apply will redo it`,
      ),
    ),
    line(2, "to see them:"),
    line(4, `zoneform plan${zoneFlags(zones.filter((zone) => pendingOf(zone).some(namesZone)))}`),
  ];
}

function zoneFlags(zones: readonly DriftView[]): string {
  return zones.map(({ section }) => ` --zone ${shellQuoted(section.zone.name)}`).join("");
}

function pendingSentence({ address, action, leaves, rules }: Change): string {
  const paths = formatPaths(leaves.filter(({ cause }) => cause === "config").map(({ path }) => path));
  const refs = rules.filter(({ cause }) => cause === "config").map(({ action: step, ref }) => `${step} rule ${ref}`);
  const parts = action === "create" ? [] : [...(paths === "" ? [] : [paths]), ...refs];
  return `${action} ${objectName(address)}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

/** What to run now, or to edit. The apply is limited to what was checked, and to the zones that drifted. */
export function nextLines(zones: readonly DriftView[], { target, exclude }: LookedAt): Line[] {
  const changed = zones.filter(({ judgement }) => judgement.drifted.length > 0);
  if (changed.length === 0) return [];
  const flags = [
    ...target.map((address) => ["target", address]),
    ...exclude.map((address) => ["exclude", address]),
  ].map(([name, value = ""]) => ` --${name} ${shellQuoted(value)}`);
  const inZones = zoneFlags(changed.filter(({ judgement }) => judgement.drifted.some(namesZone)));
  const pending = changed.flatMap(pendingOf).length;
  const also =
    pending === 0
      ? ""
      : `, and apply the ${pending === 1 ? "" : `${thousands(pending)} `}configuration change${pending === 1 ? "" : "s"} above`;
  return [
    line(0, `To restore what the YAML declares${also}:`),
    line(2, `zoneform apply${inZones}${flags.join("")}`),
    line(0, "To keep a change instead, write the live value into the YAML."),
  ];
}

/** Addresses name their zone where the project has several. */
function namesZone({ address }: Pick<Drifted, "address">): boolean {
  return parseAddress(address)?.zone !== undefined;
}
