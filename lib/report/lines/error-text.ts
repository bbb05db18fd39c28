import { neverCommand } from "../escape/github-log.ts";
import { escape } from "../escape/terminal.ts";

/** Causes of causes are shown so far; an error can be its own cause. */
const MOST_CAUSES = 8;

/** The stack of what was thrown, and of what caused it, each line made safe: a message may hold what a service said. */
export function errorText(thrown: unknown): string {
  return causes(thrown)
    .map((each, index) => `${index === 0 ? "" : "caused by: "}${stackOf(each)}`)
    .flatMap((text) => text.split("\n"))
    .map((line) => neverCommand(escape(line)))
    .join("\n");
}

function causes(thrown: unknown): readonly unknown[] {
  const found = [thrown];
  for (let next = causeOf(thrown); next !== undefined && found.length < MOST_CAUSES; next = causeOf(next))
    found.push(next);
  return found;
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error ? thrown.cause : undefined;
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
