import { type Address, networkOf, readAddress } from "../rules-language/addresses.ts";
import type { Request } from "../rules-language/evaluate/values.ts";
import { accountRoute, type Call, jsonBody, jsonValue, param, type Route } from "./call.ts";
import { timestamp } from "./clock.ts";
import type { Core } from "./core.ts";
import { asText, canonical, compact, isObject, type Json, type JsonObject } from "./json.ts";
import { cutList, readPage } from "./lists.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import { currentVersion } from "./rulesets/ruleset.ts";
import { choice, flag, integer, invalidValue, object, type Shape, text } from "./rulesets/shape.ts";
import type { Account, ListItem, RulesList } from "./store.ts";

/** How long a change of items takes. The service publishes no time. */
const OPERATION_MILLISECONDS = 1000;

/** The kinds of lists, each with the form of an item's value. */
const KINDS: Readonly<Record<string, Shape>> = {
  ip: (value, pointer) => {
    const range = typeof value === "string" ? rangeOf(value) : undefined;
    if (range === undefined)
      throw invalidValue(value, pointer, "it is no address, and no network from /2 or, of IPv6, /4 on");
  },
  asn: integer(0, 2 ** 32 - 1),
  hostname: object({ url_hostname: text(255), exclude_exact_hostname: flag }, { all: ["url_hostname"] }),
  redirect: object(
    {
      source_url: text(),
      target_url: text(),
      status_code: choice(301, 302, 307, 308),
      include_subdomains: flag,
      preserve_path_suffix: flag,
      preserve_query_string: flag,
      subpath_matching: flag,
    },
    { all: ["source_url", "target_url"] },
  ),
};

const BASE = "/rules/lists";
const ONE = `${BASE}/:list`;

/** /accounts/{id}/rules/lists, their items, and the operations that change items (docs/service.md#lists). */
export function rulesListRoutes(): Route[] {
  const route = (method: Route["method"], path: string, handler: (call: Call, account: Account) => Reply): Route =>
    accountRoute(method, path, (call, account) => {
      settleOperations(account, call.now);
      return handler(call, account);
    });
  return [
    route("GET", BASE, ({ core }, account) => success([...account.lists.values()].map((list) => listView(core, list)))),
    route("POST", BASE, create),
    route("GET", `${BASE}/bulk_operations/:operation`, operation),
    route("GET", ONE, (call, account) => success(listView(call.core, found(call, account)))),
    route("PUT", ONE, describe),
    route("DELETE", ONE, remove),
    route("GET", `${ONE}/items`, items),
    route("GET", `${ONE}/items/:item`, item),
    route("POST", `${ONE}/items`, (call, account) => change(call, account, (list) => merged(call, list, list.items))),
    route("PUT", `${ONE}/items`, (call, account) => change(call, account, (list) => merged(call, list, []))),
    route("DELETE", `${ONE}/items`, (call, account) => change(call, account, (list) => without(call, list))),
  ];
}

/** Whether a list of the account has a value, as expressions ask it. */
export function isInListOf(account: Account, now: number): NonNullable<Request["isInList"]> {
  settleOperations(account, now);
  return (name, value) => {
    const list = [...account.lists.values()].find((candidate) => candidate.name === name);
    return list?.items.some((each) => holds(list.kind, each.value, value)) === true;
  };
}

function holds(kind: string, entry: Json, value: Parameters<NonNullable<Request["isInList"]>>[1]): boolean {
  if (kind === "asn")
    return (typeof value === "number" || typeof value === "bigint") && BigInt(Number(entry)) === BigInt(value);
  if (kind === "ip") {
    const range = rangeOf(asText(entry));
    if (range === undefined || typeof value !== "object" || !("bits" in value)) return false;
    return range.bits === value.bits && range.from <= value.value && value.value <= range.to;
  }
  if (kind !== "hostname" || typeof value !== "string" || !isObject(entry)) return false;
  const { url_hostname: hostname, exclude_exact_hostname: isExact = true } = entry;
  const name = asText(hostname).toLowerCase();
  if (!name.startsWith("*.")) return value === name;
  return value.endsWith(name.slice(1)) || (isExact === false && value === name.slice(2));
}

