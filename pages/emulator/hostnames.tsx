import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, type Tone } from "../parts/badge.tsx";
import { Icon } from "../parts/icon.tsx";
import { Search } from "../parts/search.tsx";
import { Value } from "../parts/value.tsx";
import { Command } from "./command.tsx";
import { dashboardCurlOf } from "./curl.ts";
import { Dialog, Field, Refusal } from "./dialog.tsx";
import { at, isObject, type Json, type JsonObject, listAt, textAt } from "../parts/json.ts";
import { asDashboard } from "./server.ts";
import { useAttempt, useDashboard, type ZoneProps } from "./use.ts";

/** How many hostnames are on one page. */
const PER_PAGE = 50;

/** The certificate authorities that the dashboard offers. */
export const AUTHORITIES: Readonly<Record<string, string>> = {
  google: "Google",
  lets_encrypt: "Let's Encrypt",
  ssl_com: "SSL.com",
};

/** The TLS versions that a hostname or a zone can ask for at least. */
export const TLS_VERSIONS = ["1.0", "1.1", "1.2", "1.3"] as const;

const STATUSES = ["active", "pending", "moved", "blocked"] as const;

/** The hostnames of a zone, a page at a time. */
export function Hostnames({ zone, revision, onEdited }: ZoneProps): JSX.Element {
  const id = textAt(zone, "id");
  const [search, setSearch] = useState("");
  const [status, setStatus] = useState("");
  const [page, setPage] = useState(1);
  const [edited, setEdited] = useState<Json>();
  const query = new URLSearchParams({ page: String(page), per_page: String(PER_PAGE) });
  if (search !== "") query.set("hostname", search);
  if (status !== "") query.set("hostname_status", status);
  const { answer, refused } = useDashboard(`/zones/${id}/custom_hostnames?${query}`, revision);
  const total = answer?.total ?? 0;
  const pages = Math.max(1, Math.ceil(total / PER_PAGE));
  const choose = <T,>(set: (value: T) => void): ((value: T) => void) => {
    return (value) => {
      set(value);
      setPage(1);
    };
  };
  return (
    <section aria-label="Hostnames">
      <div class="tools">
        <Search label="Search hostnames" value={search} onChange={choose(setSearch)} />
        <label>
          <span class="unseen">Status</span>
          <select value={status} onChange={(event) => choose(setStatus)(event.currentTarget.value)}>
            <option value="">Any status</option>
            {STATUSES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </div>
      <p role="status" class="unseen">
        {answer === undefined ? "" : `${total} hostnames`}
      </p>
      <Refusal text={refused} />
      {answer !== undefined && total === 0 && (
        <p class="empty">
          {search + status === ""
            ? "No hostnames yet. Create some with zoneform apply, or with a client of your own."
            : "No hostname matches."}
        </p>
      )}
      <ul class="list">
        {listAt(answer?.result).map((custom) => (
          <HostnameRow key={textAt(custom, "id")} custom={custom} onEdit={() => setEdited(custom)} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="pages" aria-label="Pages of hostnames">
          <button type="button" class="button small" disabled={page === 1} onClick={() => setPage(page - 1)}>
            <Icon name="left" /> Previous
          </button>
          <span class="quiet">
            {((page - 1) * PER_PAGE + 1).toLocaleString("en")} to{" "}
            {Math.min(page * PER_PAGE, total).toLocaleString("en")} of {total.toLocaleString("en")}
          </span>
          <button type="button" class="button small" disabled={page >= pages} onClick={() => setPage(page + 1)}>
            Next <Icon name="right" />
          </button>
        </nav>
      )}
      {edited !== undefined && (
        <HostnameDialog zoneId={id} custom={edited} onEdited={onEdited} onClose={() => setEdited(undefined)} />
      )}
    </section>
  );
}

function HostnameRow({ custom, onEdit }: { readonly custom: Json; readonly onEdit: () => void }): JSX.Element {
  const hostname = textAt(custom, "hostname");
  const status = textAt(custom, "status");
  const certificate = textAt(custom, "ssl", "status");
  const least = textAt(custom, "ssl", "settings", "min_tls_version");
  const authority = textAt(custom, "ssl", "certificate_authority");
  const origin = textAt(custom, "custom_origin_server");
  const metadata = at(custom, "custom_metadata");
  return (
    <li class="hostname">
      <div class="name">
        <strong class="mono">
          <Value text={hostname} />
        </strong>
        {(origin !== "" || isObject(metadata)) && (
          <span class="quiet small">
            {origin !== "" && <Value text={`to ${origin}`} />}
            {origin !== "" && isObject(metadata) && " · "}
            {isObject(metadata) && <Value text={metadataText(metadata)} />}
          </span>
        )}
      </div>
      <div class="status">
        <Badge tone={toneOf(status)} text={words(status)} />
      </div>
      <div class="certificate">
        {isObject(at(custom, "ssl")) ? (
          <>
            <span>{AUTHORITIES[authority] ?? (authority === "" ? "Uploaded" : <Value text={authority} />)}</span>
            {certificate !== "active" && <Badge tone={toneOf(certificate)} text={words(certificate)} />}
          </>
        ) : (
          <span class="quiet">no certificate</span>
        )}
      </div>
      <div class="tls">
        <TlsVersion least={least} />
      </div>
      <button type="button" class="button small" onClick={onEdit}>
        <Icon name="edit" /> Edit<span class="unseen"> {hostname}</span>
      </button>
    </li>
  );
}

/** The least TLS version, which is a danger if it is an old one. */
function TlsVersion({ least }: { readonly least: string }): JSX.Element {
  if (least === "1.0" || least === "1.1") return <Badge tone="danger" text={`TLS ${least}`} />;
  return <span class={least === "" ? "quiet" : ""}>{least === "" ? "TLS not set" : `TLS ${least}`}</span>;
}

function metadataText(metadata: JsonObject): string {
  return Object.entries(metadata)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** The tone of a status of a hostname, a certificate or an origin. */
export function toneOf(status: string): Tone {
  if (status === "active") return "good";
  if (/^(?:initializing|pending|active_redeploying)/.test(status)) return "warn";
  return status === "" ? "quiet" : "danger";
}

/** A name of the API in words. */
export function words(name: string): string {
  return name.replace(/^active_/, "").replaceAll("_", " ");
}

interface HostnameDialogProps {
  readonly zoneId: string;
  readonly custom: Json;
  readonly onEdited: () => void;
  readonly onClose: () => void;
}

function HostnameDialog({ zoneId, custom, onEdited, onClose }: HostnameDialogProps): JSX.Element {
  const hostname = textAt(custom, "hostname");
  const path = `/zones/${zoneId}/custom_hostnames/${textAt(custom, "id")}`;
  const [form, setForm] = useState({
    tls: textAt(custom, "ssl", "settings", "min_tls_version"),
    authority: "",
    origin: textAt(custom, "custom_origin_server"),
  });
  const { isBusy, refused, attempt } = useAttempt();
  const body = editOf(custom, form);
  const send = (method: string, sent?: JsonObject): void =>
    attempt(async () => {
      await asDashboard(method, path, sent);
      onEdited();
      onClose();
    });
  return (
    <Dialog title={<Value text={hostname} />} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send("PATCH", body);
        }}
      >
        <p class="quiet">Changed here, it changes as in the dashboard: Zoneform does not know of it.</p>
        {isObject(at(custom, "ssl")) && (
          <>
            <fieldset>
              <legend class="label">Minimum TLS version</legend>
              <div class="choices">
                {TLS_VERSIONS.map((version) => (
                  <label key={version}>
                    <input
                      type="radio"
                      name="tls"
                      checked={form.tls === version}
                      onChange={() => setForm({ ...form, tls: version })}
                    />
                    <span>TLS {version}</span>
                  </label>
                ))}
              </div>
            </fieldset>
            <Field label="Certificate authority" hint="Another one orders a new certificate.">
              <select
                value={form.authority}
                onChange={(event) => setForm({ ...form, authority: event.currentTarget.value })}
              >
                <option value="">Keep {AUTHORITIES[textAt(custom, "ssl", "certificate_authority")] ?? "it"}</option>
                {Object.entries(AUTHORITIES).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </select>
            </Field>
          </>
        )}
        <Field label="Origin server" hint="Empty: the fallback origin of the zone.">
          <input value={form.origin} onInput={(event) => setForm({ ...form, origin: event.currentTarget.value })} />
        </Field>
        <Refusal text={refused} />
        <footer>
          <button type="button" class="button" disabled={isBusy} onClick={() => send("DELETE")}>
            <Icon name="remove" /> Delete
          </button>
          <button type="submit" class="button main" disabled={isBusy || Object.keys(body).length === 0}>
            Save
          </button>
        </footer>
        {Object.keys(body).length > 0 && (
          <details>
            <summary>The same with curl</summary>
            <Command text={dashboardCurlOf(location.origin, { method: "PATCH", path, body: JSON.stringify(body) })} />
          </details>
        )}
      </form>
    </Dialog>
  );
}

/** What to send: only what differs. The service takes `ssl` and its settings as a whole, so what stays is sent along. */
function editOf(
  custom: Json,
  { tls, authority, origin }: { readonly tls: string; readonly authority: string; readonly origin: string },
): JsonObject {
  const settings = at(custom, "ssl", "settings");
  const present = isObject(settings) ? settings : {};
  const isOtherTls = tls !== textAt(present, "min_tls_version");
  const ssl = {
    type: "dv",
    method: textAt(custom, "ssl", "method"),
    ...(authority === "" ? {} : { certificate_authority: authority }),
    ...(isOtherTls ? { settings: { ...present, min_tls_version: tls } } : {}),
  };
  return {
    ...(isOtherTls || authority !== "" ? { ssl } : {}),
    ...(origin === textAt(custom, "custom_origin_server") ? {} : { custom_origin_server: origin }),
  };
}
