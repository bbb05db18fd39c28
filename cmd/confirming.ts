import { createInterface } from "node:readline/promises";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import { type Context, print } from "./context.ts";

/** What to ask, what is answered to a no, and what to do where nobody is there to ask. */
export interface Question {
  readonly ask: string;
  readonly declined: string;
  /** What it is that nobody is there to approve. */
  readonly what: string;
  readonly remedy: string;
}

/** Asks whether to go on; only `yes` is taken as approval. Throws `Refusal` where nobody is there to ask. */
export async function confirmWithUser(context: Context, question: Question): Promise<boolean> {
  if (!context.stdin.isTTY) throw new Refusal([nobodyToAsk(question)]);
  const asking = createInterface({ input: context.stdin, output: context.stderr });
  // While it is asked, the terminal gives Ctrl-C as a key and not as a signal.
  asking.on("SIGINT", () => process.emit("SIGINT"));
  try {
    const answer = await asking.question(`\n${question.ask} Only yes is taken as approval: `, {
      signal: context.signal,
    });
    if (answer.trim() === "yes") return true;
    print(context.stderr, question.declined);
    return false;
  } catch {
    context.signal.throwIfAborted();
    // Ctrl-D: the input ended without an answer.
    print(context.stderr, `\n${question.declined}`);
    return false;
  } finally {
    asking.close();
  }
}

function nobodyToAsk({ what, remedy }: Question): ReturnType<typeof error> {
  return error({
    code: "not-approved",
    message: `nobody is there to approve ${what}: standard input is no terminal`,
    remedy,
  });
}
