import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";

interface DialogProps {
  readonly title: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A window above the page, which Escape closes. */
export function Dialog({ title, onClose, children }: DialogProps): JSX.Element {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => place.current?.showModal(), []);
  return (
    <dialog
      ref={place}
      class="sheet"
      aria-labelledby="dialog-title"
      onClose={onClose}
      onClick={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div class="dialog">
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="button plain small" aria-label="Close" onClick={() => place.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** A field of a form, with its name above it. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <label class="field">
      <span class="label">{label}</span>
      {children}
      {hint !== undefined && <span class="quiet hint">{hint}</span>}
    </label>
  );
}

/** What was refused, where the reader is looking. */
export function Refusal({ text }: { readonly text: string | undefined }): JSX.Element {
  return (
    <div role="alert" class="refusal">
      {text !== undefined && (
        <p>
          <Icon name="warning" /> {text}
        </p>
      )}
    </div>
  );
}
