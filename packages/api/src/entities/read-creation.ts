import { getEntitySchema, type Json, type Kind, type Method } from "@cloudwright/contract";
import { isUid } from "@cloudwright/platform";
import type { Call } from "../calls/authorise.ts";
import { decode, invalid } from "../calls/decode.ts";
import type { ApiDeps } from "../deps.ts";
import { readDesired, type DesiredEntity } from "./entity-json.ts";
import { textAt } from "./json-tree.ts";
import { resolveTarget, type Target } from "./target.ts";

/** A create request. `entity` is the body as the caller sent it. */
export interface CreationInput {
  readonly project: string;
  readonly parent: string;
  readonly entity: Json;
}

/** Authorises a create request and decodes the entity. Checks everything that does not depend on other entities. */
export async function readCreation(
  deps: ApiDeps,
  call: Call,
  method: Method,
  input: CreationInput,
): Promise<{ readonly target: Target; readonly desired: DesiredEntity }> {
  const target = await resolveTarget(deps, call, method, input);
  const kind = target.kind.kind;
  const desired = readDesired(kind, decode(getEntitySchema(kind), input.entity, `the ${kind}`));
  requireName(kind, input.entity);
  requireOutside(target.kind, textAt(input.entity, "metadata", "environment"));
  requireProject(kind, input);
  return { target, desired };
}

/** Rejects a name that looks like a uid. */
function requireName(kind: string, entity: Json): void {
  if (isUid(textAt(entity, "metadata", "name"))) {
    throw invalid(`the ${kind}`, [{ field: "metadata.name", message: "looks like a uid; choose another name" }]);
  }
}

/** Rejects an environment for kinds that do not belong to environments. */
export function requireOutside({ kind, collection, outsideEnvironments = false }: Kind, environment: string): void {
  if (!outsideEnvironments || environment === "") return;
  throw invalid(`the ${kind}`, [
    { field: "metadata.environment", message: `must be empty: ${collection} do not belong to environments` },
  ]);
}

/** Rejects an entity whose project differs from the one in the URL. */
function requireProject(kind: string, { entity, project }: Pick<CreationInput, "entity" | "project">): void {
  const named = textAt(entity, "metadata", "project");
  if (named !== "" && named !== project) {
    throw invalid(`the ${kind}`, [{ field: "metadata.project", message: `is "${named}", but the request is for "${project}"` }]);
  }
}
