import { escape } from "./terminal.ts";

/** An invisible character: a mention that contains it mentions nobody. */
const BREAK = "\u200b";

/**
 * A text in a message for Slack, and for what takes the same format and reads Markdown. It is displayed nearly as it
 * is, and has no effect: it mentions nobody (`<!channel>`, `@here`), links nowhere (`<https://…|text>`), and begins no
 * code. Line ends stay.
 */
export function slackText(text: string): string {
  return text
    .split("\n")
    .map(escape)
    .join("\n")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("`", "'")
    .replace(/[@[](?=\S)/g, (mark) => `${mark}${BREAK}`)
    .replace(/:(?=\/\/)/g, `:${BREAK}`);
}
