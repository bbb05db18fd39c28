import { type Call, jsonBody, param, type Route } from "./call.ts";
import { timestamp } from "./clock.ts";
import { PERMISSION_GROUPS } from "./credentials.ts";
import { derive } from "./ids.ts";
import { asText, compact, copy, isObject, type Json, type JsonObject } from "./json.ts";
import { listPage } from "./lists.ts";
import { type Reply, ServiceError, success } from "./messages.ts";
import type { Token } from "./store.ts";

const BASE = "/user/tokens";
const ONE = `${BASE}/:id`;

/** The tokens of the caller's user (docs/service.md#tokens). A value is shown only once: when it is made. */
export function userTokenRoutes(): Route[] {
  return [
    { method: "GET", path: BASE, handler: list },
    { method: "POST", path: BASE, handler: create },
    { method: "GET", path: `${BASE}/permission_groups`, handler: groups },
    { method: "GET", path: ONE, handler: (call) => success(view(found(call))) },
    { method: "PUT", path: ONE, handler: edit },
    { method: "DELETE", path: ONE, handler: remove },
    { method: "PUT", path: `${ONE}/value`, handler: roll },
  ];
}

function own({ core, token }: Call): Token[] {
  return [...core.store.tokens.values()].filter(({ kind, user }) => kind === "token" && user === token.user);
}

function list(call: Call): Reply {
  const listed = { items: own(call), idOf: ({ id }: Token) => id, view };
  return listPage(call, { least: 5, most: 50, usual: 20 }, listed);
}

function create(call: Call): Reply {
  const { user, accountId } = call.token;
  const value = call.core.ids.hex(40);
  const fixed = { id: call.core.ids.hex(32), value, kind: "token", email: null, user, accountId } as const;
  const token: Token = { ...fixed, ...read(call, jsonBody(call)) };
  call.core.store.tokens.set(value, token);
  return success({ ...view(token), value });
}

function edit(call: Call): Reply {
  const present = found(call);
  const token: Token = { ...present, ...read(call, jsonBody(call), present) };
  call.core.store.tokens.set(token.value, token);
  return success(view(token));
}

function remove(call: Call): Reply {
  const token = found(call);
  call.core.store.tokens.delete(token.value);
  return success({ id: token.id });
}

/** Gives the token a new value. The old one no longer works. */
function roll(call: Call): Reply {
  const token = found(call);
  const value = call.core.ids.hex(40);
  call.core.store.tokens.delete(token.value);
  call.core.store.tokens.set(value, { ...token, value });
  return success(value);
}

function groups(call: Call): Reply {
  const wanted = call.query.get("name");
  const names = PERMISSION_GROUPS.filter((name) => wanted === null || name === wanted);
  return success(names.map((name) => ({ id: groupId(name), name, scopes: ["com.cloudflare.api.account.zone"] })));
}

function groupId(name: string): string {
  return derive(`permission group ${name}`).slice(0, 32);
}

/** The code of a token that does not exist is not published (inferred). */
function found(call: Call): Token {
  const token = own(call).find(({ id }) => id === param(call, "id"));
  if (token === undefined) throw new ServiceError(404, { code: 1003, message: "Invalid API Token ID" });
  return token;
}

type Said = Pick<Token, "permissions" | "status" | "zones"> & { readonly created: NonNullable<Token["created"]> };

/** Reads what a body says of a token. What policies allow counts; the emulator has no policies that deny. */
function read(call: Call, body: JsonObject, present?: Token): Said {
  const { name, policies, status, condition } = body;
  if (typeof name !== "string" || name === "") throw invalid("name is required");
  if (!Array.isArray(policies) || policies.length === 0 || !policies.every(isObject))
    throw invalid("at least one policy is required");
  const kept = policies.map((policy) => ({ id: call.core.ids.hex(32), ...policy }));
  return {
    permissions: kept.flatMap((policy) => groupsOf(policy)),
    status: status === "disabled" ? "disabled" : "active",
    zones: zonesOf(kept),
    created: {
      name,
      policies: kept,
      condition: condition === undefined ? undefined : copy(condition),
      notBefore: readTime(body["not_before"]),
      expiresOn: readTime(body["expires_on"]),
      issuedAt: present?.created?.issuedAt ?? call.now,
      modifiedAt: call.now,
    },
  };
}

/** The names of a policy's permission groups. */
function groupsOf({ permission_groups: sent }: JsonObject): string[] {
  const ids = Array.isArray(sent) ? sent.map((group) => (isObject(group) ? asText(group["id"]) : "")) : [];
  return ids.map((id) => {
    const name = PERMISSION_GROUPS.find((known) => groupId(known) === id);
    if (name === undefined) throw invalid(`the permission group ${JSON.stringify(id)} is not known`);
    return name;
  });
}

/** The zones that the resources name; null if they are not limited to single zones. */
function zonesOf(policies: readonly JsonObject[]): string[] | null {
  const resources = policies.flatMap((policy) =>
    isObject(policy["resources"]) ? Object.keys(policy["resources"]) : [],
  );
  const zones = resources.map((name) => /^com\.cloudflare\.api\.account\.zone\.([0-9a-f]{32})$/.exec(name)?.[1]);
  const single = zones.filter((id) => id !== undefined);
  return single.length === resources.length && single.length > 0 ? single : null;
}

function readTime(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string" || Number.isNaN(Date.parse(value))) throw invalid("a time must be RFC 3339");
  return value;
}

/** The code is not published (inferred). */
function invalid(message: string): ServiceError {
  return new ServiceError(400, { code: 1001, message });
}

function view({ id, status, created }: Token): JsonObject {
  if (created === undefined) return { id, name: "made by the seed", status, policies: [] };
  return compact({
    id,
    name: created.name,
    status,
    issued_on: timestamp(created.issuedAt),
    modified_on: timestamp(created.modifiedAt),
    not_before: created.notBefore,
    expires_on: created.expiresOn,
    policies: copy(created.policies),
    condition: created.condition,
  });
}
