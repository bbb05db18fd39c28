import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { text, world, type Answer, type Json, type World } from "../../support/emulator.ts";

const FOLDER = join(import.meta.dirname, "../../wire");
const BASE = "/custom_hostnames";
const ENTRY = "/rulesets/phases/http_request_firewall_managed/entrypoint";

function wire(name: string): Json {
  return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"));
}

/** The keys and types of a value. A list is described by the shapes of its members. */
function shape(value: Json): unknown {
  if (value === null) return "null";
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== "object") return typeof value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, shape(value[key] ?? null)]),
  );
}

function create(made: World): Answer {
  return made.zone("POST", BASE, wire("custom-hostname-create-request"));
}

function after(seconds: number): Answer {
  const made = world();
  const id = text(create(made), "result.id");
  made.wait(seconds);
  return made.zone("GET", `${BASE}/${id}`);
}

const EXAMPLES: Readonly<Record<string, () => Answer>> = {
  "custom-hostname-created": () => create(world()),
  "custom-hostname-pending-validation": () => after(2),
  "custom-hostname-active": () => after(120),
  "custom-hostname-list": () => {
    const made = world();
    create(made);
    return made.zone("GET", BASE);
  },
  "custom-hostname-deleted": () => {
    const made = world();
    return made.zone("DELETE", `${BASE}/${text(create(made), "result.id")}`);
  },
  "fallback-origin": () => world().zone("PUT", `${BASE}/fallback_origin`, { origin: "fallback.saas.net" }),
  "entry-point": () => {
    const parameters = { id: "efb7b8c949ac4650a09736fc376e9aee" };
    const rule = { ref: "run-managed", action: "execute", expression: "true", action_parameters: parameters };
    return world().zone("PUT", ENTRY, { rules: [rule] });
  },
  "total-tls": () => world().zone("POST", "/acm/total_tls", { enabled: true, certificate_authority: "google" }),
  "zone-hold": () => {
    const made = world();
    made.zone("POST", "/hold?include_subdomains=true");
    return made.zone("PATCH", "/hold", { hold_after: "2127-01-31T00:00:00Z" });
  },
  "zone-setting": () => world().zone("PATCH", "/settings/min_tls_version", { value: "1.2" }),
  quota: () => world().zone("GET", `${BASE}/quota`),
  "error-10003": () => world().zone("GET", ENTRY),
  "error-20217": () => {
    const made = world();
    const body = { name: "x", kind: "zone", phase: "http_ratelimit" };
    made.zone("POST", "/rulesets", body);
    return made.zone("POST", "/rulesets", body);
  },
  "error-1406": () => {
    const made = world();
    create(made);
    return create(made);
  },
  "error-1436": () => world().zone("GET", `${BASE}/0d89c70d-ad9f-4843-b99f-6cc0252067e9`),
  "error-1410": () => world().zone("POST", BASE, { hostname: "co.uk" }),
  "error-1438": () => world().zone("GET", `${BASE}?id=0d89c70d-ad9f-4843-b99f-6cc0252067e9&ssl=1`),
  "error-7003": () => world().zone("GET", "/nowhere"),
  "error-429": () => {
    const made = world();
    for (let n = 0; n < 1200; n++) made.call("GET", "/user");
    return made.call("GET", "/user");
  },
};

describe("the emulator's responses have the form of the wire example", () => {
  it.each(Object.keys(EXAMPLES))("%s", (name) => {
    const answer = EXAMPLES[name]?.();
    expect(shape(answer?.body ?? null)).toEqual(shape(wire(name)));
  });

  it.each(Object.keys(EXAMPLES).filter((name) => name.startsWith("error-")))("%s exactly", (name) => {
    expect(EXAMPLES[name]?.().body).toEqual(wire(name));
  });
});
