import type { FieldViolation } from "@cloudwright/platform";
import { findReferences, type Database } from "@cloudwright/store";
import { parseEntity } from "../calls/trace-call.ts";
import { textAt } from "./json-tree.ts";

interface NamedGroups {
  /** Uid of the entity that names the groups. */
  readonly uid: string;
  readonly project: string;
  /** Name of the network that the groups must be in. */
  readonly network: string;
  readonly names: readonly string[];
  readonly field: string;
}

/** Returns a violation for each named security group that is in another network, or that is the naming group itself. */
export async function findGroupProblems(
  { pool }: { readonly pool: Database },
  { uid, project, network, names, field }: NamedGroups,
): Promise<FieldViolation[]> {
  const references = [...new Set(names)].map((ref) => ({ kind: "SecurityGroup", project, ref }));
  const rows = await findReferences(pool, references);
  return rows.flatMap((row): FieldViolation[] => {
    if (row === undefined) return [];
    if (row.uid === uid) return [{ field, message: `is "${row.name}", the group itself; write self instead` }];
    const other = textAt(parseEntity(row.object).spec, "network");
    if (other === network) return [];
    return [{ field, message: `is "${row.name}", which is in network "${other}" instead of "${network}"` }];
  });
}
