import { members, type Members, type ReportFault, wrongType } from "../input.ts";
import type { DnsAnswer, Traffic } from "../world.ts";
import { present, type Seed } from "./shape.ts";

/** Reads the world of a seed. */
export function readWorld(from: Members | undefined): NonNullable<Seed["world"]> {
  if (from === undefined) return {};
  const world = {
    dns: from.each("dns", readAnswer),
    http: from.each("http", readBody),
    traffic: from.each("traffic", readTraffic),
  };
  from.done();
  return world;
}

function readBody(value: unknown, at: string, report: ReportFault): string {
  if (typeof value === "string") return value;
  report({ at, problem: wrongType("a string: the body", value) });
  return "";
}

/** Reads who sends requests to one name. Without `report` the first fault is thrown as an InputError. */
export function readTraffic(value: unknown, at: string, report?: ReportFault): Traffic {
  const from = members(value, at, report);
  const traffic = { impacted_clients: from.flag("impacted_clients") ?? false };
  from.done();
  return traffic;
}

/** Reads what the outside DNS answers for one name. Without `report` the first fault is thrown as an InputError. */
export function readAnswer(value: unknown, at: string, report?: ReportFault): DnsAnswer {
  const from = members(value, at, report);
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
