import { createInterface } from "node:readline/promises";
import { error, Refusal } from "../lib/core/diagnostic.ts";
import { type Context, print } from "./context.ts";

/** What to ask, what to print after a no, and what to do if stdin is not a terminal. */
export interface Question {
  readonly ask: string;
  readonly declined: string;
  /** What needs the approval: `the plan`. */
  readonly what: string;
  readonly remedy: string;
  /** The command that says yes. */
  readonly command?: string;
  /** The same with the name of every object, for who answers `d`. */
  readonly full?: () => string;
}

/** The remedy of a question that a command with `--dry-run` asks. */
export const TRY_FIRST = "check it with --dry-run, then run it with --auto-approve";

/** Asks whether to continue; only `yes` is accepted. Throws `Refusal` if stdin is not a terminal. */
export async function confirmWithUser(context: Context, question: Question): Promise<boolean> {
  if (!context.stdin.isTTY) throw new Refusal([cannotAsk(question)]);
  const asking = createInterface({ input: context.stdin, output: context.stderr });
  // During the question, the terminal sends Ctrl-C as a key and not as a signal.
  asking.on("SIGINT", () => process.emit("SIGINT"));
  try {
    const { full = () => question.ask } = question;
    const hint = question.full === undefined ? "" : ', "d" shows every name';
    const ask = (): Promise<string> =>
      asking.question(`\n${question.ask} Only "yes" is accepted${hint}: `, { signal: context.signal });
    let answer = (await ask()).trim();
    while (answer === "d") {
      print(context.stderr, full());
      answer = (await ask()).trim();
    }
    if (answer === "yes") return true;
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

function cannotAsk({ what, remedy, command }: Question): ReturnType<typeof error> {
  return error({
    code: "not-approved",
    message: `cannot ask for approval of ${what}: stdin is not a terminal`,
    remedy,
    ...(command === undefined ? {} : { commands: [command] }),
  });
}
