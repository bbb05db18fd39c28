import { type Diagnostic, warning } from "../../core/diagnostic.ts";
import type { DnsFault } from "../../core/dns.ts";
import type { Evidence } from "./evidence.ts";
import { counted, listed } from "./names.ts";

interface Group {
  readonly names: Set<string>;
  readonly hostnames: Set<string>;
}

const OTHER_SERVER = "plan again, or pass --resolver with a DNS server that answers";

const FAULTS = {
  "server-failed": "the DNS server failed (SERVFAIL) on",
  "timed-out": "no DNS server answered in time for",
  refused: "the DNS server refused to answer for",
  unreachable: "no DNS server could be reached for",
  unreadable: "the answer of the DNS server could not be read for",
  "not-asked": "the DNS server left too many queries unanswered, so it was not asked for",
} as const satisfies Record<DnsFault, string>;

/** What could not be looked at, by what stood in the way: never taken for absence. */
export function uncheckedFindings(evidence: readonly Evidence[]): readonly Diagnostic[] {
  const groups = new Map<DnsFault, Group>();
  for (const { checked, pointing, caa } of evidence) {
    for (const found of [pointing, caa]) {
      if (found?.status !== "unchecked") continue;
      const group = groups.get(found.fault) ?? { names: new Set(), hostnames: new Set() };
      group.names.add(found.name);
      group.hostnames.add(checked.hostname);
      groups.set(found.fault, group);
    }
  }
  return [...groups].map(([fault, { names, hostnames }]) =>
    warning({
      code: "dns-unchecked",
      message: `${counted(hostnames.size, "custom hostname")} could not be checked: ${FAULTS[fault]} ${listed([...names])}`,
      remedy:
        fault === "server-failed"
          ? "ask the owners to fix the name servers of these: a CA does not issue if the CAA lookup fails"
          : OTHER_SERVER,
    }),
  );
}
