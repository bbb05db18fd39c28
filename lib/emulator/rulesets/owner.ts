import { accountOf, type Call, param, type Route, zoneOf } from "../call.ts";
import type { History } from "../history.ts";
import type { Reply } from "../messages.ts";
import { listNames } from "../rules-lists.ts";
import type { Account, Plan, Zone } from "../store.ts";
import { managedRulesets } from "./managed.ts";
import type { Ruleset } from "./ruleset.ts";

/** A zone or an account, as far as it has rulesets. */
export interface Owner {
  /** Absent for an account. */
  readonly zone?: Zone;
  readonly plan: Plan;
  readonly rulesets: Map<string, Ruleset>;
  readonly history: History;
  /** The kind of its entry points. */
  readonly entryKind: "zone" | "root";
  /** The names of the lists of the account. */
  readonly lists: readonly string[];
  /** The custom rulesets of its account, if it is a zone: it can execute them, and not change them. */
  readonly shared: readonly Ruleset[];
}

/** A zone as an owner of rulesets. */
export function zoneOwner(zone: Zone, account: Account | undefined): Owner {
  const shared = [...(account?.rulesets.values() ?? [])].filter(({ kind }) => kind === "custom");
  const { plan, rulesets, histories } = zone;
  const lists = account === undefined ? [] : listNames(account);
  return { zone, plan, rulesets, history: histories.rulesets, entryKind: "zone", lists, shared };
}

/** An account as an owner of rulesets, which need an Enterprise subscription (docs/service.md#account-rulesets). */
function accountOwner(account: Account): Owner {
  const { rulesets, history } = account;
  return { plan: "enterprise", rulesets, history, entryKind: "root", lists: listNames(account), shared: [] };
}

/** Every ruleset that the owner can see: its own, those of its account that it can execute, and the managed ones. */
export function visibleRulesets(owner: Owner): readonly Ruleset[] {
  return [...owner.rulesets.values(), ...owner.shared, ...managedRulesets()];
}

/** The owner that the path of the call names. */
export function ownerOf(call: Call): Owner {
  if (param(call, "account") !== "") return accountOwner(accountOf(call));
  const zone = zoneOf(call);
  return zoneOwner(zone, call.core.store.accounts.get(zone.accountId));
}

/** The same call below a zone and below an account. */
export function ownerRoutes(
  method: Route["method"],
  path: string,
  handler: (call: Call, owner: Owner) => Reply,
): readonly Route[] {
  return ["/zones/:zone", "/accounts/:account"].map((base) => ({
    method,
    path: `${base}${path}`,
    handler: (call) => handler(call, ownerOf(call)),
  }));
}
