import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../../faults.ts";
import { parseCertificate } from "./certificate.ts";
import { listPackets, removeArmour } from "./packets.ts";
import { parseSignature, type Signature } from "./signature.ts";

/** A file and the signature to verify. */
export interface SignedFile {
  readonly bytes: Buffer;
  /** Detached signature, ASCII-armoured or binary. */
  readonly signature: Buffer;
  /** Public key certificate. It may come from an untrusted source, because its fingerprint is compared with the trusted one. */
  readonly certificate: Buffer;
  readonly fingerprint: string;
  readonly nowMs: number;
}

/** Throws unless the trusted key, or a subkey that it certified, signed the file while the key was valid. */
export function verifySignature(file: SignedFile): void {
  const { primary, signers } = parseCertificate(file.certificate);
  const trusted = file.fingerprint.replaceAll(/\s/g, "").toLowerCase();
  if (primary.fingerprint !== trusted) throw refuse(`the key has the fingerprint ${primary.fingerprint}; expected ${trusted}`);
  const signatures = listPackets(removeArmour(file.signature))
    .filter(({ tag }) => tag === 2)
    .map(({ body }) => parseSignature(body));
  const reasons = signatures.flatMap((signature) => {
    const signer = signers.find(({ key }) => signature.issuer !== undefined && key.fingerprint.endsWith(signature.issuer));
    if (signature.type !== 0) return ["it is not a signature of a file"];
    if (signer === undefined)
      return [`it was made by ${signature.issuer ?? "an unknown key"}, which the trusted key does not certify`];
    if (!signature.isBy(signer.key, [file.bytes])) return ["it is not a signature of this file"];
    const why = judgeTimes(signature, signer, file.nowMs / 1000);
    return why === undefined ? [] : [why];
  });
  if (signatures.length === 0) throw refuse("there is no signature");
  if (reasons.length === signatures.length) throw refuse(reasons.join("; "));
}

// Checks validity at the time of signing, so that old releases stay valid after the key has expired.
function judgeTimes(
  signature: Signature,
  signer: { key: { createdAt: number }; until: number | undefined },
  now: number,
): string | undefined {
  const { createdAt, expiresAfter } = signature;
  if (createdAt < signer.key.createdAt) return "it is older than its key";
  if (signer.until !== undefined && createdAt >= signer.until)
    return "it was made after its key had expired; get the vendor's current key";
  if (expiresAfter !== undefined && createdAt + expiresAfter < now) return "it has expired";
  return undefined;
}

function refuse(why: string): Fault {
  return new Fault(terraformFaults.bad_signature, `the signature is not valid: ${why}`);
}
