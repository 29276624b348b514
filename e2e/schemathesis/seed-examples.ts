import { entityExamples } from "@cloudwright/contract/openapi";
import { getKind } from "@cloudwright/contract";
import type { AdminCalls } from "../admin-calls.ts";

/** Creates the entities that the OpenAPI examples refer to, parents first. */
export async function seedExamples(admin: AdminCalls): Promise<void> {
  for (const [kind, example] of Object.entries(entityExamples)) {
    const { scope, collection } = getKind(kind);
    const below = kind === "NodePool" ? "/clusters/dev-cluster" : "";
    const response = await admin.send(
      "POST",
      `${scope === "global" ? "/v1" : `/v1/projects/default${below}`}/${collection}`,
      example,
    );
    // A previous run may have created the entity already.
    if (!response.ok && response.status !== 409) throw new Error(`${kind}: ${response.status} ${await response.text()}`);
  }
}
