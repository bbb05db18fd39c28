import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A private certificate authority in a folder, made with openssl. */
export interface Authority {
  /** The path of its certificate. */
  readonly root: string;
  /** Issues a certificate for a common name, which is also its only DNS name. */
  issue(name: string): { readonly cert: string; readonly key: string; read(part: "cert" | "key"): string };
}

/** Whether this machine can make certificates. */
export function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Makes an authority. */
export function makeAuthority(folder: string, name: string): Authority {
  const path = (file: string): string => join(folder, `${name}-${file}`);
  const openssl = (...args: string[]): void => void execFileSync("openssl", args, { stdio: "pipe" });
  const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] as const;
  const root = path("root.crt");
  openssl(
    "req",
    "-x509",
    ...newKey,
    "-keyout",
    path("root.key"),
    "-out",
    root,
    "-days",
    "3650",
    "-subj",
    `/CN=${name}`,
  );
  return {
    root,
    issue: (subject) => {
      const [cert, key, request, names] = ["crt", "key", "csr", "ext"].map((end) => path(`${subject}.${end}`));
      if (!cert || !key || !request || !names) throw new TypeError("four paths");
      openssl("req", ...newKey, "-keyout", key, "-out", request, "-subj", `/CN=${subject}`);
      writeFileSync(names, `subjectAltName=DNS:${subject}\n`);
      const signing = ["-CA", root, "-CAkey", path("root.key"), "-CAcreateserial", "-days", "3650"];
      openssl("x509", "-req", "-in", request, ...signing, "-extfile", names, "-out", cert);
      return { cert, key, read: (part) => readFileSync(part === "cert" ? cert : key, "utf8") };
    },
  };
}
