import type { Clock, Random } from "../../lib/core/clock.ts";
import type { FileSystem } from "../../lib/core/file-system.ts";
import { Secret } from "../../lib/core/secret.ts";
import type { Service } from "../../lib/emulator.ts";
import type { ProjectWorld } from "../../lib/engine/world.ts";
import { ApiClient } from "../../lib/service/api-client.ts";
import type { FreshClient } from "../../lib/service/client.ts";
import { Governor } from "../../lib/service/governor.ts";
import { type Http, HttpFailure, type HttpRequest, type HttpResponse } from "../../lib/service/http.ts";
import type { ProjectStore } from "../../lib/state/zone/store.ts";
import { oneStore } from "./one-store.ts";
import { changedStore } from "./changed-store.ts";

/** What is between client and service. It passes requests on, or fails as a network does. `index` counts them from 1. */
export type Network = (request: HttpRequest, index: number, pass: () => Promise<HttpResponse>) => Promise<HttpResponse>;

/** What is between engine and store, for calls that change the store. `index` counts them from 1. */
export type Storage = <T>(index: number, pass: () => Promise<T>) => Promise<T>;

const ENDPOINT = { url: "https://api.test/client/v4", from: "--api-url" } as const;

/** The name of the project of every rig. */
export const PROJECT = "rig";

/** A process of the engine: what it works with, and how to kill it. */
export interface Process {
  readonly world: ProjectWorld;
  readonly gone: Promise<"crashed">;
  setNetwork(network: Network): void;
  setStorage(storage: Storage): void;
  crash(): void;
}

/** What a process needs. */
export interface ProcessParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly service: Service;
  readonly store: ProjectStore;
  readonly env: Record<string, string | undefined>;
  readonly fs: FileSystem;
}

/** Starts a process that knows nothing about earlier ones. */
export function openProcess({ clock, random, service, store, env, fs }: ProcessParts): Process {
  let network: Network = (_request, _index, pass) => pass();
  let storage: Storage = (_index, pass) => pass();
  let isGone = false;
  let die: (end: "crashed") => void = () => undefined;
  const gone = new Promise<"crashed">((resolve) => {
    die = resolve;
  });
  let requests = 0;
  let writes = 0;

  /** Carries out a call of the process. A call of a dead process never arrives and never ends. */
  async function alive<T>(act: () => Promise<T>): Promise<T> {
    if (isGone) await new Promise<never>(() => undefined);
    const result = await act();
    if (isGone) await new Promise<never>(() => undefined);
    return result;
  }

  const http: Http = {
    send: (request) => {
      requests += 1;
      const index = requests;
      return alive(() => network(request, index, () => alive(() => exchange(service, clock, request))));
    },
  };
  const change = <T>(act: () => Promise<T>): Promise<T> => {
    writes += 1;
    const index = writes;
    return alive(() => storage(index, () => alive(act)));
  };
  const guarded: ProjectStore = changedStore(store, {
    write: (zone, lease, expected, lines, beside) => change(() => store.write(zone, lease, expected, lines, beside)),
    keep: (zone, lease, name, lines, discard) => change(() => store.keep(zone, lease, name, lines, discard)),
    discard: (zone, lease, name) => change(() => store.discard(zone, lease, name)),
    append: (zone, lease, lines) => change(() => store.append(zone, lease, lines)),
    lock: (zone, holder, waitMilliseconds, signal) => alive(() => store.lock(zone, holder, waitMilliseconds, signal)),
  });
  let client: FreshClient | undefined;
  const stores = oneStore(guarded);
  const credentials = { scheme: "token", token: new Secret("all") } as const;
  return {
    world: {
      fs,
      openStores: async () => stores,
      stores,
      store: stores.of(PROJECT),
      project: PROJECT,
      clock,
      random,
      env,
      connect: (budget) => {
        client ??= new ApiClient({
          http,
          endpoint: ENDPOINT,
          credentials,
          governor: new Governor({ budget, clock }),
          clock,
          random,
        });
        return client;
      },
    },
    gone,
    setNetwork: (next) => {
      network = next;
      requests = 0;
    },
    setStorage: (next) => {
      storage = next;
      writes = 0;
    },
    crash: () => {
      isGone = true;
      die("crashed");
    },
  };
}

/** Sends a request to the emulator without sockets, and makes of a broken connection what a client would see. */
async function exchange(service: Service, clock: Clock, request: HttpRequest): Promise<HttpResponse> {
  const { pathname, searchParams } = new URL(request.url);
  const answer = service.handle({
    method: request.method,
    path: pathname,
    query: searchParams,
    headers: request.headers,
    ...(request.body === undefined ? {} : { body: request.body }),
  });
  if (answer.delayMilliseconds > 0) await clock.sleep(answer.delayMilliseconds);
  switch (answer.connection) {
    case "kept":
      return { status: answer.status, headers: answer.headers, body: answer.body };
    case "destroyed":
    case "cut":
      throw new HttpFailure("the connection was cut", true, { reason: "cut" });
    default:
      return answer.connection satisfies never;
  }
}
