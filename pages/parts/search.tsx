import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface SearchProps {
  /** What is searched, as a screen reader and the empty field say it. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A search field that `/` focuses from anywhere outside of a field, and Escape empties. */
export function Search({ label, value, onChange }: SearchProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, []);
  return (
    <label class="search">
      <Icon name="search" />
      <span class="unseen">{label}</span>
      <input
        ref={field}
        type="search"
        value={value}
        placeholder={label}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => event.key === "Escape" && onChange("")}
      />
      {value === "" && <kbd aria-hidden="true">/</kbd>}
    </label>
  );
}
