import { identityListPaths, identityPaths, type Json, type JsonObject } from "@cloudwright/contract";
import { Fault, type FieldViolation } from "@cloudwright/platform";
import { includes, reachOf, requireCaller, type Call } from "../calls/authorise.ts";
import { apiFaults } from "../faults.ts";
import { getAt, isObject, textAt } from "./json-tree.ts";
import type { JudgedEntity } from "./judge.ts";

/**
 * A use of a cloud identity. `key` also identifies the recipient of the identity, so a role that moves to another service account counts
 * as a new use.
 */
interface IdentityUse {
  readonly field: string;
  readonly identity: string;
  readonly key: string;
}

/**
 * Throws if the caller may not assign the cloud identities in the spec, such as roles, to resources. If the account lists identities,
 * only those are allowed. Otherwise the caller must be an admin. Existing uses are not checked again, unless the entity moves to another
 * environment.
 */
export function requirePassable(
  call: Call,
  project: string,
  { kind, spec, account }: Pick<JudgedEntity, "kind" | "spec" | "account">,
  { before, environments }: { readonly before: JsonObject; readonly environments: readonly string[] },
): void {
  const isMoved = new Set(environments).size > 1;
  const former = new Set(isMoved ? [] : listUses(kind, before).map(({ key }) => key));
  const added = listUses(kind, spec).filter(({ key }) => !former.has(key));
  if (added.length === 0) return;
  const listed = account === undefined ? [] : listIdentities(account.kind, account.spec);
  if (listed.length > 0) return requireListed(added, listed, textAt(account?.metadata ?? {}, "name"));
  const reach = reachOf(requireCaller(call), project, "admin");
  if (reach !== undefined && environments.every((environment) => includes(reach, environment))) return;
  const fields = added.map(({ field }) => ({
    field,
    message: "requires the admin role, because the account does not list the roles that clusters may use",
  }));
  throw deny(added, "requires the admin role", fields);
}

function requireListed(added: readonly IdentityUse[], listed: readonly string[], account: string): void {
  const refused = added.filter(({ identity }) => !listed.some((entry) => matches(entry, identity)));
  if (refused.length === 0) return;
  const fields = refused.map(({ field, identity }) => ({
    field,
    message: `is ${identity}, which account "${account}" does not allow; it allows ${listed.join(", ")}`,
  }));
  throw deny(refused, `to ${refused[0]?.identity} is not allowed by account "${account}"`, fields);
}

function deny([first]: readonly IdentityUse[], why: string, fields: FieldViolation[]): Fault {
  return new Fault(apiFaults.denied, `setting ${first?.field} ${why}`, { fields });
}

function matches(entry: string, identity: string): boolean {
  return entry.endsWith("*") ? identity.startsWith(entry.slice(0, -1)) : identity === entry;
}

function listUses(kind: string, spec: JsonObject): IdentityUse[] {
  return (identityPaths[kind] ?? []).flatMap(({ path, member }) => {
    const field = path.join(".");
    const value = getAt({ spec }, path);
    if (member === undefined) return readUse(field, value, value);
    return Array.isArray(value)
      ? value.flatMap((item, index) =>
          readUse(`${field}[${index}].${member}`, isObject(item) ? item[member] : undefined, item, field),
        )
      : [];
  });
}

function readUse(field: string, identity: Json | undefined, holder: Json | undefined, scope = field): IdentityUse[] {
  if (typeof identity !== "string" || identity === "") return [];
  const parts = isObject(holder) ? Object.entries(holder).toSorted(([one], [other]) => (one < other ? -1 : 1)) : holder;
  return [{ field, identity, key: JSON.stringify([scope, parts]) }];
}

function listIdentities(kind: string, spec: JsonObject): string[] {
  return (identityListPaths[kind] ?? []).flatMap((path) => {
    const value = getAt({ spec }, path);
    return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  });
}
