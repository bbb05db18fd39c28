import { useCallback, useEffect, useState } from "preact/hooks";
import type { Json } from "../parts/json.ts";
import { type Answer, asDashboard, Refused } from "./server.ts";

/** What a list on the page shows: the last answer, while the next one is on its way. */
export interface Loaded {
  readonly answer: Answer | undefined;
  readonly refused: string | undefined;
}

/** Reads a path of the service as the dashboard does, and again with each revision. An older answer never replaces a newer one. */
export function useDashboard(path: string, revision: number): Loaded {
  const [loaded, setLoaded] = useState<Loaded & { readonly path: string }>({
    path,
    answer: undefined,
    refused: undefined,
  });
  useEffect(() => {
    let isStale = false;
    asDashboard("GET", path).then(
      (answer) => isStale || setLoaded({ path, answer, refused: undefined }),
      (error: unknown) => isStale || setLoaded({ path, answer: undefined, refused: messageOf(error) }),
    );
    return () => {
      isStale = true;
    };
  }, [path, revision]);
  return loaded.path === path ? loaded : { answer: undefined, refused: undefined };
}

/** Runs something that the emulator may refuse; says whether it runs, and what was refused. */
export function useAttempt(): {
  readonly isBusy: boolean;
  readonly refused: string | undefined;
  readonly attempt: (act: () => Promise<unknown>) => void;
} {
  const [isBusy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const attempt = useCallback((act: () => Promise<unknown>) => {
    setBusy(true);
    setRefused(undefined);
    act()
      .catch((error: unknown) => setRefused(messageOf(error)))
      .finally(() => setBusy(false));
  }, []);
  return { isBusy, refused, attempt };
}

/** What to say about an error: the emulator's own words, if it refused. */
export function messageOf(error: unknown): string {
  if (error instanceof Refused) return error.message;
  return error instanceof Error ? error.message : String(error);
}

/** What every part of the page needs of a zone. */
export interface ZoneProps {
  readonly zone: Json;
  /** Grows when something may have changed. */
  readonly revision: number;
  /** Called after an edit on the page. */
  readonly onEdited: () => void;
}
