import { createUid, Secret, systemClock } from "@cloudwright/platform";
import { createMemoryObjects, startKubernetesHost, type KubernetesHost } from "@cloudwright/simulator";
import { queryDatabase } from "./query-database.ts";

/** A Kubernetes API that accepts presigned AWS tokens, like EKS. */
export interface StandInCluster {
  readonly host: KubernetesHost;
  /** Tokens that clients have presented. */
  readonly entered: string[];
  /** Outputs of the run that would have created this cluster. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Starts a stand-in for an EKS cluster. Tokens signed with the given access key id have full access. */
export async function startStandIn(name: string, keyId: string): Promise<StandInCluster> {
  const entered: string[] = [];
  const host = await startKubernetesHost({
    listen: { host: "127.0.0.1", port: 0 },
    store: createMemoryObjects(),
    secret: new Secret("stand-in"),
    timeScale: 0,
    authenticate: async (_cluster, token) => {
      const signed = Buffer.from(token.replace(/^k8s-aws-v1\./, ""), "base64url").toString();
      if (!signed.includes("Action=GetCallerIdentity") || !signed.includes(`Credential=${keyId}`)) return undefined;
      entered.push(token);
      return { name: "arn:aws:iam::123456789012:user/agent", groups: ["system:masters", "system:authenticated"] };
    },
  });
  await host.createCluster(name, { version: "v1.34.1" });
  await host.setNodes(name, [{ name: "node-a" }]);
  const { server, certificateAuthorityPem } = await host.getEndpoint(name);
  const outputs = {
    cluster_name: name,
    endpoint: server,
    certificate_authority: Buffer.from(certificateAuthorityPem).toString("base64"),
  };
  return { host, entered, outputs };
}

/** Writes run outputs for a cluster entity directly to the database, as if a run had created the cluster. */
export async function plantOutputs(dataDirectory: string, clusterUid: string, outputs: object): Promise<void> {
  const uid = createUid(systemClock.now());
  const task = {
    uid,
    key: uid,
    project: "default",
    entity_uid: clusterUid,
    lane: "long",
    placement: "{}",
    type: "cluster.apply",
    payload_version: 1,
    priority: 0,
    max_attempts: 1,
    object: { uid, entityUid: clusterUid, entityKind: "Cluster", entityName: "prod", payload: {} },
  };
  await queryDatabase(dataDirectory, async (client) => {
    await client.query("begin");
    await client.query("select enqueue_tasks($1)", [JSON.stringify([task])]);
    await client.query("delete from task_line where task_uid = $1", [uid]);
    const end = "update task set ended = 'done', attempt = 1, ended_at = clock_timestamp(), outcome = $2 where uid = $1";
    await client.query(end, [uid, JSON.stringify({ state: "done", result: outputs })]);
    await client.query("commit");
  });
}
