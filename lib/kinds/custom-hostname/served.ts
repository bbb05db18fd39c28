import { optionalText, texts } from "../../core/decode.ts";
import { formatPath, type JsonObject, type Path, valueAt, withValueAt } from "../../core/json.ts";
import type { Live } from "../live.ts";
import type { Uploading } from "../traits/compared.ts";
import { CERTIFICATE_STANDINGS } from "./states.ts";
import { uploadedFingerprints } from "./upload.ts";

const CERTIFICATES: readonly Path[] = [
  ["ssl", "custom_certificate"],
  ["ssl", "custom_cert_bundle"],
];

const UPLOADS: readonly Path[] = [...CERTIFICATES, ["ssl", "custom_key"]];

/** Whether a field is part of an upload. */
export function isUpload(path: Path): boolean {
  return UPLOADS.some((upload) => formatPath(upload) === formatPath(path));
}

/**
 * The live values, with values for an upload where the fingerprints of the served certificates tell what happened to
 * it, because the service never shows uploads. `comparable` and the applied values have fingerprints in place of secret
 * references.
 */
export function asServed(uploading: Uploading, comparable: JsonObject): Live {
  const { live } = uploading;
  const served = servedBy(uploading, comparable);
  switch (served) {
    case "none":
    case "as-applied":
    case "unknown":
      return live;
    case "as-desired":
      return withLeaves(live, UPLOADS, (path) => valueAt(comparable, path));
    case "another":
      return withLeaves(live, CERTIFICATES, (path) =>
        valueAt(comparable, path) === undefined ? undefined : `sha256:${shown(live).join("+")}`,
      );
    default:
      return served satisfies never;
  }
}

/** Whether we cannot tell if an uploaded certificate is the one that is served. */
export function isUnknownUpload(uploading: Uploading, comparable: JsonObject): boolean {
  return servedBy(uploading, comparable) === "unknown";
}

type Served = "none" | "as-applied" | "as-desired" | "another" | "unknown";

function servedBy({ desired, prior, live, certificateOf }: Uploading, comparable: JsonObject): Served {
  const declared = CERTIFICATES.filter((path) => valueAt(desired, path) !== undefined);
  if (declared.length === 0) return "none";
  const served = new Set(shown(live));
  const isServed = (some: readonly string[]): boolean => some.every((one) => served.has(one));
  const uploads = certificateOf && uploadedFingerprints(desired, certificateOf);
  const isUnchanged = declared.every((path) => formatLeaf(comparable, path) === formatLeaf(prior?.applied ?? {}, path));
  const applied = prior?.uploaded ?? (isUnchanged ? uploads : undefined);
  if (served.size === 0 || isRollingOut(live) || !(uploads ?? applied)) return "unknown";
  if (applied && isServed(applied)) return "as-applied";
  return uploads && isServed(uploads) ? "as-desired" : "another";
}

function formatLeaf(values: JsonObject, path: Path): string {
  return JSON.stringify(valueAt(values, path) ?? null);
}

function shown({ status }: Live): readonly string[] {
  return texts(status, "certificate_fingerprints");
}

/** The previous certificate is served until the new one is rolled out. */
function isRollingOut({ status }: Live): boolean {
  const state = optionalText(status, "ssl_status") ?? "active";
  return CERTIFICATE_STANDINGS[state]?.phase === "under way";
}

function withLeaves(live: Live, paths: readonly Path[], leafAt: (path: Path) => JsonObject[string] | undefined): Live {
  const values = paths.reduce((known, path) => {
    const leaf = leafAt(path);
    return leaf === undefined ? known : withValueAt(known, path, leaf);
  }, live.values);
  return { ...live, values };
}
