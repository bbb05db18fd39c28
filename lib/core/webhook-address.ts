import { Secret } from "./secret.ts";

/** The variable with the address of a webhook. */
export const NOTIFY_URL = "ZONEFORM_NOTIFY_URL";

/** The variable with the secret that signs what is sent there. */
export const NOTIFY_SECRET = "ZONEFORM_NOTIFY_SECRET";

/** The URL in an address such as `slack=https://…`. */
export function webhookUrlIn(given: string): string {
  return given.replace(/^slack=/, "");
}

/** What must never be printed of a webhook's address: the whole of it, and what follows the host. */
export function secretsInWebhook(given: string): readonly Secret[] {
  const text = webhookUrlIn(given);
  if (!URL.canParse(text)) return text === "" ? [] : [new Secret(text)];
  const { pathname, search, searchParams } = new URL(text);
  const parts = [text, `${pathname}${search}`, ...searchParams.values()];
  return parts.filter((part) => part !== "/" && part !== "").map((part) => new Secret(part));
}
