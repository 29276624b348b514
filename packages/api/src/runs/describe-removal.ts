import type { JsonObject } from "@cloudwright/contract";
import { findStateVersionBefore, type RunRow } from "@cloudwright/store";
import type { ApiDeps } from "../deps.ts";
import { openContent } from "../states/state-content.ts";
import { dropKeys, reduceDependencies } from "./reduce-dependencies.ts";

/**
 * Returns the resources that a deletion removes, in the format of a plan. Deletions do not store a plan, so the resources are read from the
 * state. Empty if the platform does not store the state.
 */
export async function describeRemoval(deps: Pick<ApiDeps, "pool" | "keyRing" | "documents">, run: RunRow): Promise<JsonObject> {
  const { entityUid, project, uid: taskUid, endedAt: until } = run;
  const row = await findStateVersionBefore(deps.pool, { entityUid, taskUid, until });
  const content = row && (await openContent(deps.keyRing, row));
  if (content === undefined) return {};
  const managed = ((await deps.documents.listInstances(project, content)) ?? []).filter(({ mode }) => mode === "managed");
  const needs = managed.map(({ address, dependencies }) => ({ address: dropKeys(address), needs: dependencies }));
  const addresses = managed.map(({ address }) => address);
  return {
    changes: managed.map(({ address, type: resourceType }) => ({
      address,
      resourceType,
      action: "delete",
      attributes: [],
      replacePaths: [],
      reason: "",
    })),
    dependencies: reduceDependencies(needs, addresses).map(({ address, needs: list }) => ({ address, needs: [...list] })),
  };
}
