import { jsonBody, param, reaches, zoneRoute, type Call, type Route } from "../call.ts";
import { csrError, readCsr } from "../certificates/csr-input.ts";
import type { CustomCsr } from "../certificates/csr.ts";
import { timestamp } from "../clock.ts";
import { pageOf, success, type Reply } from "../envelope.ts";
import { generalError } from "../errors.ts";
import { compact, type JsonObject } from "../json.ts";
import { cutList } from "../lists.ts";
import { readPage } from "../pages.ts";
import type { Zone } from "../store.ts";

const BASE = "/custom_csrs";

/** `/custom_csrs` below a zone or an account (docs/service.md#custom-csrs). */
export function customCsrRoutes(): Route[] {
  return [...below((method, path, handler) => zoneRoute(method, path, handler)), ...below(accountRoute)];
}

/** A zone, or an account, which remembers no earlier lists. */
type Owner = Pick<Zone, "id"> & Partial<Pick<Zone, "pasts">>;
type Place = (method: Route["method"], path: string, handler: (call: Call, owner: Owner) => Reply) => Route;

function below(place: Place): Route[] {
  return [
    place("GET", BASE, list),
    place("POST", BASE, create),
    place("GET", `${BASE}/:id`, (call, owner) => success(view(found(call, owner)))),
    place("DELETE", `${BASE}/:id`, remove),
  ];
}

function accountRoute(method: Route["method"], path: string, handler: (call: Call, owner: Owner) => Reply): Route {
  return {
    method,
    path: `/accounts/:account${path}`,
    handler: (call) => {
      const account = call.core.store.accounts.get(param(call, "account"));
      const isReached = call.isDashboard || call.token.accountId === account?.id;
      if (account === undefined || !isReached) throw generalError(9109, "Invalid account identifier");
      return handler(call, account);
    },
  };
}

function list(call: Call, owner: Owner): Reply {
  const { page, perPage } = readPage(call.query, { least: 5, most: 50, usual: 20 });
  const items = [...call.core.store.csrs.values()].filter((csr) => csr.owner === owner.id);
  const history = owner.pasts?.csrs;
  const listed = { items, idOf: (csr: CustomCsr) => csr.id, view, ...(history === undefined ? {} : { history }) };
  return pageOf({ ...cutList(call, listed, (page - 1) * perPage, perPage), page, perPage });
}

/** 201 in the public behaviour, as documented (docs/service.md#custom-csrs); else 200 like every other creation. */
function create(call: Call, owner: Owner): Reply {
  const csr: CustomCsr = {
    id: call.core.ids.uuid(),
    owner: owner.id,
    ...readCsr(jsonBody(call)),
    createdAt: call.now,
  };
  call.core.store.csrs.set(csr.id, csr);
  owner.pasts?.csrs.remember(csr.id, undefined);
  return success(view(csr), call.core.behaviour.createStatus);
}

/** A CSR that was used for an uploaded certificate cannot be deleted (1420). */
function remove(call: Call, owner: Owner): Reply {
  const csr = found(call, owner);
  const { store } = call.core;
  for (const zone of store.zones.values()) {
    const isHostnames = zone.hostnames.all().some(({ ssl }) => ssl?.csrId === csr.id);
    const isUploads = [...zone.uploads.values()].some((upload) => upload.csrId === csr.id);
    if (reaches(call.token, zone.id) && (isHostnames || isUploads)) throw csrError(1420);
  }
  store.csrs.delete(csr.id);
  owner.pasts?.csrs.remember(csr.id, view(csr));
  return success({ id: csr.id });
}

function found(call: Call, owner: Owner): CustomCsr {
  const id = param(call, "id");
  if (!/^[0-9a-f-]{32,36}$/.test(id)) throw csrError(1418);
  const csr = call.core.store.csrs.get(id);
  if (csr === undefined || csr.owner !== owner.id) throw csrError(1419);
  return csr;
}

function view(csr: CustomCsr): JsonObject {
  return compact({
    id: csr.id,
    name: csr.name ?? undefined,
    description: csr.description ?? undefined,
    common_name: csr.commonName,
    country: csr.country,
    state: csr.state,
    locality: csr.locality,
    organization: csr.organization,
    organizational_unit: csr.organizationalUnit ?? undefined,
    sans: [...csr.sans],
    key_type: csr.keyType,
    csr: csr.request,
    created_at: timestamp(csr.createdAt),
  });
}
