import type { JSX } from "preact";
import { Icon } from "../parts/icon.tsx";
import { Value } from "../parts/value.tsx";
import { useState } from "preact/hooks";
import { Command } from "./command.tsx";
import { type Json, numberAt, textAt } from "../parts/json.ts";

interface ColleagueProps {
  /** What the emulator says of the edit. */
  readonly edit: Json;
  /** The latest requests, oldest first. */
  readonly requests: readonly Json[];
  readonly onClose: () => void;
}

/** Says that a colleague edited something, and what only when asked, or once Zoneform has looked at the zone. */
export function Colleague({ edit, requests, onClose }: ColleagueProps): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const hasLooked = requests.some((request) => isLook(request, edit));
  const isTold = isAsked || hasLooked;
  const zone = textAt(edit, "zone_name");
  return (
    <aside class={isTold ? "colleague told" : "colleague"} aria-label="A colleague">
      <Icon name="person" />
      <div role="status">
        {isTold ? (
          <>
            <p>
              <strong>
                The colleague <Value text={textAt(edit, "did")} />
              </strong>{" "}
              in <Value text={zone} />.
            </p>
            <p class="quiet">{hasLooked ? "Zoneform has looked. Did it name this?" : "Zoneform has not looked yet."}</p>
          </>
        ) : (
          <>
            <p>
              <strong>
                A colleague was in the dashboard of <Value text={zone} />
              </strong>
              , and something is no longer as you left it.
            </p>
            <p class="quiet">Find out in a terminal, in the folder of your project:</p>
          </>
        )}
      </div>
      {!hasLooked && <Command text="zoneform drift" />}
      <div class="act">
        {!isTold && (
          <button type="button" class="button small" onClick={() => setAsked(true)}>
            What did you do?
          </button>
        )}
        <button type="button" class="button plain small" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
    </aside>
  );
}

/** Whether Zoneform read the zone after the edit. */
function isLook(request: Json, edit: Json): boolean {
  return (
    textAt(request, "method") === "GET" &&
    textAt(request, "agent").startsWith("zoneform") &&
    textAt(request, "path").startsWith(`/zones/${textAt(edit, "zone_id")}/`) &&
    numberAt(request, "number") > numberAt(edit, "after_request")
  );
}
