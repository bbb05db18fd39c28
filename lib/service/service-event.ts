/** An event to show to a waiting user. Times are ms since the epoch. */
export type ServiceEvent =
  | {
      readonly type: "waiting";
      /**
       * The reasons: our share of the calls is used up, the minute's certificates are used up, the rest is left to
       * others, or the service asked for a pause.
       */
      readonly reason: "api-budget" | "issuance-limit" | "others-share" | "throttled";
      readonly untilMilliseconds: number;
    }
  | {
      readonly type: "retrying";
      readonly request: string;
      readonly because: string;
      readonly delayMilliseconds: number;
    }
  /** Objects kept moving between pages, so some may be missing. Absence from such a list is not evidence. */
  | { readonly type: "incomplete-list"; readonly path: string; readonly seen: number; readonly total: number };

/** Receives events at once, and must not throw. */
export type Report = (event: ServiceEvent) => void;
