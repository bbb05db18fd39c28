import { InputError, type InputFault, members, type Members } from "../input.ts";
import { PLANS } from "../store.ts";
import { present, type SeedAccount, type SeedToken, type Seed } from "./shape.ts";
import { openText } from "./seed-text.ts";
import { readWorld } from "./world-input.ts";
import { readZone } from "./zone-input.ts";

/** Reads a seed from YAML (or JSON) text. Throws an InputError with everything that is wrong; `openFaultPlaces` finds it in the text. */
export function parseSeed(text: string): Seed {
  const { value, faults } = openText(text);
  if (faults.length > 0) throw new InputError(...faults);
  return readSeed(value ?? {});
}

/** Checks a seed that comes from outside, and returns it typed. Throws an InputError with everything that is wrong. */
export function readSeed(value: unknown): Seed {
  const faults: InputFault[] = [];
  const from = members(value, "", (fault) => faults.push(fault.at === "" ? { ...fault, at: "the seed" } : fault));
  const seed = {
    random_seed: from.count("random_seed"),
    accounts: from.list("accounts").map(readAccount),
    tokens: from.list("tokens").map(readToken),
    zones: from.list("zones").map((zone) => readZone(zone, PLANS)),
    world: readWorld(from.below("world")),
  };
  from.done();
  if (faults.length > 0) throw new InputError(...faults);
  return present<Seed>(seed);
}

function readAccount(from: Members): SeedAccount {
  const account = {
    id: from.text("id"),
    name: from.text("name"),
    issuance_per_minute: from.count("issuance_per_minute"),
    api_requests: from.count("api_requests"),
    api_window_seconds: from.count("api_window_seconds"),
  };
  from.done();
  return present<SeedAccount>(account);
}

function readToken(from: Members): SeedToken {
  const token = {
    value: from.requiredText("value"),
    permissions: Array.isArray(from.any("permissions"))
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
