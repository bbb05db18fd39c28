import { ServiceError } from "../messages.ts";

/** HTTP status and text of the codes of custom hostnames (docs/service.md#custom-hostname-error-codes). */
const CODES = {
  1400: [400, "Unable to decode the JSON request body"],
  1401: [400, "Unable to encode custom metadata as JSON"],
  1404: [403, "No quota has been allocated for this zone"],
  1405: [403, "Quota exceeded"],
  1406: [409, "Duplicate custom hostname found."],
  1407: [400, "Invalid custom hostname: use fewer than 256 characters, no IP address and no special characters"],
  1408: [400, "Custom hostnames may only contain ASCII characters"],
  1409: [400, "Custom hostnames may not end with a reserved TLD (test, example, invalid, localhost)"],
  1410: [400, "Custom hostname could not be parsed: it has no registrable domain"],
  1411: [400, "Custom hostnames may not end with example.com, example.net or example.org"],
  1412: [400, "Custom metadata is not supported on wildcard custom hostnames"],
  1413: [403, "Access to setting custom metadata has not been granted"],
  1414: [403, "Access to setting a custom origin server has not been granted"],
  1415: [400, "Invalid custom origin server"],
  1416: [400, "Custom origin servers may only contain ASCII characters"],
  1417: [400, "Custom origin servers may not end with a reserved TLD"],
  1418: [400, "Custom origin server could not be parsed"],
  1419: [400, "Custom origin servers may not end with example.com, example.net or example.org"],
  1420: [400, "Custom origin servers may not be wildcards"],
  1421: [400, "The custom origin server must be an A, AAAA or CNAME record of the zone"],
  1422: [400, "http2 must be on or off"],
  1423: [400, "tls_1_2_only must be on or off"],
  1424: [400, "tls_1_3 must be on or off"],
  1425: [400, "min_tls_version must be 1.0, 1.1, 1.2 or 1.3"],
  1426: [400, "The custom certificate could not be parsed"],
  1427: [400, "The custom certificate is empty"],
  1428: [400, "The custom key could not be parsed"],
  1429: [400, "The custom key does not match the certificate"],
  1430: [400, "The custom CSR id is invalid"],
  1431: [404, "The custom CSR could not be found"],
  1432: [400, "The validation method must be http, email or txt"],
  1433: [400, "The validation type must be dv"],
  1434: [400, "The SSL attribute is invalid"],
  1435: [400, "The custom hostname id is invalid"],
  1436: [404, "The custom hostname was not found."],
  1437: [400, "The hostname.contain parameter is invalid"],
  1438: [400, "No other filter may be used together with id"],
  1439: [409, "This modification is not supported"],
  1440: [400, "Both validation type and validation method are required"],
  1441: [400, "The certificate could not be bundled: its chain does not belong to it"],
  1442: [400, "Invalid ciphers"],
  1443: [400, "Ciphers cannot be set together with a minimum TLS version of 1.3"],
  1444: [400, "There is more than one leaf certificate"],
  1445: [400, "There is no leaf certificate"],
  1446: [400, "The custom certificate does not contain the custom hostname"],
  1447: [400, "The certificate is signed with a weak algorithm"],
  1448: [400, "Wildcards are not supported for this managed certificate"],
  1449: [400, "bundle_method must be ubiquitous, optimal or force"],
  1459: [403, "Choosing a certificate authority needs the Enterprise plan"],
  1469: [400, "Since no host has 64 characters or fewer, cloudflare_branding is required"],
} as const;

/** The code of an error of custom hostnames. */
export type HostnameCode = keyof typeof CODES;

/** The error with that code, with its usual text or another. */
export function hostnameError(code: HostnameCode, message?: string): ServiceError {
  const [status, text] = CODES[code];
  return new ServiceError(status, { code, message: message ?? text });
}
