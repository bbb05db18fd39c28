import type { Core } from "../core.ts";
import { settle } from "../lifecycle.ts";
import { edgeRequest, type EdgeAnswer } from "./request.ts";

/** The emulated edge, as visitors see it. */
export interface Edge {
  /** Answers a request for a host at the present time. */
  request(host: string, path?: string): EdgeAnswer;
}

/** The edge of a service. */
export function createEdge(core: Core): Edge {
  return {
    request: (host, path) => {
      settle(core);
      return edgeRequest(core, host, path);
    },
  };
}
