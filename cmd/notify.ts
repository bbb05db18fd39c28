import { problem, Refusal, warning } from "../lib/core/diagnostic.ts";
import { EXIT } from "../lib/core/exit-code.ts";
import { defined } from "../lib/core/json.ts";
import { realClock, realRandom } from "../lib/real/clock.ts";
import { runUrlOf } from "../lib/real/world.ts";
import { notCheckedNotice, type Notice, noticeDocument, noticeForSlack } from "../lib/report/notice.ts";
import { undiciHttp } from "../lib/service/undici-http.ts";
import { NOTIFY_URL, secretsInWebhook } from "../lib/core/webhook-address.ts";
import { postToWebhook, readWebhook, type Webhook } from "../lib/service/webhook.ts";
import type { Context } from "./context.ts";
import { diagnosticsOf, isInterruption, printDiagnostics } from "./failure.ts";
import type { CommonOptions } from "./flags.ts";

/** Flags of commands that can notify. */
export interface NotifyFlags extends CommonOptions {
  readonly notify?: string;
}

/** Sends a notice; does nothing if no webhook is named. Never throws, and never changes the exit code. */
export type Notify = (notice: () => Notice) => Promise<void>;

/** How long one attempt may take. */
const ATTEMPT_MILLISECONDS = 10_000;

/** The same after an interruption: what stopped the command may soon kill it. */
const HURRIED_MILLISECONDS = 5_000;

/** Reads the webhook of `--notify` or the environment, and hides its address. Throws `Refusal` for a bad address. */
export function openNotify(context: Context, flags: NotifyFlags): Notify {
  if (flags.notify === undefined && !context.env[NOTIFY_URL]) return async () => undefined;
  for (const secret of secretsInWebhook(flags.notify ?? "")) context.redaction.learn(secret);
  const read = readWebhook(flags.notify, context.env);
  if (!read.ok) throw new Refusal(read.diagnostics);
  const webhook = read.value;
  if (!webhook) return async () => undefined;
  return async (found) => {
    const { host } = new URL(webhook.url.reveal());
    const reason = await send(context, webhook, found).catch((thrown: unknown) =>
      thrown instanceof Error ? thrown.message : "it was interrupted",
    );
    if (reason !== undefined)
      await printDiagnostics(context, flags, [warning(problem("not-notified", { host, reason }))]);
  };
}

/** Returns why the notice could not be sent; undefined if it was. */
async function send(context: Context, webhook: Webhook, found: () => Notice): Promise<string | undefined> {
  const notice = { ...found(), ...defined({ runUrl: runUrlOf(context.env) }) };
  const document = webhook.format === "slack" ? noticeForSlack(notice) : noticeDocument(notice);
  const isHurried = context.signal.aborted;
  const http = undiciHttp({ totalMilliseconds: isHurried ? HURRIED_MILLISECONDS : ATTEMPT_MILLISECONDS });
  const sending = { http, clock: realClock, random: realRandom, ...(isHurried ? {} : { signal: context.signal }) };
  const body = context.redaction.redact(JSON.stringify(document));
  try {
    return await postToWebhook(webhook, body, sending, isHurried ? 1 : undefined);
  } finally {
    await http.close();
  }
}

/** Runs a drift check. If it throws, the notice says why, and the error is rethrown. */
export async function notifyingFailure<T>(context: Context, notify: Notify, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    const exitCode = thrown instanceof Refusal ? thrown.exitCode : EXIT.error;
    if (!isInterruption(context, thrown)) {
      const diagnostics = await diagnosticsOf(thrown);
      await notify(() => notCheckedNotice(diagnostics, exitCode));
    }
    throw thrown;
  }
}
