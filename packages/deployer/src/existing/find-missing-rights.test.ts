import { createProvider } from "@cloudwright/clouds";
import type { CloudName } from "@cloudwright/contract/clouds";
import { openSimulatedCluster, readKubeconfig } from "@cloudwright/kube/testing";
import { Secret } from "@cloudwright/platform";
import { createKubectl, kubectlTool, type Kubectl } from "@cloudwright/simulator/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Cloud } from "../cloud.ts";
import { existingClouds } from "../clouds.ts";
import type { ExistingCloud } from "./existing-cloud.ts";
import { findDeniedActions, lookInside } from "./find-missing-rights.ts";

if (!kubectlTool.found) console.log(`skipped commands of kubectl: ${kubectlTool.reason}`);

/** A cluster and the account's identity in each cloud, with the commands that grant rights. */
const samples: Readonly<
  Record<string, { readonly id: string; readonly principal: string; readonly access: string; readonly actions: string }>
> = {
  aws: {
    id: "arn:aws-cn:eks:cn-north-1:123456789012:cluster/shop",
    principal: "arn:aws-cn:iam::123456789012:role/team/cloudwright",
    access:
      "{ aws eks describe-access-entry --region r --cluster-name shop --principal-arn arn:aws-cn:iam::123456789012:role/team/cloudwright" +
      " >/dev/null 2>&1 || aws eks create-access-entry --region r --cluster-name shop --principal-arn" +
      " arn:aws-cn:iam::123456789012:role/team/cloudwright; } && aws eks associate-access-policy --region r --cluster-name shop --principal-arn arn:aws-cn:iam::123456789012:role/team/cloudwright" +
      " --access-scope type=cluster --policy-arn arn:aws-cn:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy",
    actions:
      "aws iam put-role-policy --role-name cloudwright --policy-name cloudwright-shop --policy-document" +
      ' \'{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":["eks:UpdateClusterVersion"],"Resource":' +
      '["arn:aws-cn:eks:cn-north-1:123456789012:cluster/shop","arn:aws-cn:eks:cn-north-1:123456789012:nodegroup/shop/*"]}]}\'',
  },
  gcp: {
    id: "projects/shop-123/locations/europe-west1/clusters/shop",
    principal: "cloudwright@shop-123.iam.gserviceaccount.com",
    access:
      "gcloud projects add-iam-policy-binding shop-123 --member=serviceAccount:cloudwright@shop-123.iam.gserviceaccount.com --role=roles/container.admin",
    actions:
      "gcloud projects add-iam-policy-binding shop-123 --member=serviceAccount:cloudwright@shop-123.iam.gserviceaccount.com --role=roles/container.clusterAdmin",
  },
  azure: {
    id: "/subscriptions/s/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop",
    principal: "0b1f0000-0000-0000-0000-000000000001",
    access: ["Azure Kubernetes Service Cluster User Role", "Azure Kubernetes Service RBAC Cluster Admin"]
      .map((role) => `az role assignment create --assignee 0b1f0000-0000-0000-0000-000000000001 --role "${role}"`)
      .map(
        (command) =>
          `${command} --scope /subscriptions/s/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`,
      )
      .join(" && "),
    actions:
      'az role assignment create --assignee 0b1f0000-0000-0000-0000-000000000001 --role "Azure Kubernetes Service Contributor Role"' +
      " --scope /subscriptions/s/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop",
  },
};
const cases = existingClouds.map(([cloud, facts]) => [cloud, facts] as const);
const sampleOf = (cloud: string) => samples[cloud] ?? { id: "", principal: "", access: "", actions: "" };

let opened: Awaited<ReturnType<typeof openSimulatedCluster>>;
let kubectl: Kubectl | undefined;
beforeAll(async () => {
  opened = await openSimulatedCluster([{ name: "n1" }]);
  if (kubectlTool.found) kubectl = await createKubectl(await opened.host.getKubeconfig("one", "admin"));
});
afterAll(async () => {
  await kubectl?.close();
  await opened.close();
});

