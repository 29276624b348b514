import type { FieldViolation } from "@cloudwright/platform";
import { invalid } from "../calls/decode.ts";
import { textAt } from "../entities/json-tree.ts";
import { generateKeyPair, readPrivateKey, readPublicKey, renderFingerprint } from "@cloudwright/platform/openssh-key";
import { formerPrivateHalf, privateHalf } from "../ssh-keys/rotation.ts";
import type { AdmittedEntity, KindRules } from "./kind-rules.ts";

export const sshKeyRules: KindRules = {
  complete(spec, secrets) {
    const { [privateHalf]: given } = secrets;
    if (textAt(spec, "publicKey") !== "") return { spec, secrets };
    if (given !== undefined) return { spec: { ...spec, publicKey: readPrivateKey(given)?.publicKey ?? "" }, secrets };
    const { publicKey, privateKey } = generateKeyPair();
    return { spec: { ...spec, publicKey }, secrets: { ...secrets, [privateHalf]: privateKey } };
  },
  // If a spec omits the public key, the current one is kept.
  normalise: (spec, current) => ({ ...spec, publicKey: textAt(spec, "publicKey").trim() || textAt(current, "publicKey") }),
  renderStatus(spec, secretsSet) {
    const { type = "", key = "" } = readPublicKey(textAt(spec, "publicKey")) ?? {};
    return { secretsSet: secretsSet.filter((name) => name !== formerPrivateHalf), type, fingerprint: renderFingerprint(key) };
  },
  async admit(_deps, _call, key) {
    const fields = listProblems(key);
    if (fields.length > 0) throw invalid("the SshKey", fields);
  },
};

function listProblems({ spec, secrets }: AdmittedEntity): FieldViolation[] {
  const { [privateHalf]: given } = secrets;
  const file = given === undefined ? undefined : readPrivateKey(given);
  if (given !== undefined && file === undefined) {
    const message = "must be a private key in OpenSSH's format; `ssh-keygen -p -f FILE` converts older formats";
    return [{ field: privateHalf, message }];
  }
  if (file?.isEncrypted === true)
    return [{ field: privateHalf, message: "must not have a passphrase; `ssh-keygen -p -f FILE` removes it" }];
  const open = readPublicKey(textAt(spec, "publicKey"));
  if (open === undefined) return [{ field: "spec.publicKey", message: "is not a public key in OpenSSH's format" }];
  if (file === undefined || file.publicKey === open.key) return [];
  return [{ field: privateHalf, message: "does not match the public key" }];
}
