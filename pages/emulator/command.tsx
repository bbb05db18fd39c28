import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import { Value } from "../parts/value.tsx";

/** A command to copy into a terminal. */
export function Command({ text, label = "Copy" }: { readonly text: string; readonly label?: string }): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const shown = useRef<HTMLPreElement>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    } catch {
      // Without a clipboard, as by an address that is not this machine's, the text is marked to be copied by hand.
      if (shown.current !== null) getSelection()?.selectAllChildren(shown.current);
    }
  };
  return (
    <div class="command">
      <pre ref={shown} tabIndex={0} role="region" aria-label="Command">
        <Value text={text} />
      </pre>
      <button type="button" class="button small" onClick={() => void copy()}>
        <Icon name={isCopied ? "check" : "copy"} />
        <span role="status">{isCopied ? "Copied" : label}</span>
      </button>
    </div>
  );
}
