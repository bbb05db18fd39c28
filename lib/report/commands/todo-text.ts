import type { HostnameTodo, Todo } from "../../engine/hostnames/todo.ts";
import { BLANK, type Line, line, printLines } from "../lines/lines.ts";
import { counted } from "../lines/words.ts";
import type { ZoneList } from "./zone-list.ts";

/** Records are copied: no line of them is broken. */
const UNBROKEN = { colour: false, columns: Number.MAX_SAFE_INTEGER };

/** What customers must still set, hostname by hostname, in a form that can be sent to them. */
export function todoText(zones: readonly ZoneList<HostnameTodo>[]): string {
  const count = zones.reduce((sum, { hostnames }) => sum + hostnames.length, 0);
  const verb = count === 1 ? "needs" : "need";
  const blocks = zones.flatMap(({ zone, hostnames }) =>
    hostnames.flatMap((each) => [BLANK, ...block(zone.name, each)]),
  );
  return printLines([line(0, `${counted(count, "hostname")} ${verb} records from the customer.`), ...blocks], UNBROKEN);
}

function block(zone: string, { hostname, records }: HostnameTodo): Line[] {
  // No file takes the place of a CAA record.
  const hasRequired = records.some(
    ({ purpose, need, type }) => purpose === "certificate" && need === "required" && type !== "CAA",
  );
  const sections = new Map<string, Todo[]>();
  for (const record of records) {
    const title = titleOf(record, hasRequired);
    sections.set(title, [...(sections.get(title) ?? []), record]);
  }
  return [
    line(0, `${hostname} (${zone})`),
    ...[...sections].flatMap(([title, some]) => [line(2, `${title}:`), ...some.flatMap(recordLines)]),
  ];
}

/** A record that does the same as another one is needed only where the name does not point at the zone yet. */
function titleOf({ purpose, need }: Todo, hasRequired: boolean): string {
  switch (need) {
    case "required":
      return "set";
    case "remove":
      return "remove";
    case "alternative":
      if (purpose === "certificate" && hasRequired) return "or, instead of the certificate's records above, set";
      return purpose === "certificate"
        ? "to get the certificate before the traffic moves, set one of"
        : "to verify the name before the traffic moves, set one of";
    default:
      return need satisfies never;
  }
}

function recordLines({ type, name, value }: Todo): Line[] {
  return [line(4, `${type.padEnd(5)}  ${name}`), line(11, value)];
}
