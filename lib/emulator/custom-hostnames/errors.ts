import { ServiceError } from "../messages.ts";

/** HTTP status and text of the codes of custom hostnames (docs/service.md#custom-hostname-error-codes). */
const CODES = {
  1400: [400, "Unable to decode the JSON request body. Check your input and try again."],
  1401: [400, "Unable to encode the Custom Metadata as JSON. Check your input and try again."],
  1402: [400, "Zone ID is required. Check your input and try again."],
  1403: [400, "The request has no Authorization header. Check your input and try again."],
  1404: [
    403,
    "No quota has been allocated for this zone. If you are already a paid Cloudflare for SaaS customer, contact your Customer Success Manager for additional provisioning.",
  ],
  1405: [
    403,
    "Quota exceeded. If you are already a paid Cloudflare for SaaS customer, contact your Customer Success Manager for additional provisioning.",
  ],
  1406: [409, "Duplicate custom hostname found."],
  1407: [
    400,
    "Invalid custom hostname. Custom hostnames have to be smaller than 256 characters in length, cannot be IP addresses, cannot contain any special characters such as ``~`!@#$%^&*()=+{}[]\\",
  ],
  1408: [400, "Custom hostnames with non-ASCII characters are not supported. Check your input and try again."],
  1409: [
    400,
    "Reserved top domain custom hostnames, such as 'test', 'example', 'invalid' or 'localhost', is not supported. Check your input and try again.",
  ],
  1410: [400, "Unable to parse custom hostname - :reason. Check your input and try again."],
  1411: [
    400,
    "Custom hostnames ending in example.com, example.net, or example.org are prohibited. Check your input and try again.",
  ],
  1413: [
    403,
    "No custom metadata access has been allocated for this zone. If you are already a paid customer, contact your Customer Success Manager for additional provisioning.",
  ],
  1414: [
    403,
    "Access to setting a custom origin server has not been granted for this zone. If you are already a paid Cloudflare for SaaS customer, contact your Customer Success Manager for additional provisioning.",
  ],
  1415: [
    400,
    "Invalid custom origin hostname. Custom origin hostnames have to be smaller than 256 characters in length, cannot be IP addresses, cannot contain any special characters such as ``~`!@#$%^&*()=+{}[]\\",
  ],
  1416: [400, "Custom origin hostnames with non-ASCII characters are not supported. Check your input and try again."],
  1417: [
    400,
    "Reserved top domain custom origin hostnames, such as 'test', 'example', 'invalid' or 'localhost', is not supported. Check your input and try again.",
  ],
  1418: [400, "Unable to parse custom origin hostname - :reason. Check your input and try again."],
  1419: [
    400,
    "Custom origin hostnames ending in example.com, example.net, or example.org are prohibited. Check your input and try again.",
  ],
  1420: [400, "Wildcard custom origin hostnames are not supported. Check your input and try again."],
  1421: [
    400,
    "The custom origin hostname you specified does not exist on Cloudflare as a DNS record (A, AAAA or CNAME) in your zone::zone_tag. Check your input and try again.",
  ],
  1422: [400, "Invalid http2 setting. Only 'on' or 'off' is accepted. Check your input and try again."],
  1423: [400, "Invalid tls_1_2_only setting. Only 'on' or 'off' is accepted. Check your input and try again."],
  1424: [400, "Invalid tls_1_3 setting. Only 'on' or 'off' is accepted. Check your input and try again."],
  1425: [
    400,
    "Invalid min_tls_version setting. Only '1.0','1.1','1.2' or '1.3' is accepted. Check your input and try again.",
  ],
  1426: [400, "The certificate that you uploaded cannot be parsed. Check your input and try again."],
  1427: [400, "The certificate that you uploaded is empty. Check your input and try again."],
  1428: [400, "The private key you uploaded cannot be parsed. Check your input and try again."],
  1429: [400, "The private key you uploaded does not match the certificate. Check your input and try again."],
  1430: [400, "The custom CSR ID is invalid. Check your input and try again."],
  1431: [404, "The custom CSR was not found."],
  1432: [
    400,
    "The validation method is not supported. Only `http`, `email`, or `txt` are accepted. Check your input and try again.",
  ],
  1433: [400, "The validation type is not supported. Only 'dv' is accepted. Check your input and try again."],
  1434: [400, "The SSL attribute is invalid. Refer to the API documentation, check your input and try again."],
  1435: [400, "The custom hostname ID is invalid. Check your input and try again."],
  1436: [404, "The custom hostname was not found."],
  1437: [
    400,
    "Invalid hostname.contain query parameter. The hostname.contain query parameter has to be smaller than 256 characters in length, cannot be IP addresses, cannot contain any special characters such as ``~`!@#$%^&*()=+{}[]\\",
  ],
  1438: [
    400,
    "Cannot specify other filter parameters in addition to `id`. Only one must be specified. Check your input and try again.",
  ],
  1439: [409, "Modifying the custom hostname is not supported. Check your input and try again."],
  1440: [400, "Both validation type and validation method are required. Check your input and try again."],
  1441: [
    400,
    "The certificate that you uploaded is having trouble bundling against the public trust store. Check your input and try again.",
  ],
  1442: [
    400,
    "Invalid `ciphers` setting. Refer to the documentation for the list of accepted cipher suites. Check your input and try again.",
  ],
  1443: [
    400,
    "Cipher suite selection is not supported for a minimum TLS version of 1.3. Check your input and try again.",
  ],
  1444: [
    400,
    "The certificate chain that you uploaded has multiple leaf certificates. Check your input and try again.",
  ],
  1445: [400, "The certificate chain that you uploaded has no leaf certificates. Check your input and try again."],
  1446: [
    400,
    "The certificate that you uploaded does not include the custom hostname - :custom_hostname. Review your input and try again.",
  ],
  1447: [
    400,
    "The certificate that you uploaded does not use a supported signature algorithm. Only SHA-256/ECDSA, SHA-256/RSA, and SHA-1/RSA signature algorithms are supported. Review your input and try again.",
  ],
  1448: [
    400,
    "Custom hostnames with wildcards are not supported for certificates managed by Cloudflare. Review your input and try again.",
  ],
  1449: [400, "The request input `bundle_method` must be one of: ubiquitous, optimal, force."],
  1459: [403, "Choosing a certificate authority needs the Enterprise plan"],
  1469: [400, "Since no host has 64 characters or fewer, cloudflare_branding is required"],
} as const;

/** The code of an error of custom hostnames. */
export type HostnameCode = keyof typeof CODES;

/** The error with that code. The detail stands where its usual text has a place for one, and else instead of that text. */
export function hostnameError(code: HostnameCode, detail?: string): ServiceError {
  const [status, text] = CODES[code];
  if (detail === undefined) return new ServiceError(status, { code, message: text });
  const place = /:(reason|zone_tag|custom_hostname)/;
  return new ServiceError(status, { code, message: place.test(text) ? text.replace(place, () => detail) : detail });
}
