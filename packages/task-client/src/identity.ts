import { describeError, Fault } from "@cloudwright/platform";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "./atomic-file.ts";
import { taskClientFaults } from "./faults.ts";

/** An agent's identity. The private key never leaves the agent's directory. */
export interface AgentIdentity {
  readonly name: string;
  /** Uid of the Agent entity. Empty until the server has accepted the join. */
  readonly uid: string;
  readonly project: string;
  readonly publicKey: JWK;
  readonly privateKey: JWK;
}

const fileName = "agent.json";

/** Reads the identity file. Returns undefined if the file does not exist. */
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
  // The message does not quote the file, because the file may contain a key.
  if (identity === undefined) throw new Fault(taskClientFaults.bad_identity, `${path} is not an agent's identity file`);
  return identity;
}

/** Creates and saves a key pair. The key pair is saved before the agent joins, so that a join whose response was lost can be repeated. */
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

/** Saves an identity atomically and durably. Only the owner can read the file. */
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
