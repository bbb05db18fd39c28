import { optionalText, texts } from "../../core/decode.ts";
import { CERTIFICATE_STATUSES, HOSTNAME_STATUSES, type Meant } from "../../service/explanations/statuses.ts";
import { meaningOfText } from "../../service/explanations/texts.ts";
import type { Live } from "../live.ts";
import type { Readiness } from "../traits/remote.ts";

/** The remedy for an unknown status. */
const PENDING: Pick<Meant, "remedy"> = {
  remedy: "the customer must set the records that zoneform hostname todo lists",
};

/**
 * Ready means that hostname and certificate are active; a successful handshake proves nothing
 * (docs/service.md#hostname-lifecycle).
 */
export function readiness(live: Live): Readiness {
  const status = optionalText(live.status, "status") ?? "unknown";
  const sslStatus = optionalText(live.status, "ssl_status");
  if (status === "active" && (sslStatus === undefined || sslStatus === "active")) return "ready";
  const said = [...texts(live.status, "verification_errors"), ...texts(live.status, "validation_errors")];
  const where = `the hostname is ${status}${sslStatus === undefined ? "" : `, its certificate ${sslStatus}`}`;
  return {
    reason: said.length === 0 ? where : `${where}: ${said.join("; ")}`,
    ...whatToDo(status, sslStatus, said),
  };
}

/**
 * Uses the texts of `zoneform explain`: for the hostname's status, then the certificate's, then the service's messages.
 */
function whatToDo(
  status: string,
  sslStatus: string | undefined,
  said: readonly string[],
): { remedy: string; isFinal: boolean } {
  const known = HOSTNAME_STATUSES[status];
  if (known && (status === "blocked" || status === "moved")) return { remedy: known.remedy, isFinal: true };
  const certificate = sslStatus?.endsWith("_timed_out") ? CERTIFICATE_STATUSES[sslStatus] : undefined;
  if (certificate) return { remedy: certificate.remedy, isFinal: true };
  const text = said.map(meaningOfText).find((meaning) => meaning !== undefined);
  const meant = text ?? (status === "active" ? CERTIFICATE_STATUSES[sslStatus ?? ""] : known);
  return { remedy: (meant ?? PENDING).remedy, isFinal: false };
}
