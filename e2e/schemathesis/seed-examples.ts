import { entityExamples, localExamples } from "@cloudwright/contract/openapi";
import { getKind, type JsonObject } from "@cloudwright/contract";
import type { AdminCalls } from "../admin-calls.ts";

/** Creates the entities that the OpenAPI examples refer to, parents first. */
export async function seedExamples(admin: AdminCalls): Promise<void> {
  for (const [kind, example] of listExamples()) {
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

/** Lists the examples in an order in which they can be created. */
function listExamples(): (readonly [kind: string, example: JsonObject])[] {
  return Object.entries(entityExamples).flatMap((one) => (one[0] === "SecurityGroup" ? [...localExamples, one] : [one]));
}
