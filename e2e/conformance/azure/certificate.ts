import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a self-signed certificate for the given host names, valid for one day. */
export function createCertificate(
  openssl: string,
  hosts: readonly string[],
): { readonly key: string; readonly certificate: string } {
  const folder = mkdtempSync(join(tmpdir(), "certificate-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  try {
    const names = `subjectAltName=${hosts.map((host) => `DNS:${host}`).join(",")}`;
    const form = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=azure", "-addext", names];
    execFileSync(openssl, [...form, "-keyout", key, "-out", certificate], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), certificate: readFileSync(certificate, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
