import type { JSX } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { pageData, start } from "../parts/start.tsx";
import { Value } from "../parts/value.tsx";
import { Clock } from "./clock.tsx";
import { Colleague } from "./colleague.tsx";
import { Command } from "./command.tsx";
import { Field, Refusal } from "./dialog.tsx";
import { Faults, useFaults } from "./faults.tsx";
import { Hostnames } from "./hostnames.tsx";
import { at, type Json, listAt, numberAt, textAt } from "../parts/json.ts";
import { Requests } from "./requests.tsx";
import { Rules } from "./rules.tsx";
import { call, follow, setToken } from "./server.ts";
import { Settings } from "./settings.tsx";
import { useAttempt, useDashboard, type ZoneProps } from "./use.ts";

/** How many requests the page shows. */
const RECENT = 50;

const VIEWS = { hostnames: "Hostnames", rules: "Rules", settings: "Settings", requests: "Requests" } as const;

type View = keyof typeof VIEWS;

function Page(): JSX.Element {
  const [revision, setRevision] = useState(0);
  const onChanged = useCallback(() => setRevision((count) => count + 1), []);
  const { requests, isConnected } = useRequests(onChanged);
  const zones = useDashboard("/zones?per_page=50", revision).answer;
  const orders = useFaults(revision);
  const [chosen, setChosen] = useState("");
  const [view, setView] = useState<View>("hostnames");
  const [areFaultsOpen, setFaultsOpen] = useState(false);
  const [edit, setEdit] = useState<Json>(null);
  const { isBusy, refused, attempt } = useAttempt();
  const list = listAt(zones?.result);
  const zone = list.find((each) => textAt(each, "id") === chosen) ?? list[0];
  const actAsColleague = (): void =>
    attempt(async () => {
      setEdit(null);
      const { result } = await call("POST", "/colleague");
      setEdit(result);
      onChanged();
    });
  return (
    <div class="emulator">
      <header class="top">
        <h1>
          <Mark /> Zoneform <span>emulator</span>
        </h1>
        <Clock onMoved={onChanged} />
        <div class="play">
          <button type="button" class={orders.length > 0 ? "button bad" : "button"} onClick={() => setFaultsOpen(true)}>
            <Icon name="bolt" /> <span class="word">Faults</span>
            {orders.length > 0 && <span>{orders.length}</span>}
          </button>
          <button type="button" class="button main" disabled={isBusy} onClick={actAsColleague}>
            <Icon name="person" /> Be a colleague
          </button>
        </div>
      </header>
      <Refusal text={refused} />
      {edit !== null && <Colleague edit={edit} requests={requests} onClose={() => setEdit(null)} />}
      <div class="columns" data-view={view}>
        <Zones zones={list} total={zones?.total ?? 0} zone={zone} onChoose={setChosen} />
        <main class="sheet">
          {zone !== undefined && <ZoneHeader zone={zone} />}
          <Views view={view} onChoose={setView} />
          {zone !== undefined && (
            <ZoneView key={textAt(zone, "id")} view={view} zone={zone} revision={revision} onEdited={onChanged} />
          )}
        </main>
        <div class="sheet side">
          <Requests
            requests={requests}
            isConnected={isConnected}
            zones={new Map(list.map((each) => [textAt(each, "id"), textAt(each, "name")]))}
          />
        </div>
      </div>
      {areFaultsOpen && <Faults orders={orders} onChanged={onChanged} onClose={() => setFaultsOpen(false)} />}
    </div>
  );
}

function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 2l12 7v14l-12 7-12-7V9z" />
      <path d="M11 11h10l-10 10h10" />
    </svg>
  );
}

/** An apply writes many times a second: the page looks again once for all writes of this time. */
const WRITES_MILLISECONDS = 300;

