import { getKind } from "@cloudwright/contract/kinds";
import { Fault } from "@cloudwright/platform/fault";
import type { Session } from "./connection/session.ts";
import { getItem } from "./entities.ts";
import { cliFaults } from "./faults.ts";
import { parseReferences } from "./references.ts";

const uid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns whether a string is a complete uid. */
export function isUid(text: string): boolean {
  return uid.test(text);
}

/**
 * Returns the uid of an entity that has its own infrastructure. `text` is KIND/NAME or a uid. For a node pool, returns the uid of its
 * cluster, because both are built together.
 */
export async function requireStack(session: Session, text: string): Promise<string> {
  if (isUid(text)) return text;
  const [named] = text.includes("/") ? parseReferences(undefined, [text]) : [];
  const reference = named?.references[0];
  if (reference === undefined) throw new Fault(cliFaults.usage, `"${text}" is neither KIND/NAME nor the uid of an entity`);
  const { cluster } = reference;
  const built = cluster === undefined ? reference : { kind: getKind("Cluster"), name: cluster };
  return (await getItem(session, built)).entity.metadata.uid;
}

/** Formats an entity's name, such as `cluster/dev`, for messages about its infrastructure. Uses the uid if the entity was deleted. */
export function nameStack(of: { entityKind?: string; entityName?: string; entityUid?: string }): string {
  const { entityKind = "", entityName = "", entityUid = "" } = of;
  return entityName === "" ? entityUid : `${entityKind.toLowerCase()}/${entityName}`;
}
