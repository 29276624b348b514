import { createHash } from "node:crypto";

/** Prefix of all kernel objects and files that the platform creates on a host, such as bridges, namespaces, cgroups and nft tables. */
export const prefix = "cw";

/** Kinds of kernel objects, with the letter that identifies each kind in names. */
const letters = { bridge: "b", port: "p", peer: "e", namespace: "n", machine: "m", set: "s", vxlan: "v" } as const;

/**
 * Returns the name of a kernel object that belongs to an entity. The name is derived from the uid, so a repeated attempt finds the objects
 * of an earlier one. The name has 13 characters, because Linux limits interface names to 15 characters.
 */
export function nameObject(kind: keyof typeof letters, uid: string): string {
  return `${prefix}${letters[kind]}${createHash("sha256").update(uid).digest("hex").slice(0, 10)}`;
}
