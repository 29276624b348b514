import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import { parseCertificate } from "./certificate.ts";
import { listPackets, removeArmour } from "./packets.ts";
import { parseSignature, type Signature } from "./signature.ts";

/** What is to be proven: that the owner of the key with this fingerprint has signed these bytes. */
export interface SignedFile {
  readonly bytes: Buffer;
  /** Detached, armoured or not. */
  readonly signature: Buffer;
  /** The certificate; it may come from anywhere, since its fingerprint must be the one that is trusted. */
  readonly certificate: Buffer;
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** Throws unless the file is signed by the trusted key, or by a subkey that it vouches for, while that was valid. */
export function verifySignature(file: SignedFile): void {
  const { primary, signers } = parseCertificate(file.certificate);
  const trusted = file.fingerprint.replaceAll(/\s/g, "").toLowerCase();
  if (primary.fingerprint !== trusted) throw refuse(`the key is ${primary.fingerprint}, not ${trusted}`);
  const signatures = listPackets(removeArmour(file.signature))
    .filter(({ tag }) => tag === 2)
    .map(({ body }) => parseSignature(body));
  const reasons = signatures.flatMap((signature) => {
    const signer = signers.find(({ key }) => signature.issuer !== undefined && key.fingerprint.endsWith(signature.issuer));
    if (signature.type !== 0) return ["it is no signature of a file"];
    if (signer === undefined) return [`it is by ${signature.issuer ?? "nobody"}, which the key does not vouch for`];
    if (!signature.isBy(signer.key, [file.bytes])) return ["it is not a signature of this file"];
    const why = judgeTimes(signature, signer, file.nowMs / 1000);
    return why === undefined ? [] : [why];
  });
  if (signatures.length === 0) throw refuse("there is none");
  if (reasons.length === signatures.length) throw refuse(reasons.join("; "));
}

// A key that has ended since does not undo what it has signed before: old releases stay as good as they were.
function judgeTimes(
  signature: Signature,
  signer: { key: { createdAt: number }; until: number | undefined },
  now: number,
): string | undefined {
  const { createdAt, expiresAfter } = signature;
  if (createdAt < signer.key.createdAt) return "it is older than its key";
  if (signer.until !== undefined && createdAt >= signer.until)
    return "its key had ended when it was made: get the vendor's current key";
  if (expiresAfter !== undefined && createdAt + expiresAfter < now) return "it has ended";
  return undefined;
}

function refuse(why: string): Fault {
  return new Fault(terraformFaults.bad_signature, `the signature does not hold: ${why}`);
}
