import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ADMIN_PREFIX, isBelow } from "../answer.ts";

/** The header that brings the admin token. */
const TOKEN_HEADER = "x-emulator-token";

/** Headers that do what the admin API does. */
const ADMIN_HEADERS = ["x-emulator-advance", "x-emulator-fault"];

/** Why a request may not use the admin API, in words; undefined where it may, or does not. Without a token everybody may. */
export function unauthorised({ headers, url = "/" }: IncomingMessage, token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const isAdmin = isBelow(pathOf(url), ADMIN_PREFIX) || ADMIN_HEADERS.some((name) => headers[name] !== undefined);
  const given = headers[TOKEN_HEADER];
  if (!isAdmin || (typeof given === "string" && isSame(given, token))) return undefined;
  return "the admin API of this emulator needs the header X-Emulator-Token with the value of ZONEFORM_EMULATOR_TOKEN";
}

/** The path of a target, which may be a whole URL. */
function pathOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?]*/, "").split("?", 1)[0] ?? "";
}

/** Takes as long for a wrong token as for the right one. */
function isSame(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
