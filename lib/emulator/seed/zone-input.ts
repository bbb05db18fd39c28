import { type Members, wrongType } from "../input.ts";
import { readCustomCertificate, readPack, readTime, readUniversal } from "./certificate-input.ts";
import { isObject } from "../json.ts";
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

/** Reads one zone of a seed. */
export function readZone(from: Members, plans: readonly Plan[]): SeedZone {
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
  const waf = from.below("waf");
  return waf === undefined ? undefined : readWaf(waf);
}

function readId(from: Members): string {
  const id = from.requiredText("id");
  if (id === "" || /^[0-9a-f]{32}$/.test(id)) return id;
  const found = id.length === 32 ? "has other characters" : `has ${id.length} characters`;
  from.report("id", `${found}, expected 32 hexadecimal digits in lower case`, "make one with: openssl rand -hex 16");
  return id;
}

function readQuota(from: Members): SeedZone["quota"] {
  const quota = from.below("quota");
  if (quota === undefined) return undefined;
  const read = { allocated: quota.count("allocated"), hard_cap: quota.count("hard_cap") };
  quota.done();
  return present(read);
}

function readGrants(from: Members): SeedZone["grants"] {
  const grants = from.below("grants");
  if (grants === undefined) return undefined;
  const read = {
    custom_metadata: grants.flag("custom_metadata"),
    custom_origin: grants.flag("custom_origin"),
    certificate_manager: grants.flag("certificate_manager"),
    certificate_packs: grants.count("certificate_packs"),
  };
  grants.done();
  return present(read);
}

function readTotalTls(from: Members): SeedZone["total_tls"] {
  const tls = from.below("total_tls");
  if (tls === undefined) return undefined;
  const enabled = tls.flag("enabled") ?? false;
  const authority = tls.oneOf("certificate_authority", ["google", "lets_encrypt", "ssl_com"]);
  tls.done();
  return present({ enabled, certificate_authority: authority });
}

function readRecord(from: Members): SeedRecord {
  const record = {
    type: from.requiredText("type"),
    name: from.requiredText("name"),
    content: from.requiredText("content"),
    proxied: from.flag("proxied"),
    ttl: from.count("ttl"),
  };
  from.done();
  return present<SeedRecord>(record);
}

function readHostname(from: Members): SeedHostname {
  const hostname = { hostname: from.requiredText("hostname"), id: from.text("id"), ...readTraits(from) };
  from.done();
  return present<SeedHostname>(hostname);
}

function readGenerator(from: Members): SeedGenerator {
  const generator = {
    count: from.count("count") ?? 1,
    pattern: from.requiredText("pattern"),
    ...readTraits(from),
  };
  from.done();
  if (generator.pattern !== "" && !generator.pattern.includes("{n}"))
    from.report("pattern", "does not contain {n}", "write {n} where the number goes, as in app{n}.customers.net");
  return present<SeedGenerator>(generator);
}

function readTraits(from: Members): SeedHostnameTraits {
  const traits = {
    status: from.oneOf("status", ["active", "pending", "moved"]),
    ssl: readSsl(from),
    custom_origin_server: from.text("custom_origin_server"),
    custom_metadata: from.object("custom_metadata"),
    issued_by: from.text("issued_by"),
    issued_at: readTime(from, "issued_at"),
  };
  return present<SeedHostnameTraits>(traits);
}

/** Null is a hostname without a certificate. */
function readSsl(from: Members): SeedHostnameTraits["ssl"] {
  const ssl = from.given("ssl");
  if (ssl === undefined || ssl === null || isObject(ssl)) return ssl;
  from.report("ssl", wrongType("a map, or null for no certificate", ssl));
  return undefined;
}

function readRuleset(from: Members): SeedRuleset {
  const ruleset = {
    phase: from.requiredText("phase"),
    kind: from.oneOf("kind", ["zone", "custom"]),
    name: from.text("name"),
    description: from.text("description"),
    rules: from.objects("rules"),
  };
  from.done();
  return present<SeedRuleset>(ruleset);
}
