import { escape } from "../escape/terminal.ts";

/** A gauge with its values: what it means, and a value for each combination of labels. */
export interface Metric {
  /** The name without `zoneform_`. */
  readonly name: string;
  readonly help: string;
  readonly samples: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

/**
 * Gauges in the text format of Prometheus, as its collectors of text files read them. Metrics without a value are left
 * out. Values are whole numbers.
 */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, samples }) => [
      `# HELP zoneform_${name} ${help}`,
      `# TYPE zoneform_${name} gauge`,
      ...samples.map(({ labels, value }) => `zoneform_${name}${labelsText(labels)} ${value}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${labelText(value)}"`)
    .join(",")}}`;
}

/** A line break, an escape sequence and the like become visible first; then what would end the label. */
function labelText(value: string): string {
  return escape(value)
    .replaceAll("\\", String.raw`\\`)
    .replaceAll('"', String.raw`\"`);
}
