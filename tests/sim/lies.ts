import { isObject, type JsonObject } from "../../lib/core/json.ts";
import type { HttpRequest, HttpResponse } from "../../lib/service/http.ts";
import { isOk, successBody } from "./fault-effects.ts";
import type { FaultKind } from "./faults.ts";
import { ALL_KINDS, kindListedAt } from "./kinds.ts";
import type { SimService } from "./sim-service.ts";
import { pathInZone, zoneOf } from "./zones.ts";

const PREFIX = "/client/v4";
/** An invalid id: a path made of it leads elsewhere, and printing it erases the line. */
const NO_ID = "../../../zones/x\u001b[2K\u0007";

/** An answer that reads well and is not true, or undefined if there is none for a request. */
export type Lie = HttpResponse | undefined;

/** Answers in place of the service: the write has no effect and is reported as done. */
export function lieInstead(service: SimService, kind: FaultKind, request: HttpRequest): Lie {
  if (kind === "wrong-object-before") return wrongObject(service, request);
  return kind === "old-values-before" ? oldValues(service, request) : undefined;
}

/** What to answer to a request that will be carried out; chosen before, because some lies show the object as it was. */
export function lieAfter(
  service: SimService,
  kind: FaultKind,
  request: HttpRequest,
): (answer: HttpResponse) => HttpResponse {
  const lie = kind === "old-values-after" ? oldValues(service, request) : undefined;
  return (answer) => {
    if (!isOk(answer)) return answer;
    if (kind === "wrong-object-after" || kind === "wrong-object-read") return wrongObject(service, request) ?? answer;
    if (kind === "malformed-id") return withNoId(answer);
    return lie ?? answer;
  };
}

/** Another object of the same list, or an unknown one. */
function wrongObject(service: SimService, { method, url }: HttpRequest): Lie {
  const path = pathInZone(url);
  const kind = kindListedAt(path);
  const id = kind?.idAt(path) ?? "";
  if (!kind?.live || method === "DELETE" || (method !== "POST" && id === "")) return undefined;
  const found = objectsIn(service.admin.dashboard("GET", `/zones/${zoneOf(url) ?? ""}${kind.list ?? ""}`));
  const others = found.filter((each) => each["id"] !== id && each["status"] !== "deleted");
  const [other] = others;
  return other && { status: 200, headers: { "content-type": "application/json" }, body: successBody(other) };
}

/** The present object, as it is before the write. */
function oldValues(service: SimService, { method, url }: HttpRequest): Lie {
  const isCreation = ALL_KINDS.some(([, { createdAt }]) => createdAt === pathInZone(url));
  if (method === "DELETE" || isCreation) return undefined;
  const answer = service.admin.dashboard("GET", new URL(url).pathname.slice(PREFIX.length));
  return isOk({ ...answer, headers: {} }) ? { ...answer, headers: {} } : undefined;
}

function withNoId(answer: HttpResponse): HttpResponse {
  const parsed: unknown = JSON.parse(answer.body);
  const result = isObject(parsed) ? parsed["result"] : undefined;
  return isObject(result) && "hostname" in result ? { ...answer, body: successBody({ ...result, id: NO_ID }) } : answer;
}

function objectsIn({ body }: { readonly body: string }): readonly JsonObject[] {
  const parsed: unknown = JSON.parse(body);
  const result = isObject(parsed) ? parsed["result"] : undefined;
  return Array.isArray(result) ? result.filter(isObject) : [];
}

/** The kinds of faults that are lies. */
export const LIES: ReadonlySet<FaultKind> = new Set([
  "wrong-object-before",
  "wrong-object-after",
  "wrong-object-read",
  "malformed-id",
  "old-values-before",
  "old-values-after",
]);
