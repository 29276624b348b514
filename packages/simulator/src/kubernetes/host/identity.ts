import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, type KeyObject } from "node:crypto";
import { bitString, integer, octets, oid, sequence, setOf, tagged, time, toPem, utf8 } from "../../wire/der.ts";

/** A private key and its certificate. */
export interface Identity {
  readonly keyPem: string;
  readonly certificatePem: string;
  readonly key: KeyObject;
  readonly name: Buffer;
}

const lifetimeMs = 20 * 365 * 86_400_000;
const ed25519 = sequence(oid("2b6570"));

/**
 * Derives bytes for one purpose from the installation's secret. Everything that must survive a restart is derived this way, so no secrets
 * are stored with clusters.
 */
export function derive(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "cloudwright simulated kubernetes", purpose, 32));
}

/** Creates the certificate authority of a cluster or the host. The same secret, name and time always produce the same certificate. */
export function createAuthority(secret: string, commonName: string, fromMs: number): Identity {
  const key = keyFrom(derive(secret, `authority ${commonName}`));
  const name = nameOf(commonName);
  // Key usage: digitalSignature, keyCertSign, cRLSign.
  const usage = bitString(1, Buffer.from([0x86]));
  const extensions = [
    sequence(oid("551d13"), critical, octets(sequence(tagged(0x01, Buffer.from([0xff]))))),
    sequence(oid("551d0f"), critical, octets(usage)),
  ];
  return issue({ key, name, issuerKey: key, issuerName: name, fromMs, extensions });
}

/** Creates a server certificate for names and IPv4 addresses, signed by a certificate authority. */
export function createServerIdentity(
  secret: string,
  authority: Identity,
  names: readonly string[],
  addresses: readonly string[],
  fromMs: number,
): Identity {
  const key = keyFrom(derive(secret, `server ${names.join(" ")}`));
  const alternatives = [
    ...names.map((name) => tagged(0x82, Buffer.from(name))),
    ...addresses.map((address) => tagged(0x87, Buffer.from(address.split(".").map(Number)))),
  ];
  const extensions = [
    sequence(oid("551d0f"), critical, octets(bitString(7, Buffer.from([0x80])))),
    sequence(oid("551d25"), octets(sequence(oid("2b06010505070301")))),
    sequence(oid("551d11"), octets(sequence(...alternatives))),
  ];
  return issue({
    key,
    name: nameOf(names[0] ?? "server"),
    issuerKey: authority.key,
    issuerName: authority.name,
    fromMs,
    extensions,
  });
}

const critical = tagged(0x01, Buffer.from([0xff]));

interface Request {
  readonly key: KeyObject;
  readonly name: Buffer;
  readonly issuerKey: KeyObject;
  readonly issuerName: Buffer;
  readonly fromMs: number;
  readonly extensions: readonly Buffer[];
}

function issue({ key, name, issuerKey, issuerName, fromMs, extensions }: Request): Identity {
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" });
  const serial = createHash("sha256").update(publicKey).update(name).update(String(fromMs)).digest().subarray(0, 15);
  const toSign = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), serial])),
    ed25519,
    issuerName,
    sequence(time(fromMs - 86_400_000), time(fromMs + lifetimeMs)),
    name,
    publicKey,
    tagged(0xa3, sequence(...extensions)),
  );
  const der = sequence(toSign, ed25519, bitString(0, sign(null, toSign, issuerKey)));
  return { keyPem: String(key.export({ type: "pkcs8", format: "pem" })), certificatePem: toPem(der), key, name };
}

function nameOf(commonName: string): Buffer {
  return sequence(setOf(sequence(oid("550403"), utf8(commonName))));
}

// Any 32 bytes are a valid Ed25519 key, and its signatures are deterministic.
function keyFrom(seed: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
