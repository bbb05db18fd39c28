import type { Explanation } from "./explanations/entry.ts";
import { CODES, type Diagnostic, error, problem, Refusal } from "../core/diagnostic.ts";
import { DecodeError } from "../core/decode.ts";
import { AmbiguousError, ApiError, NoFreshRead, UnreachableError, type UnreachableReason } from "./errors.ts";
import type { DiagnosticCode } from "../core/diagnostic-code.ts";
import { explanation, explanationOfStatus } from "./explanations.ts";
import { HttpFailure, type HttpFailureReason } from "./http.ts";

/**
 * Explains any failed call in one message, with a remedy. It keeps code, status and request id, because support asks
 * for them.
 */
export function explainFailure(failure: unknown): Diagnostic {
  if (failure instanceof ApiError) return explainRefusal(failure);
  if (failure instanceof AmbiguousError) return explainLost(failure);
  if (failure instanceof UnreachableError) return explainUnreachable(failure);
  if (failure instanceof NoFreshRead) return error(problem("no-fresh-read", { detail: failure.message }));
  if (failure instanceof HttpFailure) return networkDiagnostic(failure, failure.message);
  if (failure instanceof DecodeError) return error(problem("strange-answer", { detail: failure.message }));
  if (failure instanceof Refusal && failure.diagnostics[0] !== undefined) return failure.diagnostics[0];
  return error(problem("unexpected", { detail: failure instanceof Error ? failure.message : String(failure) }));
}

/**
 * Explains the first known code, starting with the last entry: a chain ends with the real cause. Without one, explains
 * the status.
 */
function explainRefusal(failure: ApiError): Diagnostic {
  const known = [...failure.entries]
    .reverse()
    .map(({ code }) => (code === undefined ? undefined : (failure.codes[code] ?? explanation(failure.family, code))))
    .find((found) => found !== undefined);
  const explained = known ?? explanationOfStatus(failure.status);
  const isReadOnly = failure.isWrite && failure.has(LACKS_PERMISSION);
  const { kind, cause, remedy } = isReadOnly ? { ...explained, ...READ_ONLY } : explained;
  return error({ code: kind, message: `${cause} (${failure.message})`, remedy });
}

/** The code for a credential that is invalid or lacks the permission; if reading worked, it is the permission. */
const LACKS_PERMISSION = 10_000;

const READ_ONLY: Pick<Explanation, "cause" | "remedy"> = {
  cause: "the credential may not write here: perhaps it can only read",
  remedy:
    "give the token the permission Edit for SSL and Certificates, Zone WAF and Zone in this zone: an apply needs it",
};

function explainLost(failure: AmbiguousError): Diagnostic {
  return error(problem("answer-lost", { reason: reasonOfLoss(failure) }));
}

/** An error of a call names it already. */
function reasonOfLoss({ message, cause }: AmbiguousError): string {
  if (!(cause instanceof Error)) return message;
  const isNamed = cause instanceof UnreachableError || cause instanceof ApiError;
  return isNamed ? cause.message : `${message}: ${cause.message}`;
}

function explainUnreachable(failure: UnreachableError): Diagnostic {
  if (failure.reason === "network") {
    return networkDiagnostic(failure.cause instanceof HttpFailure ? failure.cause : undefined, failure.message);
  }
  return error(problem(UNREACHABLE[failure.reason], { detail: failure.message }));
}

const UNREACHABLE = {
  unreadable: "not-json",
  redirect: "redirected",
  unusable: "strange-answer",
  "broken-list": "strange-answer",
  throttled: "throttled",
} as const satisfies Record<Exclude<UnreachableReason, "network">, DiagnosticCode>;

function networkDiagnostic(failure: HttpFailure | undefined, detail: string): Diagnostic {
  const remedy = NETWORK_REMEDIES[failure?.reason ?? "other"];
  return error(problem("unreachable", { detail }, { remedy }));
}

const NETWORK_REMEDIES: Readonly<Record<HttpFailureReason, string>> = {
  name: "check the host in --api-url or CLOUDFLARE_BASE_URL, and the machine's DNS",
  refused:
    "check host and port in --api-url or CLOUDFLARE_BASE_URL, and that the server runs; zoneform emulator starts the emulator",
  tls: "check the server's certificate; a private CA is trusted by NODE_EXTRA_CA_CERTS",
  timeout: "check the network and the firewall, then try again",
  cut: "check the network and proxies on the way, then try again",
  "too-large": CODES["not-json"].remedy,
  aborted: "start again: the run was interrupted",
  late: "run it again; if it goes on, find out why connections take so long here",
  forbidden: "check the host in --api-url or CLOUDFLARE_BASE_URL; plain http only to this machine",
  other: "check the network, then try again",
};
