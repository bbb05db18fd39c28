import type { ZoneId } from "../core/brand.ts";
import { asObject, optionalObject, optionalText } from "../core/decode.ts";
import type { JsonObject } from "../core/json.ts";
import type { DesiredZone } from "../config/desired.ts";
import { kindNamed } from "../kinds/registry.ts";
import type { Client } from "../service/client.ts";
import { ApiError, isNotAllowed } from "../service/errors.ts";

/** The subscriptions of a zone, cheapest first (docs/service.md#zones-and-plans). */
export const SUBSCRIPTIONS = ["free", "pro", "business", "enterprise"] as const;

/** A zone's subscription. */
export type Level = (typeof SUBSCRIPTIONS)[number];

/** What we know of a zone's subscription. It is a hint: a contract may grant more (docs/service.md#zones-and-plans). */
export type Subscription =
  | { readonly status: "known"; readonly level: Level }
  | {
      readonly status: "unknown";
      /** Why it could not be read, as a clause. */
      readonly because: string;
      readonly remedy: string;
    };

/** The subscription when the token may not read the zone. */
export const UNREAD_ZONE: Subscription = {
  status: "unknown",
  because: "the token lacks Zone Read",
  remedy: "give the token Zone Read for the zone",
};

/**
 * Reads the subscription from the zone's own record. The service may stop showing it there
 * (docs/service.md#zones-and-plans); then it takes one more call, and only if the configuration uses something that not
 * every subscription allows.
 */
export async function readSubscription(
  client: Client,
  desired: DesiredZone,
  zone: JsonObject,
  signal?: AbortSignal,
): Promise<Subscription | undefined> {
  const shown = optionalText(optionalObject(zone, "plan") ?? {}, "legacy_id");
  if (shown !== undefined) return levelOf(shown);
  return dependsOnIt(desired) ? askFor(client, desired.id, signal) : undefined;
}

async function askFor(client: Client, id: ZoneId, signal?: AbortSignal): Promise<Subscription> {
  try {
    const path = `/zones/${id}/subscription`;
    const answer = asObject(await client.send({ method: "GET", path, family: "zones" }, signal), "result");
    return levelOf(optionalText(optionalObject(answer, "rate_plan") ?? {}, "id") ?? "");
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    const because = isNotAllowed(failure) ? "the token lacks Billing Read" : "Cloudflare does not show it";
    return { status: "unknown", because, remedy: "give the token Billing Read for the zone" };
  }
}

/** Names vary (`pro`, `cf_pro`), so we look for the word in them. */
function levelOf(name: string): Subscription {
  const level = SUBSCRIPTIONS.find((each) =>
    name
      .toLowerCase()
      .split(/[^a-z]+/)
      .includes(each),
  );
  if (level !== undefined) return { status: "known", level };
  const because = `${JSON.stringify(name)} is not a subscription that Zoneform knows`;
  return { status: "unknown", because, remedy: "see the zone's subscription in the dashboard" };
}

/** Whether the configuration uses something that depends on the subscription. */
function dependsOnIt({ objects, hostnames }: DesiredZone): boolean {
  return hostnames.isDeclared || objects.some(({ kind }) => kindNamed(kind).subscription !== undefined);
}
