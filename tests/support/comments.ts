/** The parts of a Markdown comment, as a web page would show them. */
export interface CommentParts {
  /** Lines outside every fence. */
  readonly outside: readonly string[];
  /** The lines of each fence, in order. */
  readonly fences: readonly (readonly string[])[];
  /** The tags that open and close a fold, in order. */
  readonly folds: readonly string[];
  /** Whether the last fence was closed. */
  readonly isClosed: boolean;
}

/** Reads a comment by the rules of CommonMark: a fence ends at a line with at least as many backticks as it began with. */
export function commentParts(comment: string): CommentParts {
  const outside: string[] = [];
  const fences: string[][] = [];
  let fence: { ticks: number; lines: string[] } | undefined;
  for (const line of comment.split("\n")) {
    const ticks = /^ {0,3}(`{3,})/.exec(line)?.[1]?.length ?? 0;
    if (fence === undefined && ticks > 0) fence = { ticks, lines: [] };
    else if (fence === undefined) outside.push(line);
    else if (ticks >= fence.ticks && /^ {0,3}`+\s*$/.test(line)) {
      fences.push(fence.lines);
      fence = undefined;
    } else fence.lines.push(line);
  }
  const folds = outside.filter((line) => /^<\/?details/.test(line));
  return { outside, fences, folds, isClosed: fence === undefined };
}

/** How many changes the fences show. A heading names a change, or says how many there are. Hazards do not count. */
export function shownChanges(comment: string): number {
  const headings = commentParts(comment)
    .fences.flat()
    .flatMap(
      (line) =>
        /^(?:! )?(?:\+|~|-|-\/\+|<=) (?:create|update|delete|replace|adopt(?: and update)?) (.*)/.exec(line)?.[1] ?? [],
    );
  return headings.reduce((total, heading) => total + numberOf(/^([\d,]+) hostnames/.exec(heading)?.[1] ?? "1"), 0);
}

/** How many of what the last sentence says are not shown, by plural noun; empty if there is no such sentence. */
export function hiddenIn(comment: string): Readonly<Record<string, number>> {
  const said = /\n\*\*Not shown here: (.*)\*\*; the whole plan is in .*\n$/.exec(comment)?.[1];
  if (said === undefined) return {};
  const parts = [...said.matchAll(/([\d,]+) of [\d,]+ ([a-z ]+)/g)];
  return Object.fromEntries(parts.map(([, count = "", noun = ""]) => [plural(noun), numberOf(count)]));
}

function plural(noun: string): string {
  return noun.endsWith("s") ? noun : `${noun}s`;
}

function numberOf(text: string): number {
  return Number(text.replaceAll(",", ""));
}
