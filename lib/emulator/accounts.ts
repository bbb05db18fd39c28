import { accountRoute, type Call, jsonBody, ownsAccount, type Route } from "./call.ts";
import { isObject, type JsonObject } from "./json.ts";
import { choose, listPage } from "./lists.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import { plantAccount } from "./seed/plant.ts";
import type { Account } from "./store.ts";

/** `/accounts` (docs/service.md#zones-and-plans). */
export function accountRoutes(): Route[] {
  return [
    { method: "GET", path: "/accounts", handler: list },
    { method: "POST", path: "/accounts", handler: create },
    accountRoute("GET", "", (_call, account) => success(view(account))),
    accountRoute("PUT", "", edit),
    accountRoute("DELETE", "", remove),
  ];
}

function list(call: Call): Reply {
  const own = [...call.core.store.accounts.values()].filter((account) => ownsAccount(call, account));
  const items = choose(call.query, own, { filters: { name: ({ name }, wanted) => name === wanted } });
  return listPage(call, { least: 5, most: 50, usual: 20 }, { items, idOf: ({ id }: Account) => id, view });
}

function create(call: Call): Reply {
  const name = readName(jsonBody(call));
  return success(view(plantAccount(call.core, { id: call.core.ids.hex(32), name }, 0, call.token.user)));
}

function edit(call: Call, account: Account): Reply {
  const body = jsonBody(call);
  account.name = readName(body);
  if (isObject(body["settings"])) account.settings = { ...account.settings, ...body["settings"] };
  return success(view(account));
}

function remove(call: Call, account: Account): Reply {
  const { accounts, zones } = call.core.store;
  if ([...zones.values()].some(({ accountId }) => accountId === account.id))
    throw new ServiceError(400, { code: 1004, message: "the account still has zones" });
  accounts.delete(account.id);
  return success({ id: account.id });
}

/** The code of a refusal is not published (inferred). */
function readName({ name }: JsonObject): string {
  if (typeof name !== "string" || name === "" || name.length > 100)
    throw new ServiceError(400, { code: 1004, message: "name must have 1 to 100 characters" });
  return name;
}

function view({ id, name, settings = {} }: Account): JsonObject {
  return { id, name, type: "standard", settings: { enforce_twofactor: false, ...settings } };
}
