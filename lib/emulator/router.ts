import createRouter from "find-my-way";
import type { Route } from "./call.ts";
import { generalError } from "./messages.ts";

/** The route of a request, and the parameters in its path. */
interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** Finds the route of a method and path. */
export interface Router {
  /** Throws 7003 for an unknown path, and 7001 for a path that does not have the method (docs/service.md#error-codes). */
  find(method: string, path: string): Match;
}

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Creates a router over the routes. */
export function createApiRouter(routes: readonly Route[]): Router {
  const router = createRouter({ ignoreTrailingSlash: true });
  // The library returns the function that was registered, so each route is registered with a function of its own.
  const byMark = new Map<unknown, Route>();
  for (const route of routes) {
    const mark = (): void => undefined;
    byMark.set(mark, route);
    router.on(route.method, route.path, mark);
  }
  const lookup = (method: string, path: string): Match | undefined => {
    const known = METHODS.find((candidate) => candidate === method);
    const found = known === undefined ? null : router.find(known, path);
    const route = found === null ? undefined : byMark.get(found.handler);
    return route === undefined || found === null ? undefined : { route, params: found.params };
  };
  return {
    find: (method, path) => {
      const match = lookup(method, path);
      if (match !== undefined) return match;
      throw generalError(METHODS.some((other) => lookup(other, path) !== undefined) ? 7001 : 7003);
    },
  };
}
