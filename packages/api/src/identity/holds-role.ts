import type { Role } from "@cloudwright/contract";
import type { CallerRow } from "@cloudwright/store";
import { createCaller, includes, reachOf } from "../calls/authorise.ts";
import { capOf } from "./holder.ts";

/**
 * Returns whether the holder of an API key has at least the given role in an environment of a project, within the limits of the key.
 * `environment` is empty for entities without an environment. If it is undefined, the role in any environment is sufficient.
 */
export function holdsRole(
  row: CallerRow,
  { project, environment }: { readonly project: string; readonly environment: string | undefined },
  role: Role,
): boolean {
  const reach = reachOf(createCaller(row, "key", row.prefix, capOf(row)), project, role);
  return reach !== undefined && (environment === undefined || includes(reach, environment));
}
