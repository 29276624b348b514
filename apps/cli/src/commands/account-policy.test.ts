import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { expect, onTestFinished, test, vi } from "vitest";
import { findExecCluster, useExec } from "../kubeconfig-exec.ts";
import { getCloud } from "@cloudwright/contract/clouds";
import { createFakeWorld } from "../testing/fake-world.ts";

test("M223 the policy of an account is printed as JSON and nothing else, for all features or some", async () => {
  const { run } = createFakeWorld();
  await run("account", "create", "prod", "--cloud", "aws", "--aws-agent-credentials");
  const all = JSON.parse((await run("account", "iam-policy", "prod")).out) as { Statement: { Sid: string }[] };
  expect(all.Statement.map(({ Sid }) => Sid)).toEqual([
    "Network",
    "Cluster",
    "Storage",
    "Instance",
    "Securitygroup",
    "Volume",
    "PassRole",
    "CreateServiceLinkedRole",
  ]);
  expect((await run("account", "iam-policy", "prod")).err).toContain("6144");
  expect((await run("account", "iam-policy", "prod", "--feature", "cluster")).err).toBe("");
  const some = JSON.parse(
    (await run("account", "iam-policy", "--cloud", "aws", "--feature", "network,storage")).out,
  ) as typeof all;
  expect(some.Statement.map(({ Sid }) => Sid)).toEqual(["Network", "Storage", "PassRole"]);
});

test("M223 the permissions of a Google Cloud account are printed as a custom role, and --split writes one file per feature", async () => {
  const folder = mkdtempSync(join(tmpdir(), "account-policy-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { run } = createFakeWorld();
  await run("account", "create", "prod", "--cloud", "gcp", "--gcp-project-id", "my-project-1", "--gcp-agent-credentials");
  const printed = await run("account", "policy", "prod");
  expect(printed).toMatchObject({ code: 0, err: "" });
  const role = JSON.parse(printed.out) as { includedPermissions: string[] };
  expect(role).toMatchObject({ stage: "GA", title: "Cloudwright network, cluster, storage, instance" });
  expect(role.includedPermissions).toContain("container.clusters.create");
  for (const [cloud, marker, features] of [
    ["gcp", "compute.networks.create", ["cluster", "instance", "network", "storage"]],
    ["aws", "ec2:CreateVpc", ["cluster", "instance", "network", "securitygroup", "storage", "volume"]],
  ] as const) {
    const { out, code } = await run("account", "policy", "--cloud", cloud, "--split", join(folder, cloud));
    expect(code).toBe(0);
    const files = readdirSync(join(folder, cloud)).toSorted();
    expect(files).toEqual(features.map((feature) => `${feature}.json`));
    expect(out.trim().split("\n")).toHaveLength(features.length);
    const texts = files.map((file) => readFileSync(join(folder, cloud, file), "utf8"));
    expect(texts[files.indexOf("network.json")]).toContain(marker);
    for (const text of texts)
      expect(JSON.stringify(JSON.parse(text)).length).toBeLessThanOrEqual(cloud === "aws" ? 6144 : 64 * 1024);
  }
});

test("M223 clouds without a policy and unknown features are rejected", async () => {
  const { run } = createFakeWorld();
  await run("account", "create", "own", "--cloud", "local");
  expect((await run("account", "iam-policy")).code).toBe(2);
  expect((await run("account", "iam-policy", "own")).code).toBe(2);
  expect((await run("account", "iam-policy", "--cloud", "aws", "--feature", "castle")).code).toBe(2);
  expect((await run("account", "iam-policy", "nope")).code).toBe(3);
});

test("M129 M156 a token for kubectl is created with the machine's credentials, without a server", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { run } = createFakeWorld();
  const { out, code } = await run("k8s", "token", "--cluster-name", "main", "--region", "eu-west-1");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    apiVersion: "client.authentication.k8s.io/v1beta1",
    kind: "ExecCredential",
    status: {
      token: expect.stringMatching(/^k8s-aws-v1\./) as string,
      expirationTimestamp: expect.stringMatching(/Z$/) as string,
    },
  });
  expect((await run("k8s", "token")).code).toBe(2);
  const info = JSON.stringify({ kind: "ExecCredential", apiVersion: "client.authentication.k8s.io/v1", spec: {} });
  const asked = createFakeWorld({ environment: { KUBERNETES_EXEC_INFO: info } });
  const second = await asked.run("k8s", "token", "--cluster-name", "main", "--region", "eu-west-1");
  expect(JSON.parse(second.out)).toMatchObject({ apiVersion: "client.authentication.k8s.io/v1" });
});

