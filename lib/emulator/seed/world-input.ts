import { InputError, members } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { DnsAnswer, Traffic } from "../world.ts";
import { present, type Seed } from "./shape.ts";

/** Checks the world of a seed. Throws an InputError that says where it is wrong. */
export function readWorld(value: JsonObject): NonNullable<Seed["world"]> {
  const from = members(value, "world");
  const dns: Record<string, DnsAnswer> = {};
  for (const [name, answer] of Object.entries(from.object("dns") ?? {}))
    dns[name.toLowerCase()] = readAnswer(answer, `world.dns[${JSON.stringify(name)}]`);
  const http: Record<string, string> = {};
  for (const [url, body] of Object.entries(from.object("http") ?? {})) {
    if (typeof body !== "string") throw new InputError(`world.http[${JSON.stringify(url)}]`, "must be a string");
    http[url] = body;
  }
  const traffic: Record<string, Traffic> = {};
  for (const [name, fact] of Object.entries(from.object("traffic") ?? {}))
    traffic[name.toLowerCase()] = readTraffic(fact, `world.traffic[${JSON.stringify(name)}]`);
  from.done();
  return { dns, http, traffic };
}

/** Checks who sends requests to one name. Throws an InputError. */
export function readTraffic(value: unknown, at: string): Traffic {
  const from = members(value, at);
  const traffic = { impacted_clients: from.flag("impacted_clients") ?? false };
  from.done();
  return traffic;
}

/** Checks what the outside DNS answers for one name. Throws an InputError. */
export function readAnswer(value: unknown, at: string): DnsAnswer {
  const from = members(value, at);
  const answer = {
    cname: from.text("cname"),
    a: from.texts("a"),
    txt: from.texts("txt"),
    caa: from.texts("caa"),
    caa_servfail: from.flag("caa_servfail"),
    on_service: from.flag("on_service"),
    held: from.oneOf("held", ["zone", "subdomains"]),
    zone: from.flag("zone"),
    elsewhere: from.flag("elsewhere"),
  };
  from.done();
  return present<DnsAnswer>(answer);
}
