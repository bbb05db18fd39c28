import { InputError, members } from "../input.ts";
import type { JsonObject } from "../json.ts";
import type { DnsAnswer, Traffic } from "../world.ts";
import { present, type Seed } from "./shape.ts";

/** Checks the world of a seed. Throws an InputError that says where it is wrong. */
export function readWorld(value: JsonObject): NonNullable<Seed["world"]> {
  const from = members(value, "world");
  const each = <T>(name: string, read: (value: unknown, at: string) => T): Record<string, T> => {
    const entries = Object.entries(from.object(name) ?? {});
    return Object.fromEntries(
      entries.map(([key, value]) => [key, read(value, `world.${name}[${JSON.stringify(key)}]`)]),
    );
  };
  const world = { dns: each("dns", readAnswer), http: each("http", readBody), traffic: each("traffic", readTraffic) };
  from.done();
  return world;
}

function readBody(value: unknown, at: string): string {
  if (typeof value !== "string") throw new InputError(at, "must be a string");
  return value;
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
