import { createSocket, type RemoteInfo } from "node:dgram";
import {
  type Answer,
  type CaaData,
  type DecodedPacket,
  decode,
  encode,
  type Question,
  RECURSION_AVAILABLE,
} from "dns-packet";
import { onTestFinished } from "vitest";

/** What the server does for one name: answer with its records (CAA as in `0 issue "pki.goog"`), fail, refuse, or stay silent. */
export type NameAnswers =
  | {
      readonly cname?: string;
      readonly a?: readonly string[];
      readonly aaaa?: readonly string[];
      readonly caa?: readonly string[];
    }
  | "servfail"
  | "refused"
  | "silence";

/** The names that exist, in lower case. For any other name the server answers NXDOMAIN. */
export type Names = Readonly<Record<string, NameAnswers>>;

/** A DNS server on loopback that answers like a resolver: its answers follow aliases. */
export interface DnsServer {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** Every question so far, as `TYPE name`. A question that the resolver repeated because the answer was slow counts once. */
  readonly questions: readonly string[];
  /** Whether some names never get an answer. Only then does a client have to time out. */
  readonly isSilent: boolean;
}

/** How many aliases a resolver follows. It takes a longer chain for a loop, and fails. */
const ALIASES_LIMIT = 8;

const NXDOMAIN = 3;
const CODES = { servfail: 2, refused: 5 } as const;

/** Starts a server for the running test, and stops it when the test ends. */
export async function startDnsServer(names: Names): Promise<DnsServer> {
  const questions: string[] = [];
  const asked = new Set<string>();
  const socket = createSocket("udp4");
  socket.on("message", (message: Buffer, from: RemoteInfo) => {
    const packet = decode(message);
    const [question] = packet.questions ?? [];
    if (!question) return;
    const { type, name } = question;
    // On a busy machine a resolver times out within a quarter of a second, and asks again under the same id.
    const isRepeated = asked.has(`${packet.id} ${type} ${name}`);
    asked.add(`${packet.id} ${type} ${name}`);
    if (!isRepeated) questions.push(`${type} ${name}`);
    const reply = replyTo(names, packet, question);
    if (reply) socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  const isSilent = Object.values(names).includes("silence");
  return { address: `127.0.0.1:${socket.address().port}`, questions, isSilent };
}

function replyTo(names: Names, asked: DecodedPacket, question: Question): Buffer | undefined {
  const answers: Answer[] = [];
  let name = question.name;
  let found = names[name.toLowerCase()];
  while (typeof found === "object" && found.cname !== undefined && question.type !== "CNAME") {
    answers.push({ type: "CNAME", name, ttl: 60, data: found.cname });
    name = found.cname;
    found = answers.length > ALIASES_LIMIT ? "servfail" : names[name.toLowerCase()];
  }
  if (found === "silence") return undefined;
  const code = found === undefined ? NXDOMAIN : typeof found === "string" ? CODES[found] : 0;
  if (typeof found === "object") answers.push(...recordsOf(name, found, question.type));
  const flags = (asked.flags ?? 0) | RECURSION_AVAILABLE | code;
  return encode({ type: "response", id: asked.id ?? 0, flags, questions: [question], answers });
}

function recordsOf(name: string, found: Exclude<NameAnswers, string>, type: string): Answer[] {
  const ttl = 60;
  switch (type) {
    case "CNAME":
      return found.cname === undefined ? [] : [{ type, name, ttl, data: found.cname }];
    case "A":
      return (found.a ?? []).map((data) => ({ type, name, ttl, data }));
    case "AAAA":
      return (found.aaaa ?? []).map((data) => ({ type, name, ttl, data }));
    case "CAA":
      return (found.caa ?? []).map((text) => ({ type, name, ttl, data: caa(text) }));
    default:
      return [];
  }
}

const TAGS = ["issue", "issuewild", "iodef"] as const;

function caa(text: string): CaaData {
  const [, flags, name, value = ""] = /^(\d+) (\w+) "(.*)"$/.exec(text) ?? [];
  const tag = TAGS.find((known) => known === name);
  if (tag === undefined) throw new Error(`${text} is no CAA record that this server can give`);
  return { flags: Number(flags), tag, value };
}
