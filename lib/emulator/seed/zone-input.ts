import { InputError, members } from "../input.ts";
import { readCustomCertificate, readPack, readTime, readUniversal } from "./certificate-input.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Plan } from "../store.ts";
import {
  present,
  type SeedGenerator,
  type SeedHostname,
  type SeedHostnameTraits,
  type SeedRecord,
  type SeedRuleset,
  type SeedZone,
} from "./shape.ts";
import { readWaf } from "./waf-input.ts";

type Members = ReturnType<typeof members>;
type Entry = { value: JsonObject; at: string };

/** Checks one zone of a seed. Throws an InputError that says where it is wrong. */
export function readZone(value: JsonObject, at: string, plans: readonly Plan[]): SeedZone {
  const from = members(value, at);
  const zone = {
    id: readId(from),
    name: from.requiredText("name"),
    plan: from.oneOf("plan", plans),
    hides_plan: from.flag("hides_plan"),
    account: from.text("account"),
    validation: from.oneOf("validation", ["automatic", "world"]),
    quota: readQuota(from),
    grants: readGrants(from),
    dns_records: from.list("dns_records").map(readRecord),
    fallback_origin: from.text("fallback_origin"),
    total_tls: readTotalTls(from),
    apex_addresses: from.texts("apex_addresses"),
    universal: readUniversal(from),
    certificate_packs: from.list("certificate_packs").map(readPack),
    custom_certificates: from.list("custom_certificates").map(readCustomCertificate),
    hold: from.oneOf("hold", ["zone", "subdomains"]),
    custom_hostnames: from.list("custom_hostnames").map(readHostname),
    generate: from.list("generate").map(readGenerator),
    rulesets: from.list("rulesets").map(readRuleset),
    waf: readOptionalWaf(from),
  };
  from.done();
  return present<SeedZone>(zone);
}

function readOptionalWaf(from: Members): SeedZone["waf"] {
  const value = from.object("waf");
  return value === undefined ? undefined : readWaf(value, `${from.at}.waf`);
}

function readId(from: Members): string {
  const id = from.requiredText("id");
  if (!/^[0-9a-f]{32}$/.test(id)) throw new InputError(`${from.at}.id`, "must be 32 hexadecimal digits in lower case");
  return id;
}

function readQuota(from: Members): SeedZone["quota"] {
  const value = from.object("quota");
  if (value === undefined) return undefined;
  const quota = members(value, `${from.at}.quota`);
  const read = { allocated: quota.amount("allocated"), hard_cap: quota.amount("hard_cap") };
  quota.done();
  return present(read);
}

function readGrants(from: Members): SeedZone["grants"] {
  const value = from.object("grants");
  if (value === undefined) return undefined;
  const grants = members(value, `${from.at}.grants`);
  const read = {
    custom_metadata: grants.flag("custom_metadata"),
    custom_origin: grants.flag("custom_origin"),
    certificate_manager: grants.flag("certificate_manager"),
    certificate_packs: grants.amount("certificate_packs"),
  };
  grants.done();
  return present(read);
}

function readTotalTls(from: Members): SeedZone["total_tls"] {
  const value = from.object("total_tls");
  if (value === undefined) return undefined;
  const tls = members(value, `${from.at}.total_tls`);
  const enabled = tls.flag("enabled") ?? false;
  const authority = tls.oneOf("certificate_authority", ["google", "lets_encrypt", "ssl_com"]);
  tls.done();
  return present({ enabled, certificate_authority: authority });
}

function readRecord({ value, at }: Entry): SeedRecord {
  const from = members(value, at);
  const record = {
    type: from.requiredText("type"),
    name: from.requiredText("name"),
    content: from.requiredText("content"),
    proxied: from.flag("proxied"),
    ttl: from.amount("ttl"),
  };
  from.done();
  return present<SeedRecord>(record);
}

function readHostname({ value, at }: Entry): SeedHostname {
  const from = members(value, at);
  const hostname = { hostname: from.requiredText("hostname"), id: from.text("id"), ...readTraits(from, value) };
  from.done();
  return present<SeedHostname>(hostname);
}

function readGenerator({ value, at }: Entry): SeedGenerator {
  const from = members(value, at);
  const generator = {
    count: from.amount("count") ?? 1,
    pattern: from.requiredText("pattern"),
    ...readTraits(from, value),
  };
  from.done();
  if (!generator.pattern.includes("{n}")) throw new InputError(`${at}.pattern`, "must contain {n}");
  return present<SeedGenerator>(generator);
}

function readTraits(from: Members, value: JsonObject): SeedHostnameTraits {
  const ssl = from.any("ssl");
  if (ssl !== undefined && !isObject(ssl)) throw new InputError(`${from.at}.ssl`, "must be an object or null");
  const traits = {
    status: from.oneOf("status", ["active", "pending", "moved"]),
    ssl: value["ssl"] === null ? null : ssl,
    custom_origin_server: from.text("custom_origin_server"),
    custom_metadata: from.object("custom_metadata"),
    issued_by: from.text("issued_by"),
    issued_at: readTime(from, "issued_at"),
  };
  return present<SeedHostnameTraits>(traits);
}

function readRuleset({ value, at }: Entry): SeedRuleset {
  const from = members(value, at);
  const ruleset = {
    phase: from.requiredText("phase"),
    kind: from.oneOf("kind", ["zone", "custom"]),
    name: from.text("name"),
    description: from.text("description"),
    rules: from.list("rules").map((rule) => rule.value),
  };
  from.done();
  return present<SeedRuleset>(ruleset);
}