/** Calls `lookInside` with the rights of a role. The `stranger` role stands for a token that the cluster does not accept. */
async function look(facts: ExistingCloud, { id, principal }: { id: string; principal?: string }, role: string, isManaged = true) {
  const known = role === "stranger" ? "viewer" : (role as "admin" | "viewer");
  const access = readKubeconfig(await opened.host.getKubeconfig("one", known));
  const cloud = {
    openCluster: async () => (role === "stranger" ? { ...access, token: async () => new Secret("wrong") } : access),
    clusters: { findPrincipal: async () => undefined, findBuiltInAccess: async () => principal },
  } as unknown as Cloud;
  const address = { id, name: "shop", region: "r", endpoint: access.server, caPem: access.caPem ?? "" };
  return lookInside(facts, cloud, address, { isManaged, signal: AbortSignal.timeout(30_000) });
}

describe.each(cases)("X016 in %s", (cloud, facts) => {
  test("an administrator lacks no Kubernetes right", async () => {
    expect(await look(facts, sampleOf(cloud), "admin")).toMatchObject({ serverVersion: "v1.34.1", missing: [] });
  });

  test("an identity that the cluster does not know gets the exact commands for access", async () => {
    const { missing, ...seen } = await look(facts, sampleOf(cloud), "stranger");
    expect(seen).toEqual({});
    expect(missing).toEqual([
      {
        where: "kubernetes",
        message: expect.stringContaining("cannot be used") as string,
        help: `Run: ${sampleOf(cloud).access}`,
      },
    ]);
  });

  test("an identity that may only read lacks the rights to drain nodes, but only if the cluster is managed", async () => {
    expect((await look(facts, sampleOf(cloud), "viewer", false)).missing).toEqual([]);
    const { missing } = await look(facts, sampleOf(cloud), "viewer");
    expect(missing.map(({ message }) => message)).toEqual([
      "the platform may not patch nodes in the cluster",
      "the platform may not create pods/eviction in the cluster",
    ]);
    for (const { help } of missing) expect(help).toMatch(/^Run: (\{ aws eks describe-access-entry|kubectl create clusterrole) /);
  });

  test("an identity that the cloud does not tell is named as such", async () => {
    const [first] = (await look(facts, { id: sampleOf(cloud).id }, "stranger")).missing;
    expect(first?.help).toMatch(/^Run, with the account's identity instead of PRINCIPAL: .*PRINCIPAL/);
  });

  test("actions that the cloud denies are reported with the exact command that allows them", async () => {
    const { id, principal, actions } = sampleOf(cloud);
    const [action = ""] = facts.actions;
    const clusters = { findPrincipal: async () => principal } as unknown as NonNullable<Cloud["clusters"]>;
    const find = (denied: readonly string[] | undefined) =>
      findDeniedActions(facts, { clusters, listDenied: async () => denied }, { id, name: "shop", region: "r" });
    expect(await find(["other:Action", action])).toEqual([
      { where: "cloud", message: `the account's credentials do not allow ${action}`, help: `Run: ${actions}` },
    ]);
    expect([await find(["other:Action"]), await find(undefined)]).toEqual([[], []]);
  });

  test("every action is one that the cloud's permission checks ask for", () => {
    const policy = JSON.stringify(
      createProvider(cloud as CloudName)
        .getPolicy()
        .render(["cluster"]),
    );
    for (const action of facts.actions) expect(policy).toContain(action);
  });
});

test.skipIf(!kubectlTool.found)("X016 the printed kubectl commands grant exactly the missing rights", async () => {
  const [, facts] = cases.find(([cloud]) => cloud === "gcp") ?? [];
  if (facts === undefined) throw new Error("there is no such cloud");
  const viewer = { id: sampleOf("gcp").id, principal: "cloudwright:viewer" };
  const { missing } = await look(facts, viewer, "viewer");
  expect(missing).toHaveLength(2);
  for (const { help } of missing)
    for (const command of help.replace("Run: ", "").split(" && ")) await kubectl?.ok(command.replace(/^kubectl /, ""));
  expect((await look(facts, viewer, "viewer")).missing).toEqual([]);
  const as = await kubectl?.as(await opened.host.getKubeconfig("one", "viewer"));
  expect((await as?.run("auth can-i delete nodes"))?.stdout).toContain("no");
});
