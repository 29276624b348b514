import type { DeployedAccount, StateAccess } from "@cloudwright/deployer";
import { Secret } from "@cloudwright/platform";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createClouds } from "./clouds.ts";

const account: DeployedAccount = { uid: "0199-account", name: "sim", cloud: "aws", simulated: true, spec: {} };
const access: StateAccess = { address: "", lockAddress: "", unlockAddress: "", username: "", password: new Secret("") };
const run = { taskUid: "t", region: "eu-west-1", openCredentials: async () => new Secret({}) };

test("M072 opening a cloud starts neither a Terraform provider nor an API host, and each starts only when it is used", async () => {
  const directory = mkdtempSync(join(tmpdir(), "agent-clouds-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const clouds = { endpoints: {}, identityTokenFiles: {}, providerMirror: undefined };
  const { openCloud } = createClouds({
    directory,
    cacheDirectory: directory,
    simulator: "files",
    clouds,
  } as unknown as Parameters<typeof createClouds>[0]);
  const cloud = await openCloud(account, access, run);
  expect(readdirSync(directory)).toEqual([]);
  const parts = await cloud.openDirect?.({ entityUid: "e" });
  expect([...(parts?.keys() ?? [])]).toContain("aws_eks_cluster");
  const { providers } = await cloud.openTerraform();
  expect(providers).toHaveProperty("reattach");
  await cloud.close();
  const google = await openCloud({ ...account, cloud: "gcp" }, access, { ...run, region: "europe-west1" });
  const googleParts = await google.openDirect?.({ entityUid: "e" });
  expect([...(googleParts?.keys() ?? [])]).toContain("google_container_cluster");
  await google.close();
  const other = await openCloud({ ...account, cloud: "local" }, access, run);
  expect(other.openDirect).toBeUndefined();
  await other.close();
});
