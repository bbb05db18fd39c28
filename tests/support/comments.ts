import { micromark } from "micromark";
import { gfm, gfmHtml } from "micromark-extension-gfm";

/** Markdown as a host displays it: CommonMark with GitHub's extensions, and tags left as they are. */
export function displayed(markdown: string): string {
  return micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });
}

/** The text of displayed Markdown, without tags, with entities read. */
export function displayedText(markdown: string): string {
  return displayed(markdown)
    .replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_entity, code) => String.fromCodePoint(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

/** All tags of displayed Markdown, in order: `<p>`, `</p>`, `<a href="…">`. */
export function displayedTags(markdown: string): readonly string[] {
  return displayed(markdown).match(/<[^>]*>/g) ?? [];
}

/** How many changes a comment shows. A heading names a change, or says how many there are. */
export function shownChanges(comment: string): number {
  const headings = comment
    .split("\n")
    .flatMap(
      (line) =>
        /^`(?:\+|~|-|-\/\+|<=)` (?:create|update|delete|replace|adopt(?: and update)?) (.*)/.exec(line)?.[1] ?? [],
    );
  return headings.reduce((total, heading) => total + numberOf(/^([\d,]+) hostnames/.exec(heading)?.[1] ?? "1"), 0);
}

/** How many of what a comment says are not shown, by plural noun; empty if it shows everything. */
export function hiddenIn(comment: string): Readonly<Record<string, number>> {
  const said = /\n\*\*Not shown here: (.*)\*\*; everything is in .*\n/.exec(comment)?.[1];
  if (said === undefined) return {};
  const parts = [...said.matchAll(/([\d,]+) of [\d,]+ ([a-z ]+)/g)];
  return Object.fromEntries(parts.map(([, count = "", noun = ""]) => [plural(noun), numberOf(count)]));
}

/** The word for several, also where there is only one in all: `change` is `changes`. */
function plural(noun: string): string {
  return noun.endsWith("s") ? noun : `${noun}s`;
}

function numberOf(text: string): number {
  return Number(text.replaceAll(",", ""));
}
