import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, type Tone } from "../parts/badge.tsx";
import { Value } from "../parts/value.tsx";
import { changesBetween, type FieldChange } from "./changes.ts";
import { Command } from "./command.tsx";
import { curlOf } from "./curl.ts";
import { at, type Json, numberAt, textAt } from "../parts/json.ts";

interface RequestsProps {
  /** The latest requests, oldest first. */
  readonly requests: readonly Json[];
  readonly isConnected: boolean;
  /** The name of each zone, by its id. */
  readonly zones: ReadonlyMap<string, string>;
}

/** Which requests to show. */
type Filter = "all" | "writes" | "unmatched";

const FILTERS: readonly (readonly [Filter, string])[] = [
  ["all", "All"],
  ["writes", "Writes"],
  ["unmatched", "Unknown"],
];

/** The latest requests to the service: first those that it does not know, then the newest. */
export function Requests({ requests, isConnected, zones }: RequestsProps): JSX.Element {
  const [filter, setFilter] = useState<Filter>("all");
  const newest = requests.toReversed();
  const unmatched = newest.filter(isUnmatched);
  const counts = { all: requests.length, writes: requests.filter(isWrite).length, unmatched: unmatched.length };
  const others = newest.filter((request) => !isUnmatched(request) && (filter === "all" || isWrite(request)));
  return (
    <section class="requests" aria-labelledby="requests-title">
      <header>
        <h2 id="requests-title">Requests</h2>
        <Badge tone={isConnected ? "good" : "warn"} text={isConnected ? "live" : "not connected"} />
      </header>
      <div class="filters" role="group" aria-label="Which requests to show">
        {FILTERS.map(([name, label]) => (
          <button
            key={name}
            type="button"
            class="button small"
            aria-pressed={filter === name}
            onClick={() => setFilter(name)}
          >
            {label} <span class="quiet">{counts[name]}</span>
          </button>
        ))}
      </div>
      <div class="feed">
        {requests.length === 0 && (
          <p class="empty">The requests of Zoneform, Terraform, curl and others appear here as they come.</p>
        )}
        {filter !== "writes" && unmatched.length > 0 && (
          <>
            <h3 class="label">The emulator has no such call</h3>
            <RequestList requests={unmatched} zones={zones} />
          </>
        )}
        {filter === "unmatched" && unmatched.length === 0 && (
          <p class="empty">The emulator knew all of the latest requests.</p>
        )}
        {filter !== "unmatched" && others.length > 0 && (
          <>
            {unmatched.length > 0 && filter === "all" && <h3 class="label">All others, newest first</h3>}
            <RequestList requests={others} zones={zones} />
          </>
        )}
      </div>
    </section>
  );
}

function isWrite(request: Json): boolean {
  return textAt(request, "method") !== "GET";
}

/** Whether no route of the emulator took it. */
function isUnmatched(request: Json): boolean {
  const isUnrouted = textAt(request, "pattern") === textAt(request, "path");
  return isUnrouted && [404, 405].includes(numberAt(request, "status"));
}

function RequestList({ requests, zones }: Pick<RequestsProps, "requests" | "zones">): JSX.Element {
  return (
    <ol class="list">
      {requests.map((request) => (
        <RequestRow key={numberAt(request, "number")} request={request} zones={zones} />
      ))}
    </ol>
  );
}

function RequestRow({ request, zones }: { readonly request: Json } & Pick<RequestsProps, "zones">): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const status = numberAt(request, "status");
  const fault = textAt(request, "fault");
  const method = textAt(request, "method");
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span class={method === "GET" ? "method" : "method write"}>
            <Value text={method} />
          </span>
          <span class="path">
            <Value text={shortPath(request, zones)} />
          </span>
          <Badge tone={statusTone(status)} text={String(status)} />
          <span class="when quiet">
            {timeOf(numberAt(request, "at"))} <Value text={agentOf(textAt(request, "agent"))} />
            {fault !== "" && <Badge tone="danger" text={`fault: ${fault}`} />}
          </span>
        </summary>
        {isOpen && <RequestDetails request={request} />}
      </details>
    </li>
  );
}

function statusTone(status: number): Tone {
  if (status < 300) return "good";
  return status < 500 ? "warn" : "danger";
}

/** `/zones/ID/custom_hostnames/ID` as `saas.dev/custom_hostnames/shop.customer.com`, or with the beginning of an unknown id. */
function shortPath(request: Json, zones: ReadonlyMap<string, string>): string {
  const object = at(request, "before") ?? at(request, "after");
  const [objectId, hostname] = [textAt(object, "id"), textAt(object, "hostname")];
  const whole = textAt(request, "path");
  const path = hostname === "" ? whole : whole.replace(objectId, () => hostname);
  const [, first, id = "", ...rest] = path.split("/");
  const zone = first === "zones" ? zones.get(id) : undefined;
  const shown = zone === undefined ? path : [zone, ...rest].join("/");
  return shown.replaceAll(/\b([0-9a-f]{6})[0-9a-f-]{20,}/g, "$1…");
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(11, 19);
}

/** The first product of a `User-Agent`, which names the program. */
function agentOf(agent: string): string {
  return agent.split(" ", 1)[0] ?? "";
}

/** How many changed fields to list before counting the rest. */
const MOST_CHANGES = 20;

function RequestDetails({ request }: { readonly request: Json }): JSX.Element {
  const query = textAt(request, "query");
  const path = `${textAt(request, "path")}${query === "" ? "" : `?${query}`}`;
  const body = textAt(request, "body");
  return (
    <div class="details">
      {isWrite(request) && <Changes request={request} />}
      <dl>
        <dt>Sent by</dt>
        <dd>
          <Value text={textAt(request, "agent") || "an unnamed client"} />
        </dd>
        {query !== "" && (
          <>
            <dt>Query</dt>
            <dd class="mono">
              <Value text={query} />
            </dd>
          </>
        )}
      </dl>
      <Command text={curlOf({ method: textAt(request, "method"), path, body: body === "" ? null : body })} />
    </div>
  );
}

function Changes({ request }: { readonly request: Json }): JSX.Element {
  const [before, after] = [at(request, "before") ?? null, at(request, "after") ?? null];
  const changes = changesBetween(before, after);
  const name = textAt(before ?? after, "hostname") || textAt(before ?? after, "name");
  if (before === null && after === null) return <p class="quiet">What it changed is shown while this page is open.</p>;
  if (changes.length === 0) return <p class="quiet">Nothing changed.</p>;
  if (after === null)
    return (
      <p>
        Deleted <Value text={name} />
      </p>
    );
  return (
    <>
      {before === null && (
        <p>
          Created <Value text={name} />
        </p>
      )}
      <ul class="changes">
        {changes.slice(0, MOST_CHANGES).map((change) => (
          <ChangeLine key={change.field} change={change} />
        ))}
      </ul>
      {changes.length > MOST_CHANGES && <p class="quiet">and {changes.length - MOST_CHANGES} more fields</p>}
    </>
  );
}

function ChangeLine({ change: { field, before, after } }: { readonly change: FieldChange }): JSX.Element {
  return (
    <li>
      <span class="quiet">
        <Value text={field} />
      </span>
      <span class="mono">
        {before !== undefined && (
          <del>
            <Value text={before} />
          </del>
        )}
        {before !== undefined && after !== undefined && " → "}
        {after !== undefined && (
          <ins>
            <Value text={after} />
          </ins>
        )}
      </span>
    </li>
  );
}
