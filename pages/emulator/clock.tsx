import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { type Json, numberAt, textAt } from "../parts/json.ts";
import { call } from "./server.ts";

/** How often to look at the emulator's clock: somebody may move it with curl. */
const LOOK_MILLISECONDS = 5000;

/** A reading of the emulator's clock, and when it was read. */
interface Reading {
  readonly now: number;
  readonly rate: number;
  readonly readAt: number;
}

function readingOf(result: Json): Reading {
  return { now: Date.parse(textAt(result, "now")), rate: numberAt(result, "rate"), readAt: performance.now() };
}

/** The clock of the emulator, with buttons to move and to stop it. Calls `onMoved` when what it shows may have changed. */
export function Clock({ onMoved }: { readonly onMoved: () => void }): JSX.Element {
  const [reading, setReading] = useState<Reading>();
  const [, tick] = useState(0);
  /** How fast the clock ran before it was stopped. */
  const usualRate = useRef(1);
  const show = useCallback(
    async (method: string, body?: Json): Promise<void> => {
      try {
        const { result } = await call(method, "/clock", body);
        const fresh = readingOf(result);
        setReading(fresh);
        if (fresh.rate > 0) usualRate.current = fresh.rate;
        onMoved();
      } catch {
        // The emulator is gone; the list of requests says so.
      }
    },
    [onMoved],
  );
  useEffect(() => {
    const look = (): void => {
      if (document.hidden) return;
      void show("GET");
    };
    look();
    const looking = setInterval(look, LOOK_MILLISECONDS);
    const ticking = setInterval(() => tick((count) => count + 1), 500);
    return () => {
      clearInterval(looking);
      clearInterval(ticking);
    };
  }, [show]);
  const move = (body: Json): void => void show("POST", body);
  const isStopped = reading?.rate === 0;
  const shown = reading === undefined ? undefined : reading.now + (performance.now() - reading.readAt) * reading.rate;
  const [date = "", time = ""] = shown === undefined ? [] : new Date(shown).toISOString().split(/[T.]/);
  return (
    <div class="clock" role="group" aria-label="The emulator's clock">
      <div class="time">
        <Icon name="clock" />
        <span class="mono">
          <span>{date}</span> <b>{time}</b>
        </span>
        <span class="quiet">{reading !== undefined && rateText(reading.rate)}</span>
      </div>
      <div class="moves">
        <button type="button" class="button small" onClick={() => move({ advance_seconds: 60 })}>
          +1 minute
        </button>
        <button type="button" class="button small" onClick={() => move({ advance_seconds: 86_400 })}>
          +1 day
        </button>
        <button type="button" class="button small" onClick={() => move({ rate: isStopped ? usualRate.current : 0 })}>
          <Icon name={isStopped ? "play" : "pause"} /> {isStopped ? "Run" : "Stop"}
        </button>
      </div>
    </div>
  );
}

function rateText(rate: number): string {
  if (rate === 0) return "UTC, stopped";
  return rate === 1 ? "UTC" : `UTC, ${rate} times as fast`;
}
