import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Dialog, Refusal } from "./dialog.tsx";
import { type Json, listAt, numberAt, textAt } from "../parts/json.ts";
import { call } from "./server.ts";
import { useAttempt } from "./use.ts";

/** The faults that the emulator knows, in words; docs/emulator.md#faults lists them with their options. */
const FAULTS = {
  "The connection": {
    slow: "Answers come a second late",
    "lost-request": "Breaks before the request takes effect",
    "lost-reply": "Breaks after the request took effect",
    truncated: "Answers break off in the middle",
  },
  "The answers": {
    throttle: "Refused as too many requests",
    status: "Status 500",
    html: "A proxy answers with a page of HTML",
    "gateway-json": "A gateway answers with JSON of its own",
    "no-content": "204 without a body, though it took effect",
    "null-result": "No result, though it took effect",
    "wrong-object": "Another object than the one asked for",
  },
  "The lists": {
    "stale-list": "Lists are one write old",
    "reordered-list": "Lists come in another order each time",
    "shifted-list": "Pages begin one object late",
  },
} as const;

/** The faults that are ordered now, and whether the emulator has been asked yet. */
export function useFaults(revision: number): readonly Json[] {
  const [orders, setOrders] = useState<readonly Json[]>([]);
  useEffect(() => {
    let isStale = false;
    call("GET", "/faults").then(
      ({ result }) => isStale || setOrders(listAt(result)),
      () => undefined,
    );
    return () => {
      isStale = true;
    };
  }, [revision]);
  return orders;
}

interface FaultsProps {
  readonly orders: readonly Json[];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** A switch for each sort of fault. One that is on hits every request of clients, until it is switched off. */
export function Faults({ orders, onChanged, onClose }: FaultsProps): JSX.Element {
  const { isBusy, refused, attempt } = useAttempt();
  const act = (steps: () => Promise<unknown>): void => attempt(() => steps().finally(onChanged));
  const ordersOf = (kind: string): readonly Json[] =>
    orders.filter((each) => textAt(each, "order", "fault", "kind") === kind);
  const flip = (kind: string): void =>
    act(async () => {
      const present = ordersOf(kind);
      if (present.length === 0) await call("POST", "/faults", { fault: kind, rate: 1 });
      for (const order of present) await call("DELETE", `/faults/${numberAt(order, "id")}`);
    });
  return (
    <Dialog title="Make requests fail" onClose={onClose}>
      <p class="quiet">
        Every request of a client fails like this until you switch it off. This page and the dashboard are spared.
      </p>
      <Refusal text={refused} />
      {Object.entries(FAULTS).map(([group, faults]) => (
        <section key={group} class="faults">
          <h3 class="label">{group}</h3>
          <ul>
            {Object.entries(faults).map(([kind, text]) => (
              <li key={kind}>
                <span id={`fault-${kind}`}>
                  {text} <code class="quiet">{kind}</code>
                </span>
                <button
                  type="button"
                  role="switch"
                  class="switch"
                  aria-checked={ordersOf(kind).length > 0}
                  aria-labelledby={`fault-${kind}`}
                  disabled={isBusy}
                  onClick={() => flip(kind)}
                />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <footer>
        <span />
        <button
          type="button"
          class="button"
          disabled={isBusy || orders.length === 0}
          onClick={() => act(() => call("DELETE", "/faults"))}
        >
          <Icon name="close" /> All off
        </button>
      </footer>
    </Dialog>
  );
}
