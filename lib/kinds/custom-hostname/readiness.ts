import { optionalText, texts } from "../../core/decode.ts";
import { CERTIFICATE_STATUSES, HOSTNAME_STATUSES, type Meant } from "../../service/explanations/statuses.ts";
import { meaningOfText } from "../../service/explanations/texts.ts";
import type { Live } from "../live.ts";
import type { Readiness } from "../traits/remote.ts";

/** What is said of a status that nobody has heard of. */
const PENDING: Pick<Meant, "remedy"> = {
  remedy: "the customer has to set the records that zoneform hostname todo lists",
};

/** Ready for production is: hostname and certificate active; a handshake that works proves nothing (docs/service.md#hostname-lifecycle). */
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

/** In the words of `zoneform explain`: by the hostname's status, the certificate's, then by what the service says. */
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
