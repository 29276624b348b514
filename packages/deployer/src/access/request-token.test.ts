import { createKubeClient, type KubeClient } from "@cloudwright/kube";
import { openSimulatedCluster, readKubeconfig, type TestCluster } from "@cloudwright/kube/testing";
import { Secret, systemClock } from "@cloudwright/platform";
import { findRealServer, startRealServer } from "@cloudwright/simulator/testing";
import { terraformFaults } from "@cloudwright/terraform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDeployer } from "../create-deployer.ts";
import { createClusterTask, openTestCloud } from "../testing/cluster-task.ts";
import type { AccessRole } from "./access-objects.ts";

const binaries = { get: () => Promise.reject(new Error(terraformFaults.no_binary.code)) };
const canary = { apiVersion: "v1", kind: "Secret", metadata: { name: "canary", namespace: "default" }, stringData: { a: "b" } };
const kinds = {
  Pod: { apiVersion: "v1", kind: "Pod" },
  Secret: { apiVersion: "v1", kind: "Secret" },
  Node: { apiVersion: "v1", kind: "Node" },
  ConfigMap: { apiVersion: "v1", kind: "ConfigMap" },
};

describeTokens("from a simulated cluster", undefined, () => openSimulatedCluster([{ name: "a" }]));

const real = findRealServer();
describeTokens("from a real kube-apiserver", real.found ? undefined : real.reason, async () => {
  const server = await startRealServer(real);
  const access = readKubeconfig(server.kubeconfig);
  const client = createKubeClient(access);
  // A controller normally aggregates the rules of the `view` role. This API server runs without controllers, so the test sets the rules.
  const role = (name: string) => ({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name });
  const parts = await client.get(role("system:aggregate-to-view"));
  await client.patch(role("view"), { rules: parts["rules"] });
  return { access, client, close: () => server.close() };
});

function describeTokens(name: string, skipReason: string | undefined, open: () => Promise<TestCluster>): void {
  const why = skipReason === undefined ? "" : ` (${skipReason})`;
  describe.skipIf(skipReason !== undefined)(`the token ${name}${why}`, () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await open();
      await cluster.client.apply(canary);
    }, 90_000);
    afterAll(async () => cluster?.close());

    const said: string[] = [];
    async function give(role: AccessRole, ttlSeconds = 600): Promise<{ token: Secret; expiresAt: Date; outcome: unknown }> {
      const kept: { token: Secret; expiresAt: Date }[] = [];
      const task = createClusterTask("cluster.token", {
        access: { role, ttlSeconds },
        account: { simulated: false },
        keepToken: async (token, expiresAt) => void kept.push({ token, expiresAt }),
        log: (line) => said.push(line),
        progress: (_percent, message) => said.push(message),
      });
      const outcome = await createDeployer({ binaries, openCloud: openTestCloud(cluster.access) }).handle(task);
      expect(kept).toHaveLength(1);
      return { ...(kept[0] as (typeof kept)[number]), outcome };
    }
    async function use<Result>(token: Secret, work: (client: KubeClient) => Promise<Result>): Promise<Result> {
      const client = createKubeClient({ ...cluster.access, token: async () => token });
      try {
        return await work(client);
      } finally {
        client.close();
      }
    }
    const denied = { code: "kube.denied" };

    test("M183 for a viewer can read everything except secrets and cannot change anything", async () => {
      const { token } = await give("viewer");
      await use(token, async (client) => {
        await client.list(kinds.Pod);
        await client.list(kinds.Node);
        await client.list(kinds.ConfigMap, { namespace: "kube-system" });
        await expect(client.list(kinds.Secret)).rejects.toMatchObject(denied);
        await expect(client.get({ ...kinds.Secret, namespace: "default", name: "canary" })).rejects.toMatchObject(denied);
        await expect(client.delete({ ...kinds.Pod, namespace: "default", name: "x" })).rejects.toMatchObject(denied);
        const made = { ...kinds.ConfigMap, metadata: { name: "made", namespace: "default" } };
        await expect(client.apply(made)).rejects.toMatchObject(denied);
        const other = client.createToken({ namespace: "cloudwright-access", name: "cloudwright-viewer" }, 600);
        await expect(other).rejects.toMatchObject(denied);
      });
    });

    test("M183 for an admin can do everything, and further tokens can be requested", async () => {
      const [first, second] = [await give("admin"), await give("admin", 1200)];
      for (const { token } of [first, second]) {
        await use(token, async (client) => {
          expect(
            (await client.list(kinds.Secret, { namespace: "default" })).items.map(({ metadata }) => metadata.name),
          ).toContain("canary");
          await client.apply({ ...kinds.ConfigMap, metadata: { name: "made", namespace: "default" } });
        });
      }
    });

    test("M183 M182 expires as requested, and appears in no output, log or progress message", async () => {
      const { token, expiresAt, outcome } = await give("viewer", 1800);
      expect(Math.abs(expiresAt.getTime() - systemClock.now() - 1_800_000)).toBeLessThan(60_000);
      const [, claims = ""] = token.reveal().split(".");
      const { exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString()) as { exp: number; sub: string };
      expect(exp * 1000).toBe(expiresAt.getTime());
      expect(sub).toBe("system:serviceaccount:cloudwright-access:cloudwright-viewer");
      expect(outcome).toEqual({ outcome: "done", outputs: { expires_at: expiresAt.toISOString() } });
      expect(said.length).toBeGreaterThan(0);
      expect(JSON.stringify([said, outcome])).not.toContain(claims);
    });
  });
}

test("M183 no token is issued for a missing cluster or with rejected credentials", async () => {
  const cluster = await openSimulatedCluster();
  const deployer = (token: string) =>
    createDeployer({ binaries, openCloud: openTestCloud({ ...cluster.access, token: async () => new Secret(token) }) });
  const access = { role: "viewer", ttlSeconds: 600 } as const;
  const unbuilt = createClusterTask("cluster.token", { access, outputs: { endpoint: "" } });
  await expect(deployer("x").handle(unbuilt)).rejects.toMatchObject({ code: "deployer.no_cluster" });
  const refused = deployer("wrong").handle(createClusterTask("cluster.token", { access }));
  await expect(refused).rejects.toMatchObject({ code: "kube.denied", retry: "never" });
  await cluster.close();
});
