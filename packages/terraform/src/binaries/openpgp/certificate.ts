import { listPackets, malformed, removeArmour, type Packet } from "./packets.ts";
import { parsePublicKey, type PublicKey } from "./public-key.ts";
import { parseSignature, type Signature } from "./signature.ts";

/** A primary key with the signing keys that its owner certified. */
export interface Certificate {
  readonly primary: PublicKey;
  /** Keys that may sign files, with their expiry in seconds since the epoch. `until` is undefined for keys that never expire. */
  readonly signers: readonly { readonly key: PublicKey; readonly until: number | undefined }[];
}

const signFiles = 0x02;

/** Parses a certificate. Ignores user IDs, subkeys and expiry times that the primary key has not signed. */
export function parseCertificate(file: Buffer): Certificate {
  const [first, ...rest] = listPackets(removeArmour(file));
  if (first?.tag !== 6) throw malformed("it does not start with a public key");
  const primary = parsePublicKey(first.body);
  const groups = groupByTarget(rest);
  const own = groups.flatMap(({ target, signatures }) => (target?.tag === 14 ? [] : judgeOwn(primary, target, signatures)));
  if (own.some(({ type }) => type === 0x20)) throw malformed("its owner has revoked the key");
  const newest = own.toSorted((a, b) => b.createdAt - a.createdAt)[0];
  if (newest === undefined) throw malformed("the key has no valid self-signature");
  const subkeys = groups.flatMap(({ target, signatures }) =>
    target?.tag === 14 ? judgeSubkey(primary, target, signatures) : [],
  );
  const mayPrimarySign = newest.keyFlags === undefined || (newest.keyFlags & signFiles) !== 0;
  return { primary, signers: [...(mayPrimarySign ? [{ key: primary, until: endOf(primary, newest) }] : []), ...subkeys] };
}

interface Group {
  readonly target: Packet | undefined;
  readonly signatures: Buffer[];
}

function groupByTarget(packets: readonly Packet[]): Group[] {
  const groups: Group[] = [{ target: undefined, signatures: [] }];
  for (const packet of packets) {
    // Ignore any further certificate in the same file.
    if (packet.tag === 6) break;
    if (packet.tag === 2) groups.at(-1)?.signatures.push(packet.body);
    else groups.push({ target: packet, signatures: [] });
  }
  return groups;
}

function judgeOwn(primary: PublicKey, target: Packet | undefined, signatures: readonly Buffer[]): Signature[] {
  const isName = target?.tag === 13;
  if (target !== undefined && !isName) return [];
  const data = isName ? [primary.framed, frameName(target.body)] : [primary.framed];
  const wanted = isName ? [0x10, 0x11, 0x12, 0x13] : [0x1f, 0x20];
  return readAll(signatures).filter((signature) => wanted.includes(signature.type) && signature.isBy(primary, data));
}

function judgeSubkey(primary: PublicKey, target: Packet, signatures: readonly Buffer[]): Certificate["signers"] {
  const key = parsePublicKey(target.body);
  const data = [primary.framed, key.framed];
  const valid = readAll(signatures).filter((signature) => [0x18, 0x28].includes(signature.type) && signature.isBy(primary, data));
  if (valid.some(({ type }) => type === 0x28)) return [];
  const newest = valid.toSorted((a, b) => b.createdAt - a.createdAt)[0];
  // A signing subkey must be cross-signed, or anyone could claim someone else's subkey.
  const answers = newest?.embedded?.type === 0x19 && newest.embedded.isBy(key, data);
  if (newest === undefined || !answers || ((newest.keyFlags ?? 0) & signFiles) === 0) return [];
  return [{ key, until: endOf(key, newest) }];
}

// Skips signatures that cannot be parsed. Third parties may certify a key with unsupported algorithms.
function readAll(bodies: readonly Buffer[]): Signature[] {
  return bodies.flatMap((body) => {
    try {
      return [parseSignature(body)];
    } catch {
      return [];
    }
  });
}

function frameName(name: Buffer): Buffer {
  const head = Buffer.from([0xb4, 0, 0, 0, 0]);
  head.writeUInt32BE(name.length, 1);
  return Buffer.concat([head, name]);
}

function endOf(key: PublicKey, signature: Signature): number | undefined {
  return signature.keyExpiresAfter === undefined ? undefined : key.createdAt + signature.keyExpiresAfter;
}
