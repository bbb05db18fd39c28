import { isForbiddenAddress, isLoopbackAddress } from "./address.ts";
import { HttpFailure } from "./http.ts";

/** An address as the system's lookup returns it. */
export interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

type Answer = (failure: NodeJS.ErrnoException | null, found: string | FoundAddress[], family?: number) => void;

/** How Node looks up a name when it connects: one address, or all of them. */
export type Lookup = (name: string, options: { all?: boolean | undefined }, answer: Answer) => void;

/** Which addresses we may connect to: with TLS, all but the forbidden ones; without TLS, only this machine. */
export function mayConnect(address: string, isEncrypted: boolean): boolean {
  return isEncrypted ? !isForbiddenAddress(address) : isLoopbackAddress(address);
}

/** The failure of a connection that we refuse because of its address. Nothing was sent. */
export function forbidden(name: string): HttpFailure {
  const message = `${name} leads to an address that no token is sent to`;
  return new HttpFailure(message, false, { reason: "forbidden" });
}

/**
 * Wraps a lookup so that it returns only addresses that we may connect to. Node connects to exactly these and does not
 * look up the name again, so a name that changes its answer (rebinding) gains nothing.
 */
export function checkedLookup(lookup: Lookup, isEncrypted: boolean): Lookup {
  return (name, options, answer) => {
    lookup(name, { ...options, all: true }, (failure, found) => {
      if (failure !== null || typeof found === "string") return answer(failure ?? forbidden(name), []);
      const allowed = found.filter(({ address }) => mayConnect(address, isEncrypted));
      const [first] = allowed;
      if (first === undefined) return answer(forbidden(name), []);
      return options.all === true ? answer(null, allowed) : answer(null, first.address, first.family);
    });
  };
}
