/** A longer address is none of a run; and the sentence with the link has to fit whatever else is left out. */
const LONGEST_LINK = 1000;

/** What stays as it is in the target of a link; everything else could end it or mean something in Markdown. */
const UNSAFE = /[^\w\-.~:/?=%+,;@#&[\]]/g;

/**
 * The target of a link, ready to stand in `[words](<target>)`; undefined for what is no address of the web, what holds
 * credentials, and what is too long.
 */
export function linkTarget(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined;
  const url = new URL(link);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  if (url.username !== "" || url.password !== "") return undefined;
  const target = url.href.replace(UNSAFE, percent).replaceAll("&", "&amp;");
  return target.length <= LONGEST_LINK ? target : undefined;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
