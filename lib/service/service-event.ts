/** Something that a person who waits may want to see. Times are ms since the epoch. */
export type ServiceEvent =
  | {
      readonly type: "waiting";
      /** Our share of the calls is used up, the minute's certificates are, the rest is left to others, or the service asked for a pause. */
      readonly reason: "api-budget" | "issuance-limit" | "others-share" | "throttled";
      readonly untilMilliseconds: number;
    }
  | {
      readonly type: "retrying";
      readonly request: string;
      readonly because: string;
      readonly delayMilliseconds: number;
    }
  /** Objects kept moving between pages: some may be missing. Absence from such a list is no evidence. */
  | { readonly type: "incomplete-list"; readonly path: string; readonly seen: number; readonly total: number };

/** Takes events, at once and without fail. */
export type Report = (event: ServiceEvent) => void;
