import type { JsonObject } from "@cloudwright/contract";
import { listRecordedTasks } from "@cloudwright/contract/testing/recorded-payloads";
import { expect, test } from "vitest";
import { renderTokenTask, type BuiltCluster } from "./render-token-task.ts";

const [tokenUid, uid] = ["01980000-0000-7000-8000-0000000000cc", "01980000-0000-7000-8000-0000000000ff"];
const asked = { role: "viewer", ttlSeconds: 900 } as const;

function clusterOf(entity: JsonObject, parents: JsonObject[], outputs: JsonObject): BuiltCluster {
  return {
    row: entity as unknown as BuiltCluster["row"],
    parents: parents.map(({ kind, uid: parentUid, name, spec }) => ({
      kind: kind as string,
      uid: parentUid as string,
      entity: { metadata: { name: name as string }, spec: spec as JsonObject, status: {} },
    })),
    outputs,
  };
}

test("M043 X062 a token task is rendered as in release 0.1.0, except that only agents granted to its account may use their identity", () => {
  const recorded = listRecordedTasks().find(({ type }) => type === "cluster.token")!;
  const { entity, parents, outputs } = recorded.payload;
  const built = clusterOf(entity as JsonObject, parents as JsonObject[], { ...(outputs as JsonObject), version: "1.32" });
  const { placement, priority, payloadVersion, payload } = renderTokenTask(built, tokenUid, uid, asked);
  expect({ placement, priority, payloadVersion, payload }).toEqual({
    placement: { ...recorded.placement, identity: "default/01980000-0000-7000-8000-00000000000a" },
    priority: recorded.priority,
    payloadVersion: recorded.payloadVersion,
    payload: recorded.payload,
  });
});

test("M043 a token for a cluster on self-managed machines is requested by an agent on those machines", () => {
  const account = { kind: "Account", uid: "a-1", name: "rack", spec: { local: { agentLabel: "rack-1" } } };
  const network = { kind: "Network", uid: "n-1", name: "hall", spec: { region: "hall-2" } };
  const entity = { uid: "c-1", name: "dev", project: "default", environment: "", labels: {} };
  const { placement } = renderTokenTask(clusterOf(entity, [network, account], {}), tokenUid, uid, asked);
  expect(placement).toEqual({
    cloud: "local",
    account: "rack",
    region: "hall-2",
    machines: "rack-1",
    identity: "default/a-1",
  });
});
