import type { PlannedWrite, SubscriptionNeed } from "../traits/judged.ts";

/**
 * The features of a hostname that not every subscription has (docs/service.md#limits-by-plan). Looks only at written
 * fields: what is live already was allowed once.
 */
export function subscription({ action, key, leaves }: PlannedWrite): readonly SubscriptionNeed[] {
  const written = new Map(
    leaves.flatMap(({ path, after }) => (after === undefined || after === null ? [] : [[path.join("."), after]])),
  );
  const hasOneOf = (...names: readonly string[]): boolean =>
    [...written.keys()].some((path) => names.some((name) => path === name || path.startsWith(`${name}.`)));
  const authority = written.get("ssl.certificate_authority") ?? "default";
  const isUpload = hasOneOf("ssl.custom_certificate", "ssl.custom_key", "ssl.custom_cert_bundle", "ssl.custom_csr_id");
  const isNewWildcard = (action === "create" || action === "replace") && key.startsWith("*.") && hasOneOf("ssl");
  return [
    ...(authority === "default" || authority === "" ? [] : [AUTHORITY]),
    ...(!isUpload && (written.get("ssl.wildcard") === true || isNewWildcard) ? [WILDCARD] : []),
    ...(isUpload ? [UPLOAD] : []),
    ...(hasOneOf("custom_metadata") ? [METADATA] : []),
    ...(hasOneOf("custom_origin_sni") ? [SNI] : []),
  ];
}

const enterprise = (what: string, answer: string, remedy: string): SubscriptionNeed => ({
  what,
  least: "enterprise",
  answer,
  remedy,
});

const AUTHORITY = enterprise(
  "choosing a certificate authority",
  "1459",
  "set ssl.certificate_authority: default, or leave it out",
);
const WILDCARD = enterprise("a wildcard certificate", "1448", "list the names one by one, without ssl.wildcard");
const UPLOAD = enterprise(
  "uploading a certificate",
  "1434",
  "have Cloudflare issue it: leave the uploaded certificate out",
);
const METADATA = enterprise("custom metadata", "1413", "leave custom_metadata out");
const SNI = enterprise("a custom origin SNI", "an error", "leave custom_origin_sni out");
