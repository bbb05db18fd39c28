import { effectOf, inOrder } from "./page-rules.ts";
import type { PageRule } from "./record.ts";

/** A page rule with the expression that matches the requests to which it applies. */
export interface Applied {
  readonly rule: PageRule;
  readonly expression: string;
}

/** The page rules that turn the previous managed rules off, each for what it applies to. */
export function offExpressions(rules: readonly PageRule[]): Applied[] {
  return applied(rules, (rule) => ["disable-security", "waf-off"].includes(effectOf(rule)));
}

/** The page rules that turn the previous managed rules on, each for what it applies to. */
export function onExpressions(rules: readonly PageRule[]): Applied[] {
  return applied(rules, (rule) => effectOf(rule) === "waf-on");
}

/**
 * Only the first page rule that matches applies, so a rule's expression excludes what an active rule before it
 * matches, unless that one has the same effect.
 */
function applied(rules: readonly PageRule[], isKind: (rule: PageRule) => boolean): Applied[] {
  const found: Applied[] = [];
  const before: PageRule[] = [];
  for (const rule of inOrder(rules)) {
    if (isKind(rule)) found.push({ rule, expression: without(rule, before) });
    else if (rule.status === "active") before.push(rule);
  }
  return found;
}

function without(rule: PageRule, before: readonly PageRule[]): string {
  const own = matching(rule.url);
  if (before.length === 0) return own;
  return `(${own}) and not (${before.map(({ url }) => matching(url)).join(" or ")})`;
}

/** A URL pattern without a scheme is for both schemes. */
function matching(url: string): string {
  const pattern = url.includes("://") ? url : `http*://${url}`;
  return `http.request.full_uri wildcard "${pattern.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** The page rule that applies to a URL such as `https://saas.net/x`, if one does. */
export function ruleFor(rules: readonly PageRule[], url: string): PageRule | undefined {
  return inOrder(rules).find((rule) => rule.status === "active" && isMatch(rule.url, url));
}

function isMatch(pattern: string, url: string): boolean {
  const subject = pattern.includes("://") ? url : url.replace(/^https?:\/\//, "");
  const parts = pattern.split("*").map((part) => part.replaceAll(/[.?+^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "i").test(subject);
}