interface Range {
  readonly bits: Address["bits"];
  readonly from: bigint;
  readonly to: bigint;
}

/** The addresses of an item, which is an address or a network; undefined if it is neither, or larger than a list may have. */
function rangeOf(entry: string): Range | undefined {
  const [, written = "", length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
  const address = readAddress(written);
  if (address === undefined) return undefined;
  const bits = Number(length ?? address.bits);
  if (bits > address.bits || bits < (address.bits === 32 ? 2 : 4)) return undefined;
  const [from, to] = networkOf(address, bits);
  return { bits: address.bits, from, to };
}

function create(call: Call, account: Account): Reply {
  const body = jsonBody(call);
  object({ name: text(50), kind: choice(...Object.keys(KINDS)), description: text(500, 0) }, { all: ["name", "kind"] })(
    body,
    "",
  );
  const [name, kind] = [asText(body["name"]), asText(body["kind"])];
  if (!/^\w+$/.test(name)) throw invalidValue(name, "/name", "it has other characters than letters, digits and _");
  if (listNames(account).includes(name)) throw invalidValue(name, "/name", "another list has it");
  const list: RulesList = {
    id: call.core.ids.hex(32),
    name,
    kind,
    description: asText(body["description"]),
    items: [],
    createdAt: call.now,
    modifiedAt: call.now,
  };
  account.lists.set(list.id, list);
  return success(listView(call.core, list));
}

/** The names of the account's lists. */
export function listNames(account: Account): readonly string[] {
  return [...account.lists.values()].map(({ name }) => name);
}

/** Only the description can be changed. */
function describe(call: Call, account: Account): Reply {
  const list = found(call, account);
  const body = jsonBody(call);
  object({ description: text(500, 0) })(body, "");
  list.description = asText(body["description"] ?? list.description);
  list.modifiedAt = call.now;
  return success(listView(call.core, list));
}

/** Deletes a list, unless a rule names it. */
function remove(call: Call, account: Account): Reply {
  const list = found(call, account);
  if (referencing(call.core, list) > 0)
    throw new ServiceError(400, { message: `the list ${list.name} is used by a rule` });
  account.lists.delete(list.id);
  return success({ id: list.id });
}

/** Items in ascending order. `search`: an address begins with it, a hostname or a URL contains it, an AS number is equal. */
function items(call: Call, account: Account): Reply {
  const list = found(call, account);
  const { perPage } = readPage(call.query, { least: 1, most: 500, usual: 500 });
  const search = call.query.get("search") ?? "";
  const from = Number(call.query.get("cursor") ?? 0);
  const fits = ({ value }: ListItem): boolean => {
    if (search === "") return true;
    const shown = canonical(value).replaceAll('"', "");
    return list.kind === "ip"
      ? shown.startsWith(search)
      : list.kind === "asn"
        ? shown === search
        : shown.includes(search);
  };
  const sorted = list.items
    .filter(fits)
    .toSorted((a, b) => canonical(a.value).localeCompare(canonical(b.value), "en", { numeric: true }));
  const listed = { items: sorted, idOf: ({ id }: ListItem) => id, view: (each: ListItem) => itemView(list, each) };
  const { items: result, total } = cutList(call, listed, from, perPage);
  const cursors = from + perPage < total ? { cursors: { after: String(from + perPage) } } : {};
  return { status: 200, body: { success: true, errors: [], messages: [], result, result_info: cursors } };
}

function item(call: Call, account: Account): Reply {
  const list = found(call, account);
  const one = list.items.find(({ id }) => id === param(call, "item"));
  if (one === undefined) throw absent("list item");
  return success(itemView(list, one));
}

/** Begins a change of items. An account has one at a time. */
function change(call: Call, account: Account, make: (list: RulesList) => readonly ListItem[]): Reply {
  const list = found(call, account);
  if ([...account.operations.values()].some(({ isDone }) => !isDone))
    throw new ServiceError(400, { message: "an outstanding bulk operation is in progress" });
  const begun = { id: call.core.ids.hex(32), listId: list.id, at: call.now + OPERATION_MILLISECONDS, isDone: false };
  account.operations.set(begun.id, { ...begun, items: make(list) });
  return success({ operation_id: begun.id });
}

/** The items with those of the body, which replace items of the same value. */
function merged(call: Call, { kind }: RulesList, present: readonly ListItem[]): readonly ListItem[] {
  const body = jsonValue(call);
  if (!Array.isArray(body)) throw invalidValue(body, "", "it is not a list");
  const shape = object({ [kind]: KINDS[kind] ?? flag, comment: text(500, 0) }, { all: [kind] });
  const all = new Map(present.map((each) => [canonical(each.value), each]));
  body.forEach((sent, index) => {
    shape(sent, `/${index}`);
    if (!isObject(sent)) return;
    const { [kind]: value = null, comment } = sent;
    const old = all.get(canonical(value));
    const note = typeof comment === "string" ? comment : undefined;
    const createdAt = old?.createdAt ?? call.now;
    const id = old?.id ?? call.core.ids.hex(32);
    all.set(canonical(value), { id, value, comment: note, createdAt, modifiedAt: call.now });
  });
  return [...all.values()];
}

/** The items without those of the body: `{ items: [{ id }] }`. */
function without(call: Call, list: RulesList): readonly ListItem[] {
  const { items: sent } = jsonBody(call);
  if (!Array.isArray(sent)) throw invalidValue(sent, "/items", "it is not a list");
  const ids = new Set(sent.map((each) => (isObject(each) ? each["id"] : undefined)));
  return list.items.filter(({ id }) => !ids.has(id));
}

function operation(call: Call, account: Account): Reply {
  const one = account.operations.get(param(call, "operation"));
  if (one === undefined) throw absent("bulk operation");
  const { id, at, isDone } = one;
  return success({ id, ...(isDone ? { status: "completed", completed: timestamp(at) } : { status: "pending" }) });
}

/** Completes the operations that are due. */
function settleOperations({ lists, operations }: Account, now: number): void {
  for (const one of operations.values()) {
    if (one.isDone || one.at > now) continue;
    one.isDone = true;
    const list = lists.get(one.listId);
    if (list !== undefined) Object.assign(list, { items: one.items, modifiedAt: one.at });
  }
}

function found(call: Call, account: Account): RulesList {
  const list = account.lists.get(param(call, "list"));
  if (list === undefined) throw absent("list");
  return list;
}

/** No code for it is published. */
function absent(what: string): ServiceError {
  return new ServiceError(404, { message: `could not find ${what}` });
}

/** How many rules name the list. */
function referencing(core: Core, { name }: RulesList): number {
  const owners = [...core.store.accounts.values(), ...core.store.zones.values()];
  const rules = owners.flatMap(({ rulesets }) => [...rulesets.values()].flatMap((each) => currentVersion(each).rules));
  const used = new RegExp(String.raw`\$${name}\b|"from_list":\{[^}]*"name":"${name}"`);
  return rules.filter((rule) => used.test(JSON.stringify(rule))).length;
}

function listView(core: Core, list: RulesList): JsonObject {
  return {
    id: list.id,
    name: list.name,
    description: list.description,
    kind: list.kind,
    num_items: list.items.length,
    num_referencing_filters: referencing(core, list),
    created_on: timestamp(list.createdAt),
    modified_on: timestamp(list.modifiedAt),
  };
}

function itemView({ kind }: RulesList, { id, value, comment, createdAt, modifiedAt }: ListItem): JsonObject {
  const times = { created_on: timestamp(createdAt), modified_on: timestamp(modifiedAt) };
  return compact({ id, [kind]: value, comment, ...times });
}
