import type { DiscoveredClusterJson } from "@cloudwright/contract/gen/cloudwright/v1/operation_pb.ts";
import { renderSimulatedClusterId } from "@cloudwright/store";
import type { TestApi } from "./test-api.ts";
import { setOperationState } from "./work.ts";

/** A cluster that the platform did not create, in the format of a discovery's result. */
export const foundCluster = {
  id: "arn:aws:eks:eu-west-1:123456789012:cluster/found",
  name: "found",
  region: "eu-west-1",
  version: "1.33",
  state: "running",
  nodes: 2,
  endpoint: "https://found.eks",
  certificateAuthority: "cGVt",
} as const satisfies DiscoveredClusterJson;

/** Simulates a discovery without an agent. Returns the name of the operation. Each cluster also exists in the simulated cloud. */
export async function seedDiscovery(
  api: TestApi,
  { project, account }: { readonly project: string; readonly account: { readonly name: string; readonly uid: string } },
  clusters: readonly DiscoveredClusterJson[] = [foundCluster],
): Promise<string> {
  const { body } = await api.must("POST", `/v1/projects/${project}/accounts/${account.name}:discover`, { body: {} });
  const { name = "", uid = "" } = body.metadata;
  const text = `update entity set object = jsonb_set(object::jsonb, '{status,clusters}', $2::jsonb)::json where uid = $1`;
  await api.pool.query({ text, values: [uid, JSON.stringify(clusters)] });
  await setOperationState(api, uid, "DONE");
  for (const cluster of clusters) {
    const place = { accountUid: account.uid, region: cluster.region ?? "", name: cluster.name ?? "" };
    const insert = `insert into simulated_cluster (id, account_uid, region, name, version, created_at_ms, seen)
      values ($1, $2, $3, $4, 'v1.33.0', 1000, true) on conflict do nothing`;
    await api.pool.query({ text: insert, values: [renderSimulatedClusterId(place), place.accountUid, place.region, place.name] });
  }
  return name;
}
