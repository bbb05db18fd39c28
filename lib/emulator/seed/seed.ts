import { parse } from "yaml";
import { members } from "../input.ts";
import type { Json, JsonObject } from "../json.ts";
import { PLANS } from "../store.ts";
import { present, type SeedAccount, type SeedToken, type Seed } from "./shape.ts";
import { readWorld } from "./world-input.ts";
import { readZone } from "./zone-input.ts";

/** Reads a seed from YAML (or JSON) text. Throws an InputError that says where it is wrong. */
export function parseSeed(text: string): Seed {
  const value: Json = parse(text);
  return readSeed(value ?? {});
}

/** Checks a seed that comes from outside, and gives it typed. Throws an InputError that says where it is wrong. */
export function readSeed(value: unknown): Seed {
  const from = members(value, "");
  const seed = {
    random_seed: from.amount("random_seed"),
    accounts: from.list("accounts").map(readAccount),
    tokens: from.list("tokens").map(readToken),
    zones: from.list("zones").map((zone) => readZone(zone.value, zone.at, PLANS)),
    world: readWorld(from.object("world") ?? {}),
  };
  from.done();
  return present(seed);
}

function readAccount({ value, at }: { value: JsonObject; at: string }): SeedAccount {
  const from = members(value, at);
  const account = {
    id: from.text("id"),
    name: from.text("name"),
    issuance_per_minute: from.amount("issuance_per_minute"),
    api_requests: from.amount("api_requests"),
    api_window_seconds: from.amount("api_window_seconds"),
  };
  from.done();
  return present(account);
}

function readToken({ value, at }: { value: JsonObject; at: string }): SeedToken {
  const from = members(value, at);
  const token = {
    value: from.requiredText("value"),
    permissions: Array.isArray(value["permissions"])
      ? from.texts("permissions")
      : from.oneOf("permissions", ["all", "read"]),
    status: from.oneOf("status", ["active", "disabled", "expired"]),
    email: from.text("email"),
    user: from.text("user"),
    account: from.text("account"),
    zones: from.texts("zones"),
  };
  from.done();
  return present<SeedToken>(token);
}
