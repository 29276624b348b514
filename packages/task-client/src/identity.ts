import { describeError, Fault } from "@cloudwright/platform";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "./atomic-file.ts";
import { taskClientFaults } from "./faults.ts";

/** The identity of an agent. The private key never leaves its directory. */
export interface AgentIdentity {
  readonly name: string;
  /** Uid of the Agent entity. Empty until the join was answered. */
  readonly uid: string;
  readonly project: string;
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

const fileName = "agent.json";

/** Reads the identity from a directory. Returns undefined if there is none. */
export function findIdentity(directory: string): AgentIdentity | undefined {
  const path = join(directory, fileName);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Fault(taskClientFaults.bad_identity, `${path} cannot be read: ${describeError(cause)}`, { cause });
  }
  const identity = parse(text);
  // Nothing of the file is repeated, because it may contain a key.
  if (identity === undefined) throw new Fault(taskClientFaults.bad_identity, `${path} is not an agent's identity file`);
  return identity;
}

/** Creates a key pair and stores it before it is sent, so that a join whose response was lost can be repeated. */
export async function createIdentity(directory: string, name: string): Promise<AgentIdentity> {
  const { publicKey, privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const identity: AgentIdentity = {
    name,
    uid: "",
    project: "",
    publicKey: await exportJWK(publicKey),
    privateKey: await exportJWK(privateKey),
  };
  saveIdentity(directory, identity);
  return identity;
}

/** Stores an identity atomically and durably, readable by its owner only. */
export function saveIdentity(directory: string, identity: AgentIdentity): void {
  writeFileAtomically(join(directory, fileName), `${JSON.stringify(identity, null, 2)}\n`);
}

function parse(text: string): AgentIdentity | undefined {
  try {
    const json = JSON.parse(text) as Partial<AgentIdentity>;
    const whole =
      typeof json.name === "string" &&
      typeof json.uid === "string" &&
      typeof json.privateKey?.d === "string" &&
      typeof json.publicKey?.x === "string";
    return whole ? { ...(json as AgentIdentity), project: json.project ?? "" } : undefined;
  } catch {
    return undefined;
  }
}
