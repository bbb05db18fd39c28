import { optionalText, texts } from "../../core/decode.ts";
import type { PlanInput } from "../../plan/inputs.ts";
import { localAddress } from "../../plan/targets.ts";
import { CERTIFICATE_STANDINGS, HOSTNAME_STANDINGS, isBlockedByCaa } from "../../kinds/custom-hostname/states.ts";
import type { Live } from "../../kinds/live.ts";

/** A hostname or certificate that does not go on by itself. */
export interface Stuck {
  /** A hostname, or the address of a certificate pack. */
  readonly subject: string;
  /** What it is stuck in: a code that `zoneform explain` knows. */
  readonly reason: string;
  /** What the service says of it. */
  readonly said: readonly string[];
}

/** The live hostnames and certificate packs of a zone that wait for somebody, and not for the service. */
export function stuckIn({ live }: Pick<PlanInput, "live">): readonly Stuck[] {
  const hostnames = [...(live.objects.get("custom_hostname")?.values() ?? [])];
  const packs = [...(live.objects.get("certificate_pack")?.values() ?? [])];
  return [
    ...hostnames.flatMap(({ key, status }) => stuck(key, status, hostnameReason(status)) ?? []),
    ...packs.flatMap(({ key, status }) => {
      const reason = certificateReason(optionalText(status, "status"), status);
      return stuck(localAddress("certificate_pack", key), status, reason) ?? [];
    }),
  ];
}

function stuck(subject: string, status: Live["status"], reason: string | undefined): Stuck | undefined {
  const said = [...texts(status, "verification_errors"), ...texts(status, "validation_errors")];
  return reason === undefined ? undefined : { subject, reason, said };
}

function hostnameReason(status: Live["status"]): string | undefined {
  const own = optionalText(status, "status") ?? "unknown";
  if (own === "moved" || own === "blocked") return undefined;
  if (HOSTNAME_STANDINGS[own]?.phase === "final") return own;
  return certificateReason(optionalText(status, "ssl_status"), status);
}

/** CAA records that block the CA do so whatever the status says. */
function certificateReason(certificate: string | undefined, status: Live["status"]): string | undefined {
  if (isBlockedByCaa(status)) return "caa_error";
  return certificate !== undefined && CERTIFICATE_STANDINGS[certificate]?.phase === "final" ? certificate : undefined;
}
