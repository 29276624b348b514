import { createKubeClient, type KubeClient } from "@cloudwright/kube";
import { readKubeconfig } from "@cloudwright/kube/testing";
import { findRealServer, startRealServer } from "@cloudwright/simulator/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClusterTask } from "../testing/cluster-task.ts";
import type { Site } from "./add-on.ts";
import { awsCatalogue } from "./aws/catalogue.ts";

const real = findRealServer();
// Add-ons with prerequisites are excluded: their custom resource definitions are not installed here.
const manifests = awsCatalogue.filter(({ install }) => install.by === "manifests" && install.findMissing === undefined);

describe.skipIf(!real.found)(`manifests on a real kube-apiserver${real.found ? "" : ` (${real.reason})`}`, () => {
  let client: KubeClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    const server = await startRealServer(real);
    close = () => server.close();
    client = createKubeClient(readKubeconfig(server.kubeconfig));
  }, 90_000);
  afterAll(async () => {
    client?.close();
    await close?.();
  });

  test.each(manifests)("M131 the objects of $name are accepted unchanged, twice", async ({ install, version }) => {
    if (install.by !== "manifests") throw new Error("it is installed otherwise");
    const task = createClusterTask("cluster.addons");
    const site = {
      client,
      task,
      account: { simulated: false },
      address: { name: "dev", region: "eu-west-1" },
    } as unknown as Site;
    for (const object of await install.render(site, version, {})) {
      // Controllers may write to an object's status and metadata at any time.
      const { metadata: _metadata, status: _status, ...first } = await client.apply(object);
      expect(await client.apply(object)).toMatchObject(first);
    }
  });
});
