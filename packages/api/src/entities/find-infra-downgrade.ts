import type { JsonObject } from "@cloudwright/contract";
import { findText, type FieldViolation } from "@cloudwright/platform";
import { findOutputs } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import { textAt } from "./json-tree.ts";

/**
 * Returns a violation if a change requests an older version of the configuration than the one that built the entity. An agent would reject
 * the plan, because a configuration is upgraded only from older versions. If no run has succeeded yet, every version is possible.
 */
export async function findInfraDowngrade(
  { pool }: Pick<ApiDeps, "pool">,
  uid: string,
  before: JsonObject,
  spec: JsonObject,
): Promise<FieldViolation[]> {
  const wanted = textAt(spec, "infra", "version");
  if (wanted === "" || wanted === textAt(before, "infra", "version")) return [];
  const built = findText((await findOutputs(pool, uid))?.["infra_version"]);
  if (built === undefined || wanted.localeCompare(built, "en", { numeric: true }) >= 0) return [];
  const message = `is ${wanted}, but version ${built} is in use and there is no upgrade path from ${built} to an older one; keep ${built} or choose a later version`;
  return [{ field: "spec.infra.version", message }];
}