/** The latest requests, as they come. Writes call `onWrite`. */
function useRequests(onWrite: () => void): { readonly requests: readonly Json[]; readonly isConnected: boolean } {
  const [requests, setRequests] = useState<readonly Json[]>([]);
  const [isConnected, setConnected] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const listener = {
      onRequests: (fresh: readonly Json[]) => {
        // An emulator that was started again counts from 1.
        const isOlder = (request: Json): boolean => numberAt(request, "number") < numberAt(fresh[0], "number");
        setRequests((present) => [...present.filter(isOlder), ...fresh].slice(-RECENT));
        if (fresh.some((request) => textAt(request, "method") !== "GET"))
          waiting ??= setTimeout(() => {
            waiting = undefined;
            onWrite();
          }, WRITES_MILLISECONDS);
      },
      onForgotten: () => setRequests([]),
      onConnected: setConnected,
    };
    void follow(listener, ending.signal);
    return () => {
      ending.abort();
      clearTimeout(waiting);
    };
  }, [onWrite]);
  return { requests, isConnected };
}

interface ZonesProps {
  readonly zones: readonly Json[];
  readonly total: number;
  readonly zone: Json | undefined;
  readonly onChoose: (id: string) => void;
}

function Zones({ zones, total, zone, onChoose }: ZonesProps): JSX.Element {
  return (
    <nav class="zones" aria-label="Zones">
      <h2 class="label">Zones</h2>
      <ul>
        {zones.map((each) => (
          <li key={textAt(each, "id")}>
            <button
              type="button"
              class="button plain"
              aria-current={each === zone}
              onClick={() => onChoose(textAt(each, "id"))}
            >
              <Value text={textAt(each, "name")} />
            </button>
          </li>
        ))}
      </ul>
      {total > zones.length && <p class="quiet">and {total - zones.length} more, which the page does not show</p>}
      <details class="connect" open>
        <summary class="label">Point a client here</summary>
        <Command text={`export CLOUDFLARE_BASE_URL=${location.origin}/client/v4`} />
        <p class="quiet small">
          and <code>CLOUDFLARE_API_TOKEN</code> to one of its tokens.
        </p>
      </details>
    </nav>
  );
}

function ZoneHeader({ zone }: { readonly zone: Json }): JSX.Element {
  return (
    <div class="zone-header">
      <h2>
        <Value text={textAt(zone, "name")} />
      </h2>
      <p class="quiet small">
        <Value text={textAt(zone, "plan", "legacy_id")} /> plan
        <code>{textAt(zone, "id")}</code>
      </p>
    </div>
  );
}

/** On a phone the requests are a view of their own; on a desk they stand beside the others. */
function Views({ view, onChoose }: { readonly view: View; readonly onChoose: (view: View) => void }): JSX.Element {
  const views: readonly View[] = ["hostnames", "rules", "settings", "requests"];
  return (
    <nav class="views" aria-label="Views">
      {views.map((each) => (
        <button key={each} type="button" class={each} aria-current={view === each} onClick={() => onChoose(each)}>
          {VIEWS[each]}
        </button>
      ))}
    </nav>
  );
}

function ZoneView({ view, ...props }: { readonly view: View } & ZoneProps): JSX.Element {
  switch (view) {
    case "rules":
      return <Rules {...props} />;
    case "settings":
      return <Settings {...props} />;
    case "hostnames":
    case "requests":
      return <Hostnames {...props} />;
    default:
      return view satisfies never;
  }
}

/** Asks for the token of a guarded emulator before it shows anything. */
function Guarded(): JSX.Element {
  const [given, setGiven] = useState("");
  const [isOpen, setOpen] = useState(false);
  const { isBusy, refused, attempt } = useAttempt();
  if (isOpen) return <Page />;
  return (
    <main class="guard sheet">
      <h1>
        <Mark /> Zoneform <span>emulator</span>
      </h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setToken(given);
          attempt(async () => {
            await call("GET", "/clock");
            setOpen(true);
          });
        }}
      >
        <Field
          label="Token"
          hint="The value of ZONEFORM_EMULATOR_TOKEN where the emulator runs. It stays in this window."
        >
          <input
            type="password"
            autocomplete="current-password"
            required
            value={given}
            onInput={(event) => setGiven(event.currentTarget.value)}
          />
        </Field>
        <Refusal text={refused} />
        <button type="submit" class="button main" disabled={isBusy}>
          Open
        </button>
      </form>
    </main>
  );
}

start(at(pageData(), "isGuarded") === true ? <Guarded /> : <Page />);
