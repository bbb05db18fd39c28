import type { Route } from "./call.ts";
import { success } from "./messages.ts";

/** The addresses of Cloudflare's edge, as published at <https://www.cloudflare.com/ips/>. */
const ADDRESSES = {
  ipv4_cidrs: [
    "173.245.48.0/20",
    "103.21.244.0/22",
    "103.22.200.0/22",
    "103.31.4.0/22",
    "141.101.64.0/18",
    "108.162.192.0/18",
    "190.93.240.0/20",
    "188.114.96.0/20",
    "197.234.240.0/22",
    "198.41.128.0/17",
    "162.158.0.0/15",
    "104.16.0.0/13",
    "104.24.0.0/14",
    "172.64.0.0/13",
    "131.0.72.0/22",
  ],
  ipv6_cidrs: [
    "2400:cb00::/32",
    "2606:4700::/32",
    "2803:f800::/32",
    "2405:b500::/32",
    "2405:8100::/32",
    "2a06:98c0::/29",
    "2c0f:f248::/32",
  ],
  etag: "38f79d050aa027e3be3865e495dcc9bc",
};

/** The only call without a credential. */
export const IPS_PATH = "/ips";

/** GET /ips. */
export function ipRoutes(): Route[] {
  const handler: Route["handler"] = ({ query }) =>
    success({ ...ADDRESSES, ...(query.get("networks") === "jdcloud" ? { jdcloud_cidrs: [] } : {}) });
  return [{ method: "GET", path: IPS_PATH, handler }];
}
