import type { Call, Route } from "../call.ts";
import { success, type Reply } from "../envelope.ts";
import { generalError } from "../errors.ts";
import { derive } from "../ids.ts";

/** GET /user/tokens/verify and GET /user (docs/service.md#tokens). */
export function tokenRoutes(): Route[] {
  return [
    { method: "GET", path: "/user/tokens/verify", handler: verify },
    { method: "GET", path: "/accounts/:account/tokens/verify", handler: verify },
    { method: "GET", path: "/user", handler: user },
  ];
}

/** Only a token can be verified: a global key asks for `/user`. */
function verify({ token }: Call): Reply {
  if (token.kind !== "token") throw generalError(10000);
  const message = { code: 10000, message: "This API Token is valid and active", type: null };
  return success({ id: token.id, status: token.status }, 200, [message]);
}

function user({ token }: Call): Reply {
  return success({
    id: derive(`user ${token.user}`).slice(0, 32),
    email: token.email,
    first_name: null,
    last_name: null,
    suspended: false,
    two_factor_authentication_enabled: false,
    has_enterprise_zones: true,
  });
}