test("M156 a kubeconfig can get its tokens from this command instead of aws; one that contains a token stays unchanged", async () => {
  const args = ["eks", "get-token", "--cluster-name", "main-1", "--region", "eu-west-1", "--output", "json"];
  const exec = { apiVersion: "client.authentication.k8s.io/v1beta1", command: "aws", args, interactiveMode: "Never" };
  const given = JSON.stringify({ kind: "Config", users: [{ name: "main", user: { exec } }] });
  expect(await findExecCluster(given)).toEqual({ cloud: "aws", cluster: "main-1", region: "eu-west-1" });
  const own = { ...exec, command: "cloud", args: ["k8s", "token", "--cluster-name", "main-1", "--region", "eu-west-1"] };
  expect(parse(await useExec(given, "cloud"))).toEqual({ kind: "Config", users: [{ name: "main", user: { exec: own } }] });
  const other = "kind: Config\nusers:\n  - name: main\n    user:\n      token: t\n";
  expect(await useExec(other, "cloud")).toBe(other);
  expect(await findExecCluster(other)).toBeUndefined();
});

test("M156 M129 a kubeconfig for GKE uses gke-gcloud-auth-plugin, or this command with the user's own credentials", async () => {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: "gke-gcloud-auth-plugin",
    interactiveMode: "Never",
    provideClusterInfo: true,
  };
  const config = { kind: "Config", "current-context": "main-1", users: [{ name: "main-1", user: { exec } }] };
  const given = JSON.stringify(config);
  expect(await findExecCluster(given)).toEqual({ cloud: "gcp", cluster: "main-1", region: "-" });
  const args = ["k8s", "token", "--cluster-name", "main-1", "--region", "-", "--cloud", "gcp"];
  expect(parse(await useExec(given, "cloud"))).toEqual({
    ...config,
    users: [{ name: "main-1", user: { exec: { ...exec, command: "cloud", args } } }],
  });
  const file = join(mkdtempSync(join(tmpdir(), "gke-token-")), "credentials.json");
  writeFileSync(file, JSON.stringify({ type: "authorized_user", client_id: "c", client_secret: "s" }));
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
  onTestFinished(() => void vi.unstubAllEnvs());
  // Without a refresh token there is nothing to exchange, so the command sends no request.
  expect((await createFakeWorld().run(...args)).code).not.toBe(0);
});

test("M156 M129 a kubeconfig for AKS uses kubelogin, or this command with the user's own credentials", async () => {
  const program = getCloud("azure").kubeconfig;
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1beta1",
    command: program?.command,
    args: program?.renderArgs({ cluster: "main-1", region: "westeurope" }),
    installHint: program?.installHint,
    interactiveMode: "Never",
  };
  const config = { kind: "Config", "current-context": "main-1", users: [{ name: "main-1", user: { exec } }] };
  const given = JSON.stringify(config);
  expect(await findExecCluster(given)).toEqual({ cloud: "azure", cluster: "main-1", region: "-" });
  const args = ["k8s", "token", "--cluster-name", "main-1", "--region", "-", "--cloud", "azure"];
  const { installHint: _hint, ...own } = exec;
  expect(parse(await useExec(given, "cloud"))).toEqual({
    ...config,
    users: [{ name: "main-1", user: { exec: { ...own, command: "cloud", args } } }],
  });
});

test("M223 the custom role of an Azure account is printed as JSON, and the note says what to replace", async () => {
  const { run } = createFakeWorld();
  await run("account", "create", "az", "--cloud", "azure", "--azure-managed-identity");
  const { out, err, code } = await run("account", "policy", "az", "--feature", "cluster,storage");
  expect(code).toBe(0);
  const role = JSON.parse(out) as { IsCustom: boolean; Actions: string[]; DataActions: string[] };
  expect(role.IsCustom).toBe(true);
  expect(role.Actions).toContain("Microsoft.ContainerService/managedClusters/write");
  expect(role.Actions).not.toContain("Microsoft.Network/virtualNetworks/write");
  expect(role.DataActions).toContain("Microsoft.Storage/storageAccounts/blobServices/containers/blobs/read");
  expect(err).toContain("SUBSCRIPTION_ID");
  expect((await run("account", "iam-policy", "az", "--feature", "cluster,storage")).out).toBe(out);
});
