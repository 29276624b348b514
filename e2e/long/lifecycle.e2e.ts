import type { JsonObject } from "@cloudwright/contract";
import { createKubeClient, type KubeObject } from "@cloudwright/kube";
import { readKubeconfig } from "@cloudwright/kube/testing";
import { requireTool } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { stories, type CloudStory, type Shown } from "../lifecycle/cloud-story.ts";
import { runCloud } from "../cloud-command.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const tool = requireTool("terraform");
if (!tool.found) console.log(`skipped: ${tool.reason}`);

for (const story of stories) {
  describe.skipIf(!tool.found)(`the lifecycle of a simulated ${story.cloud} account, using the CLI only`, () => {
    let server: RunningServer;

    beforeAll(async () => {
      server = await startServer({ environment: { CLOUDWRIGHT_DRIFT_CHECK: "Storage=3s,*=off" } });
    });
    afterAll(() => server?.stop());

    /** Runs a command line and expects it to succeed. Returns its output. */
    const typed = async (line: string, ...more: string[]): Promise<string> => {
      const { code, out, err } = await runCloud({ home: server.home }, ...line.split(" "), ...more);
      if (code !== 0) throw new Error(`cloud ${line} exited with ${code}: ${out}${err}`);
      return out.trim();
    };
    const show = async (line: string): Promise<JsonObject> => JSON.parse(await typed(`${line} -o json`)) as JsonObject;
    const inventory = async (type = ""): Promise<readonly Shown[]> =>
      (await show(`sim inventory ${type}`.trim()))["items"] as unknown as Shown[];
    const one = async (type: string): Promise<Shown> => {
      const [record, ...others] = await inventory(type);
      if (record === undefined || others.length > 0) throw new Error(`expected exactly one ${type}`);
      return record;
    };
    const nodes = async (): Promise<number> => ((await show("k8s get dev"))["status"] as { readyNodes: number }).readyNodes;
    const pools = async (): Promise<ReturnType<CloudStory["readPool"]>[]> =>
      (await Promise.all(story.poolTypes.map(inventory))).flat().map((pool) => story.readPool(pool));
    const countInCloud = async (): Promise<number> => (await pools()).reduce((sum, { nodes: count }) => sum + count, 0);

    test("M020 M110 M120 M137 X034 an account, a network, a cluster and storage reach RUNNING", async () => {
      await typed(`account create acme --cloud ${story.cloud} --simulated --wait`);
      await typed(`network create main --account acme ${story.networkFlags} --wait`);
      const network = await inventory();
      const told = await typed("k8s create dev --network main --workers 2 --version 1.33 --preview");
      expect(told).toMatch(new RegExp(`^infrastructure +create +${story.clusterType}\\.this$`, "m"));
      expect(told).toMatch(/^nodes +create +default/m);
      expect(told).toMatch(/^add-ons +create +/m);
      expect([await inventory(), await typed("k8s list -o name")]).toEqual([network, ""]);
      await typed("k8s create dev --network main --workers 2 --version 1.33");
      await typed("storage create backups --cluster dev --type bucket --bucket-versioning --wait");
      await typed("storage create scratch --cluster dev --type volume --volume-size-gib 10 --wait");
      for (const kind of ["account", "network", "k8s", "storage"]) expect(await typed(`${kind} list`)).toContain("RUNNING");
      expect(story.readClusterVersion(await one(story.clusterType))).toMatch(/^1\.33/);
      for (const type of [story.natType, story.volumeType, story.bucket.type]) expect(await inventory(type)).toHaveLength(1);
      expect([await nodes(), await countInCloud()]).toEqual([2, 2]);
    });

    test("M125 M160 a node pool is added and scaled", async () => {
      await typed("nodepool create extra --cluster dev --min 1 --desired 1 --max 4 --wait");
      await waitUntil("the node of the pool is ready", async () => (await nodes()) === 3);
      await typed("nodepool update extra --cluster dev --desired 2 --wait");
      await waitUntil("both nodes and their pods are ready", async () => /^dev +RUNNING .* 4\/4 /m.test(await typed("k8s list")));
      expect(await countInCloud()).toBe(4);
    });

    test("X034 M161 the changes of an upgrade are listed before it is made", async () => {
      const before = await inventory();
      const told = await typed("k8s upgrade dev --version 1.34 --preview");
      const [title, ...rows] = told.split("\n").map((line) => line.split(/ {2,}/));
      expect(title).toEqual(["PART", "ACTION", "NAME", "DETAILS"]);
      const checks = [
        ["upgrade", "check", "before", /before the upgrade to 1\.34/],
        ["upgrade", "update", "1.34", /control plane, then nodes/],
        ["upgrade", "check", "after", /after the upgrade to 1\.34/],
      ];
      const patterns = [...story.upgradeRows, ...checks].map((row) => row.map((cell) => expect.stringMatching(cell)));
      expect(rows).toEqual(patterns);
      expect(await inventory()).toEqual(before);
      await typed("k8s upgrade dev --version 1.34 --wait");
      expect(story.readClusterVersion(await one(story.clusterType))).toMatch(/^1\.34/);
      const versions = (await pools()).map(({ version }) => version);
      expect(versions).toEqual(versions.map(() => expect.stringMatching(/^1\.34/)));
      expect(await typed("k8s list")).toMatch(/^dev +RUNNING +1\.34/m);
    });

    test("M135 M137 a bucket rule is changed", async () => {
      await typed("storage update backups --bucket-lifecycle-rules id=old,prefix=logs/,expireAfterDays=30 --wait");
      const rules = JSON.stringify(await inventory(story.bucket.ruleType));
      expect(rules).toContain("logs/");
      expect(rules).toMatch(story.bucket.ruleDays);
    });

    test.runIf(story.cloud === "aws")("M128 an add-on of the cloud is changed", async () => {
      await typed("k8s update dev --wait --add-ons", 'name=coredns,configuration={"replicaCount":3}');
      const addOns = await inventory("aws_eks_addon");
      const dns = addOns.find(({ attributes }) => attributes["addon_name"] === "coredns");
      expect(dns?.attributes["configuration_values"]).toContain("3");
    });

    test("M042 X033 an external change is detected, and corrected on request", async () => {
      const { versioningType, turnOff, attribute, isVersioned } = story.bucket;
      const bucket = await one(versioningType);
      await typed(`sim drift ${versioningType}/${bucket.id}`, turnOff(bucket));
      await waitUntil("the drift is reported", async () => /storage\/backups +OPEN +1/.test(await typed("drift list")));
      expect(await typed("drift get storage/backups")).toContain(attribute);
      expect(isVersioned(await one(versioningType))).toBe(false);
      await typed("drift correct storage/backups --wait");
      expect(isVersioned(await one(versioningType))).toBe(true);
    });

    test("X010 with a leftover load balancer and volume in the cluster, everything is deleted in the right order", async () => {
      const client = createKubeClient(readKubeconfig(await typed("k8s kubeconfig dev")));
      onTestFinished(() => client.close());
      const before = await inventory();
      for (const object of leftovers) await client.apply(object);
      await waitUntil("the load balancer and the volume are in the account", async () => {
        const known = new Set(before.map(({ id }) => id));
        const made = (await inventory()).filter(({ id }) => !known.has(id)).map(({ type }) => type);
        return story.leftoverTypes.every((type) => made.includes(type));
      });
      // The network still has children, so it can only be deleted with --cascade.
      expect((await runCloud({ home: server.home }, "delete", "network", "main", "--yes")).code).not.toBe(0);
      await typed("delete cluster dev --cascade --wait --yes");
      const left = new Set((await inventory()).map(({ type }) => type));
      for (const type of [...story.leftoverTypes, story.clusterType, story.bucket.type, story.volumeType])
        expect(left).not.toContain(type);
      await typed("delete network main --wait --yes");
      expect(await inventory()).toEqual([]);
      await typed("delete account acme --cascade --wait --yes");
      for (const kind of ["account", "network", "k8s", "storage"]) expect(await typed(`${kind} list -o name`)).toBe("");
    });
  });
}

const metadata = (name: string): KubeObject["metadata"] => ({ name, namespace: "default" });
const container = { name: "c", image: "i", volumeMounts: [{ name: "v", mountPath: "/v" }] };
const leftovers: readonly KubeObject[] = [
  { apiVersion: "v1", kind: "Service", metadata: metadata("web"), spec: { type: "LoadBalancer", ports: [{ port: 80 }] } },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: metadata("data"),
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  {
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata("user"),
    spec: { containers: [container], volumes: [{ name: "v", persistentVolumeClaim: { claimName: "data" } }] },
  },
];
