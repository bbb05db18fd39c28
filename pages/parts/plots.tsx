import type { JSX } from "preact";
import type { Tone } from "./badge.tsx";
import { Value } from "./value.tsx";

/** A bar, and the words beside it. */
export interface Bar {
  readonly label: string;
  readonly count: number;
  readonly tone?: Tone;
}

/** Bars from left to right, one a line, with their counts as text. */
export function Bars({ label, bars }: { readonly label: string; readonly bars: readonly Bar[] }): JSX.Element {
  const most = Math.max(1, ...bars.map(({ count }) => count));
  return (
    <ul class="bars" aria-label={label}>
      {bars.map(({ label: name, count, tone = "quiet" }) => (
        <li class={tone} key={name}>
          <span>
            <Value text={name} />
          </span>
          <svg aria-hidden="true">
            <rect class="track" width="100%" height="8" rx="4" />
            {count > 0 && <rect width={`${Math.max(1, (100 * count) / most)}%`} height="8" rx="4" />}
          </svg>
          <span class="mono">{count.toLocaleString("en")}</span>
        </li>
      ))}
    </ul>
  );
}

/** A point of a line or among dots: where it stands on the axis, how high, and what it is called. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly label: string;
  readonly tone?: Tone;
}

interface PlotProps {
  /** What the plot says, in a sentence: a screen reader reads it in place of the picture. */
  readonly label: string;
  readonly points: readonly Point[];
  /** What stands below the left and the right end of the axis. */
  readonly ends: readonly [string, string];
}

const WIDTH = 400;
const HEIGHT = 80;

/** One line through points, in their order. */
export function Line({ label, points, ends }: PlotProps): JSX.Element {
  const at = scaled(points);
  return (
    <Plot label={label} ends={ends}>
      <polyline points={at.map(({ x, y }) => `${x},${y}`).join(" ")} />
      {at.map(({ x, y, point }) => (
        <circle class={point.tone} cx={x} cy={y} r="2.5" key={`${x} ${y}`}>
          <title>{point.label}</title>
        </circle>
      ))}
    </Plot>
  );
}

/** Dots, which may lie on each other. */
export function Dots({ label, points, ends }: PlotProps): JSX.Element {
  return (
    <Plot label={label} ends={ends}>
      {scaled(points).map(({ x, y, point }, index) => (
        <circle class={point.tone} cx={x} cy={y} r="3.5" key={index}>
          <title>{point.label}</title>
        </circle>
      ))}
    </Plot>
  );
}

function Plot({
  label,
  ends,
  children,
}: Omit<PlotProps, "points"> & {
  readonly children: JSX.Element | (JSX.Element | JSX.Element[])[] | JSX.Element[];
}): JSX.Element {
  return (
    <div class="plot">
      <svg role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
        {children}
      </svg>
      <div class="ends" aria-hidden="true">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </div>
    </div>
  );
}

/** Points in the plot's own units. The lowest value that an axis of counts has is 0. */
function scaled(
  points: readonly Point[],
): readonly { readonly x: number; readonly y: number; readonly point: Point }[] {
  const xs = points.map(({ x }) => x);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const top = Math.max(1, ...points.map(({ y }) => y));
  return points.map((point) => ({
    x: right === left ? WIDTH / 2 : round(4 + ((point.x - left) / (right - left)) * (WIDTH - 8)),
    y: round(HEIGHT - 4 - (point.y / top) * (HEIGHT - 8)),
    point,
  }));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
