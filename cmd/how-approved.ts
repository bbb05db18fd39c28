/** Flags that say that a plan is approved. */
interface ApprovalFlags {
  readonly approve?: string;
  readonly expect?: string;
  readonly autoApprove?: boolean;
}

/** How a plan is approved that somebody is asked about. */
export const PROMPT = "prompt";

/** How a plan is approved, for the record of its run. */
export function howApproved({ approve, expect, autoApprove }: ApprovalFlags): string {
  if (approve !== undefined) return "--approve";
  if (expect !== undefined) return "--expect";
  return autoApprove ? "--auto-approve" : PROMPT;
}
