import { Fault } from "@cloudwright/platform";
import { readPublicKey } from "@cloudwright/platform/openssh-key";
import type { ServerHostKeyAlgorithm } from "ssh2";
import { sshFaults } from "./faults.ts";

/** The signature algorithms of each type of host key, most wanted types first. SHA-1 is left out. */
export const hostKeyAlgorithms: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  "ssh-ed25519": ["ssh-ed25519"],
  "ecdsa-sha2-nistp256": ["ecdsa-sha2-nistp256"],
  "ecdsa-sha2-nistp384": ["ecdsa-sha2-nistp384"],
  "ecdsa-sha2-nistp521": ["ecdsa-sha2-nistp521"],
  "ssh-rsa": ["rsa-sha2-512", "rsa-sha2-256"],
};

/** The host keys that a machine may present. */
export interface PinnedHostKeys {
  /** The algorithms to offer, so that a server with several keys presents a pinned one. */
  readonly algorithms: ServerHostKeyAlgorithm[];
  accepts(presented: Buffer): boolean;
}

/** Reads host keys as lines of type and base64. Comments are ignored. Throws if there is none, or if a line is not a key. */
export function pinHostKeys(lines: readonly string[], where: string): PinnedHostKeys {
  if (lines.length === 0) throw new Fault(sshFaults.no_host_key, `no host key is known for ${where}`);
  const keys = lines.map((line) => {
    const key = readPublicKey(line);
    if (key !== undefined && hostKeyAlgorithms[key.type] !== undefined) return key;
    throw new Fault(
      sshFaults.bad_key,
      `"${line.slice(0, 60)}" is not a host key; expected one of ${Object.keys(hostKeyAlgorithms).join(", ")} and base64`,
    );
  });
  const types = new Set(keys.map(({ type }) => type));
  const algorithms = Object.entries(hostKeyAlgorithms).flatMap(([type, names]) => (types.has(type) ? names : []));
  const pinned = new Set(keys.map(({ key }) => key));
  return { algorithms, accepts: (presented) => pinned.has(renderHostKey(presented)) };
}

/** Renders a host key as type and base64. */
export function renderHostKey(blob: Buffer): string {
  const length = blob.length < 4 ? 0 : blob.readUInt32BE(0);
  return `${blob.subarray(4, 4 + length).toString("latin1")} ${blob.toString("base64")}`;
}
