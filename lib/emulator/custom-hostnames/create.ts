import type { Call } from "../call.ts";
import { waitBeforeTry } from "../certificates/steps.ts";
import { generalError, ServiceError } from "../errors.ts";
import type { Json, JsonObject } from "../json.ts";
import type { Account, Zone } from "../store.ts";
import { hostnameError } from "./errors.ts";
import { checkedHostname, readMetadata, readOrigin, readSni } from "./input.ts";
import { orderCertificate } from "./certificate.ts";
import { wakeHostname } from "./hostname-steps.ts";
import { isUnderHold, UNKNOWN_TEXT } from "./ownership.ts";
import type { CustomHostname } from "./custom-hostname.ts";
import { readSsl, type SslInput } from "./ssl-input.ts";

/** How long the service takes to notice a hold. It checks while it sets up the hostname, before the first try. Inferred. */
const HOLD_NOTICED_MILLISECONDS = 2000;

/** What a creation asks for, checked. */
interface Creation {
  readonly hostname: string;
  readonly ssl: SslInput | null;
  readonly origin: string | null;
  readonly sni: string | null;
  readonly metadata: JsonObject | null;
}

/** A created hostname, and its warnings. */
interface Created {
  readonly record: CustomHostname;
  readonly warnings: string[];
}

/**
 * Creates a custom hostname. The order of its checks is inferred (docs/service.md#custom-hostname-error-codes): name, duplicate,
 * quota, ssl, length, origin, metadata. The issuance limit comes last, because only successful calls count (docs/service.md#issuance-limit).
 */
export function createHostname(call: Call, zone: Zone, body: JsonObject): Created {
  const hostname = checkedHostname(body["hostname"]);
  if (zone.hostnames.named(hostname) !== undefined) throw hostnameError(1406);
  const warnings = checkQuota(zone);
  const creation = readCreation(call, zone, hostname, body);
  if (creation.ssl !== null) countIssuance(call, accountOf(call, zone));
  return { record: build(call, zone, creation), warnings };
}

/** More hostnames than `allocated` are billed, and more than `hard_cap` are refused (docs/service.md#quota). Returns the warnings. */
function checkQuota(zone: Zone): string[] {
  const { allocated, hardCap } = zone.quota;
  const used = zone.hostnames.size();
  if (hardCap === 0) throw hostnameError(1404);
  if (used >= hardCap) throw hostnameError(1405);
  return used >= allocated
    ? [`You have used all ${allocated} custom hostnames included; further ones are billed.`]
    : [];
}

function readCreation(call: Call, zone: Zone, hostname: string, body: JsonObject): Creation {
  const { behaviour } = call.core;
  const wanted = body["ssl"] ?? null;
  const brandingAtTop = behaviour.brandingAtTopLevel && body["cloudflare_branding"] === true;
  const isWildcard = hostname.startsWith("*.");
  const rules = { core: call.core, zone, hostname, isNew: true, brandingAtTop, isWildcard };
  const ssl = wanted === null ? null : readSsl(wanted, rules);
  const origin = readOrigin(member(body, "custom_origin_server"), zone);
  const sni = readSni(member(body, "custom_origin_sni"), origin);
  const isAnyWildcard = isWildcard || ssl?.wildcard === true;
  const metadata = readMetadata(member(body, "custom_metadata"), zone, behaviour, isAnyWildcard);
  return { hostname, ssl, origin, sni, metadata };
}

function countIssuance(call: Call, account: Account): void {
  if (call.isDashboard) return;
  const limiter = call.core.issuanceLimiter;
  const wait = limiter.wait(account.id, account.issuancePerMinute, call.now);
  if (wait > 0) throw issuanceBlocked(account, Math.ceil(wait / 1000));
  limiter.count(account.id, call.now);
}

/** The code is not published; 971 is the code of other throttles (docs/service-coverage.md#choices, row 13). */
function issuanceBlocked(account: Account, seconds: number): ServiceError {
  const message = `More than ${account.issuancePerMinute} certificates per minute were requested. Please wait ${seconds} seconds`;
  return new ServiceError(429, { code: 971, message }, { "retry-after": String(seconds) });
}

function build(call: Call, zone: Zone, creation: Creation): CustomHostname {
  const { core, now } = call;
  const record: CustomHostname = {
    id: core.ids.uuid(),
    hostname: creation.hostname,
    createdAt: now,
    status: "pending",
    verificationErrors: [UNKNOWN_TEXT],
    ownershipToken: core.ids.uuid(),
    tries: 0,
    dueAt: null,
    pointed: false,
    ssl: null,
    customOriginServer: creation.origin,
    customOriginSni: creation.sni,
    customMetadata: creation.metadata,
  };
  zone.hostnames.add(record);
  zone.hostnames.remember(record.id, undefined);
  const held = isUnderHold(core.store, core.world, zone, record.hostname);
  wakeHostname(core, zone, record, now + (held ? HOLD_NOTICED_MILLISECONDS : waitBeforeTry(0)));
  if (creation.ssl !== null) orderCertificate({ core, zone, record }, creation.ssl, now);
  return record;
}

function accountOf(call: Call, zone: Zone): Account {
  const account = call.core.store.accounts.get(zone.accountId);
  if (account === undefined) throw generalError(9109);
  return account;
}

function member(body: JsonObject, name: string): Json {
  return body[name] ?? null;
}
