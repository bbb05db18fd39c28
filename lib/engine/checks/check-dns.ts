import type { Diagnostic } from "../../core/diagnostic.ts";
import type { Dns } from "../../core/dns.ts";
import { several } from "../../core/several.ts";
import type { ZonePlan } from "../../plan/change.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import type { Client } from "../../service/client.ts";
import { caaFindings } from "./caa-findings.ts";
import { cnameFindings } from "./cname-findings.ts";
import { type Evidence, gather } from "./evidence.ts";
import { findFallbackOrigin, missingOrigin, recordFindings } from "./fallback-origin.ts";
import { type CheckedHostname, checkedHostnames, type Scope, wantedHostnames } from "./hostnames.ts";
import { LOOKED_UP_AT_ONCE, openLookUps } from "./look-ups.ts";
import { uncheckedFindings } from "./unchecked-findings.ts";

/** What is asked, and about which hostnames. */
export interface DnsCheck {
  readonly dns: Dns;
  readonly scope: Scope;
}

/** Looks at DNS before an apply would find out: everything that would keep planned hostnames from working. */
export interface Preflight {
  /** Warnings about one zone's section. The service is only read; throws what the client throws, and the signal's reason. */
  check(client: Client, input: PlanInput, section: ZonePlan, signal?: AbortSignal): Promise<readonly Diagnostic[]>;
}

/** Opens the checks of one run: what was looked up for one zone is known for the next. */
export function openPreflight({ dns, scope }: DnsCheck): Preflight {
  const lookUps = openLookUps(dns);
  return {
    check: async (client, input, section, signal) => {
      const wanted = wantedHostnames(input);
      const fallback = await findFallbackOrigin(client, input, signal);
      const ofOrigin = fallback ? await recordFindings(client, input, fallback, signal) : missingOrigin(input, wanted);
      const destination = { zone: input.desired.name, target: fallback?.origin };
      const checked = checkedHostnames(input, section, wanted, scope);
      const look = (hostname: CheckedHostname): Promise<Evidence> => {
        signal?.throwIfAborted();
        return gather(lookUps, hostname, destination);
      };
      const evidence = (await several(checked, look, LOOKED_UP_AT_ONCE)).map(([, found]) => found);
      signal?.throwIfAborted();
      return [
        ...ofOrigin,
        ...caaFindings(evidence),
        ...cnameFindings(evidence, destination),
        ...uncheckedFindings(evidence),
      ];
    },
  };
}
