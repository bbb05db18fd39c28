import { ApiError } from "./errors.ts";

/** Whether the service answered that the object is not there: HTTP 404, 1436 of the custom hostnames, or 1408 of the certificate packs. */
export function isNotFound(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.family === "certificate_packs" && error.has(1408)) return true;
  return error.status === 404 || (error.family === "custom_hostnames" && error.has(1436));
}
