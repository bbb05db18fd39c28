import { escape } from "../lib/report/escape/terminal.ts";
import { type Context, print } from "./context.ts";

/** Prints lines that hold what others wrote (addresses, marks of locks): none of it can move the cursor or hide. */
export function printSafe(context: Context, text: string): void {
  print(context.stdout, text.split("\n").map(escape).join("\n"));
}
