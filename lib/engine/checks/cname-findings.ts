import { counted, listed } from "../../core/words.ts";
import { type Diagnostic, problem, warning } from "../../core/diagnostic.ts";
import { bounded, NAMED } from "./names.ts";
import type { Destination, Evidence, Pointing } from "./evidence.ts";

type Elsewhere = Extract<Pointing, { status: "elsewhere" }>;

interface Stray {
  readonly hostname: string;
  readonly address: string;
  readonly pointing: Elsewhere;
}

/** Hostnames that do not lead to the zone, each with its record, and those that could not be judged. */
export function cnameFindings(evidence: readonly Evidence[], destination: Destination): readonly Diagnostic[] {
  const strays: Stray[] = [];
  const unclear: string[] = [];
  for (const { checked, pointing } of evidence) {
    const { hostname, address } = checked;
    if (pointing.status === "elsewhere") strays.push({ hostname, address, pointing });
    if (pointing.status === "unclear") unclear.push(hostname);
  }
  return [
    ...bounded(
      strays,
      (stray) => noCname(stray, destination),
      (all) => manyWithout(all, destination),
    ),
    ...cannotBeTold(unclear, destination),
  ];
}

function noCname({ hostname, address, pointing }: Stray, { zone, target }: Destination): Diagnostic {
  return warning({
    code: "no-cname",
    message: `no CNAME leads to ${zone}: ${inWords(pointing)}`,
    remedy:
      target === undefined ? `point it to a name of ${zone}` : `ask the customer to set: ${cname(hostname, target)}`,
    address,
  });
}

function inWords(pointing: Elsewhere): string {
  switch (pointing.found) {
    case "alias":
      return `it is an alias of ${pointing.alias}`;
    case "addresses":
      return "it has addresses of its own";
    case "nothing":
      return "it has no record";
    default:
      return pointing satisfies never;
  }
}

function manyWithout(strays: readonly Stray[], { zone, target }: Destination): Diagnostic {
  return warning({
    code: "no-cname",
    message: `no CNAME leads from ${counted(strays.length, "custom hostname")} to ${zone}`,
    remedy: `ask the customers to point them to ${target ?? `a name of ${zone}`}; the list follows`,
  });
}

function cannotBeTold(hostnames: readonly string[], { zone, target }: Destination): readonly Diagnostic[] {
  const [first] = hostnames;
  if (first === undefined || target === undefined) return [];
  const values = {
    count: counted(hostnames.length, "custom hostname"),
    zone,
    target,
    hostnames: listed(hostnames, NAMED),
    record: cname(first, target),
  };
  return [warning(problem("cname-unclear", values))];
}

function cname(hostname: string, target: string): string {
  return `${hostname}. CNAME ${target}.`;
}
