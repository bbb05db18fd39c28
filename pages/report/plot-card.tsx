import type { JSX } from "preact";
import { Bars, Line } from "../parts/plots.tsx";
import { Value } from "../parts/value.tsx";
import type { PlotData } from "./report-page.d.ts";

/** A plot with its title, and its numbers as a table for those who would rather read. */
export function PlotCard({ plot: { title, sort, points } }: { readonly plot: PlotData }): JSX.Element {
  return (
    <figure class="sheet plot-card">
      <figcaption>
        <h2>{title}</h2>
      </figcaption>
      {sort === "bars" ? (
        <Bars label={title} bars={points.map(({ label, amount }) => ({ label, count: amount }))} />
      ) : (
        <Course title={title} points={points} />
      )}
    </figure>
  );
}

function Course({ title, points }: Pick<PlotData, "title" | "points">): JSX.Element {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return <p class="quiet">no numbers yet</p>;
  const most = points.reduce((most, { amount }) => Math.max(most, amount), 0);
  return (
    <>
      <Line
        label={`${title}: from ${first.amount} (${day(first.label)}) to ${last.amount} (${day(last.label)}), at most ${most}`}
        points={points.map(({ label, amount }, index) => ({
          x: MOMENT.test(label) ? Date.parse(label) : index,
          y: amount,
          label: `${day(label)}: ${amount.toLocaleString("en")}`,
        }))}
        ends={[day(first.label), day(last.label)]}
      />
      <details class="numbers">
        <summary>Numbers</summary>
        <table>
          <tbody>
            {points.map(({ label, amount }) => (
              <tr key={label}>
                <th scope="row">
                  <Value text={day(label)} />
                </th>
                <td>{amount.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** A moment (RFC 3339). Any other label stands as far from the one before as each. */
const MOMENT = /^\d{4}-\d\d-\d\dT/;

/** A moment to the minute: `2026-12-01 06:00`; any other label as it is. */
function day(label: string): string {
  return MOMENT.test(label) ? label.slice(0, 16).replace("T", " ") : label;
}
