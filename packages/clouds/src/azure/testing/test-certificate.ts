import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A private key with its self-signed certificate, both in PEM format. */
export interface TestCertificate {
  readonly key: string;
  readonly certificate: string;
}

/** Uses openssl to create a certificate for the loopback address. It is valid for one day. */
export function createTestCertificate(openssl: string): TestCertificate {
  const folder = mkdtempSync(join(tmpdir(), "fake-azure-"));
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  try {
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const output = ["-keyout", key, "-out", certificate];
    const form = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"];
    execFileSync(openssl, [...form, ...subject, ...output], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), certificate: readFileSync(certificate, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
