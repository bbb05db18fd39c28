import type { JSX } from "preact";
import { Value } from "./value.tsx";

/** How something stands. The words say it too, never the colour alone. */
export type Tone = "good" | "warn" | "danger" | "info" | "quiet";

/** Shows one or two words about the state of a thing. */
export function Badge({ tone, text }: { readonly tone: Tone; readonly text: string }): JSX.Element {
  return (
    <span class={`badge ${tone}`}>
      <Value text={text} />
    </span>
  );
}
