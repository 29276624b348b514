import { createSign, generateKeyPairSync, randomBytes } from "node:crypto";
import { bitString, integer, octets, oid, sequence, setOf, tagged, time, toPem, utf8 } from "./der.ts";

/** A private key with its self-signed certificate. */
export interface SelfSigned {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly der: Buffer;
}

/**
 * Creates the certificate that a plug-in presents to Terraform. It uses P-256, is issued for `localhost`, works for both sides of mutual
 * TLS, and is valid for a day.
 */
export function createSelfSigned(nowMs: number): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(setOf(sequence(oid("550403"), utf8("localhost"))));
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const toSign = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(nowMs - 30_000), time(nowMs + 86_400_000)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions())),
  );
  const signature = createSign("sha256").update(toSign).sign(privateKey);
  const der = sequence(toSign, algorithm, bitString(0, signature));
  return { keyPem: String(privateKey.export({ type: "pkcs8", format: "pem" })), certificatePem: toPem(der), der };
}

function extensions(): Buffer[] {
  const critical = tagged(0x01, Buffer.from([0xff]));
  const isAuthority = sequence(tagged(0x01, Buffer.from([0xff])));
  // Key usage: digitalSignature, keyEncipherment, keyAgreement, keyCertSign. Go requires the number of unused bits to be two.
  const keyUsage = bitString(2, Buffer.from([0xac]));
  const purposes = sequence(oid("2b06010505070301"), oid("2b06010505070302"));
  const names = sequence(tagged(0x82, Buffer.from("localhost")));
  return [
    sequence(oid("551d13"), critical, octets(isAuthority)),
    sequence(oid("551d0f"), critical, octets(keyUsage)),
    sequence(oid("551d25"), octets(purposes)),
    sequence(oid("551d11"), octets(names)),
  ];
}
