import type { CloudLibrary } from "@cloudwright/clouds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CloudRecord } from "@cloudwright/simulator";
import { createKubectl, kubectlTool } from "@cloudwright/simulator/testing";
import { runCloud } from "../cloud-command.ts";
import { listDifferences } from "../existing/list-differences.ts";
import { createSampleAccount, createSampleCluster, readInventory, runOk } from "../existing/sample-cluster.ts";
import { sampleClouds, type SampleCloud } from "../existing/sample-clouds.ts";
import { startServer, type RunningServer } from "../server.ts";

interface Shown {
  readonly metadata: { readonly uid: string; readonly operation: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>> & {
    readonly existing: { readonly state: string; readonly nodePools: readonly Readonly<Record<string, unknown>>[] };
    readonly conditions: readonly Readonly<Record<string, string>>[];
  };
}

describe.each(sampleClouds)("in a simulated account of $cloud:", (sample) => {
  describeStory(sample);
});

/** Defines the tests for one existing cluster, from its discovery to its release. Each test builds on the previous ones. */
function describeStory(sample: SampleCloud): void {
  const { region, types } = sample;
  const [isOld, isNew] = sample.versions.map((version) => expect.stringMatching(new RegExp(`^${version}$`)) as string);
  const isUpgraded = expect.stringMatching(new RegExp(String.raw`^version ${sample.versions[0]} -> 1\.34$`)) as string;
  let server: RunningServer;
  let library: CloudLibrary;
  let id: string;

  const cloud = (...args: string[]): Promise<string> => runOk(server, ...args);

  /** Runs a command that must fail, and returns its output. */
  async function refuse(...args: string[]): Promise<string> {
    const { code, out, err } = await runCloud({ home: server.home }, ...args);
    expect([args.join(" "), code]).not.toEqual([args.join(" "), 0]);
    return `${out}${err}`;
  }

  const getCluster = async (name: string): Promise<Shown> =>
    JSON.parse(await cloud("cluster", "get", name, "-o", "json")) as Shown;
  const readAll = () => readInventory(server, "prod");

  beforeAll(async () => {
    server = await startServer();
    library = await createSampleAccount(server, "prod", sample);
    id = await createSampleCluster(library, "shop", sample);
  });
  afterAll(async () => {
    await library?.close();
    await server?.stop();
  });

  describe("an existing cluster", () => {
    test("M028 discover lists clusters that the platform did not create", async () => {
      const listed = await cloud("k8s", "discover", "--account", "prod");
      expect(listed).toMatch(new RegExp(String.raw`shop +${region} +running +${sample.versions[0]} +2 +none`));
      expect(await cloud("k8s", "discover", "--account", "prod", "--region", sample.emptyRegion, "-o", "json")).toContain(
        '"items": []',
      );
      expect(await refuse("k8s", "import", "nothing", "--account", "prod", "--region", region)).toContain("cli.no_such_cluster");
    });

    test("M028 X016 import observes a cluster and release lets go of it, and every field in the cloud stays as it was", async () => {
      const before = await readAll();
      expect(before.map(({ type }) => type)).toEqual(expect.arrayContaining(Object.keys(sample.upgraded)));
      expect(await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait")).toContain("RUNNING");
      const { spec, status } = await getCluster("shop");
      expect(spec).toMatchObject({ existing: { account: "prod", id, region, mode: "observe" } });
      expect(status).toMatchObject({
        phase: "RUNNING",
        version: isOld,
        wantedNodes: 2,
        existing: { state: "running" },
      });
      expect(status.existing.nodePools).toMatchObject([{ name: "workers", nodes: 2, version: isOld, managedBy: "others" }]);
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("in sync");
      expect(await cloud("k8s", "discover", "--account", "prod")).toMatch(/shop .* observed +shop/);
      expect(await cloud("k8s", "kubeconfig", "shop")).toContain("server: https://");
      expect(await refuse("k8s", "upgrade", "shop", "--version", "1.34")).toContain("api.invalid");
      expect(await refuse("nodepool", "create", "shop/more", "--desired", "1", "--max", "1")).toContain("api.invalid");
      expect(await refuse("k8s", "release", "shop")).toContain("cli.not_confirmed");
      expect(await readAll()).toEqual(before);
      await cloud("k8s", "release", "shop", "--yes", "--wait");
      expect(await refuse("cluster", "get", "shop")).toContain("not found");
      expect(await readAll()).toEqual(before);
    });

    test("M028 kubectl uses the kubeconfig of a cluster that was not imported", async () => {
      const kubeconfig = await cloud("k8s", "kubeconfig", "shop", "--account", "prod", "--region", region, "--role", "viewer");
      expect(kubeconfig).toContain("server: https://");
      expect(await refuse("k8s", "kubeconfig", "nothing", "--account", "prod")).toContain("cli.no_such_cluster");
      expect(await refuse("k8s", "kubeconfig", "shop", "--account", "prod", "--exec", "cloud")).toContain("api.no_exec");
      if (!kubectlTool.found) return;
      const kubectl = await createKubectl(kubeconfig);
      expect((await kubectl.ok("get nodes -o name")).trim().split("\n")).toHaveLength(2);
      expect((await kubectl.run("delete nodes --all")).code).not.toBe(0);
      await kubectl.close();
    });

    test("M028 a cluster is imported once, also by concurrent requests, and not through an account of another project", async () => {
      const entity = (name: string) =>
        JSON.stringify({ metadata: { name }, spec: { existing: { account: "prod", id, region } } });
      const create = async (name: string): Promise<number> => {
        const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" };
        const path = `${server.address}/v1/projects/default/clusters`;
        return (await fetch(path, { method: "POST", headers, body: entity(name) })).status;
      };
      const answers = await Promise.all(["one", "two", "three", "four"].map(create));
      expect(answers.filter((status) => status < 300)).toHaveLength(1);
      expect(answers.filter((status) => status === 409)).toHaveLength(3);
      expect(await refuse("k8s", "import", "again", "--account", "prod", "--region", region, "--id", id)).toContain(
        "store.imported",
      );
      const [winner = ""] = (await cloud("cluster", "list", "-o", "name")).trim().split("\n");
      await cloud("k8s", "release", winner.replace(/^.*\//, ""), "--yes", "--wait");
      await cloud("project", "create", "other");
      const foreign = JSON.stringify({ kind: "Cluster", ...(JSON.parse(entity("stolen")) as object) });
      const { code, err } = await runCloud({ home: server.home, stdin: foreign }, "-p", "other", "create", "-f", "-");
      expect([code === 0, err]).toEqual([false, expect.stringContaining('Account "prod" not found')]);
    });

    test("M028 drift names what somebody changed in an observed cluster, and nothing after it was changed back", async () => {
      await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait");
      await library.nodePools.update(id, "workers", { labels: { team: "shop", tier: "web" } }, { wait: "ready" });
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("drifted");
      expect(await cloud("drift", "get", "cluster/shop", "-o", "json")).toContain("tier");
      await library.nodePools.update(id, "workers", { labels: { team: "shop" } }, { wait: "ready" });
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("in sync");
      await cloud("k8s", "release", "shop", "--yes", "--wait");
    });

    test("M028 a cluster that an entity of the platform created is not imported", async () => {
      const uid = "01990000-0000-7000-8000-000000000001";
      await library.clusters.create(
        { ...sample.request, name: "ours", version: "1.33", nodeCount: 1, tags: { "cloudwright:entity": uid } },
        { wait: "ready" },
      );
      expect(await cloud("k8s", "discover", "--account", "prod")).toMatch(new RegExp(`ours .* created +${uid}`));
      const failed = await refuse("k8s", "import", "ours", "--account", "prod", "--region", region, "--wait");
      expect(failed).toContain("deployer.existing_owned");
      await cloud("k8s", "release", "ours", "--yes", "--wait");
      expect(await library.clusters.find("ours")).toBeDefined();
    });
  });

  describe("X016 what was not created here is never deleted", () => {
    const call = async (method: string, path: string, body?: object): Promise<readonly [number, string]> => {
      const response = await fetch(`${server.address}/v1/projects/${path}`, {
        method,
        headers: { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const { code = "" } = (await response.json()) as { code?: string };
      return [response.status, code];
    };
    let before: Awaited<ReturnType<typeof readAll>>;

    beforeAll(async () => {
      await cloud("environment", "create", "live");
      await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--environment", "live", "--wait");
      before = await readAll();
      await cloud("k8s", "manage", "shop", "--yes", "--wait");
    });

    test.each([
      ["the cluster", "default/clusters/shop", ""],
      ["the cluster by cascade", "default/clusters/shop", "?cascade=true"],
      ["the cluster by force", "default/clusters/shop", "?force=true"],
      ["the cluster by cascade and force", "default/clusters/shop", "?cascade=true&force=true"],
      ["the cluster with its volumes", "default/clusters/shop", "?cascade=true&volumes=delete"],
      ["the cluster as a dry run", "default/clusters/shop", "?cascade=true&dryRun=true"],
      ["the cluster as a preview", "default/clusters/shop", "?cascade=true&preview=true"],
      ["a pool that was taken over", "default/clusters/shop/nodepools/workers", ""],
      ["a pool that was taken over by force", "default/clusters/shop/nodepools/workers", "?force=true"],
      ["the account by cascade", "default/accounts/prod", "?cascade=true"],
      ["the account by cascade and force", "default/accounts/prod", "?cascade=true&force=true"],
      ["the project by cascade", "default", "?cascade=true"],
    ])("the deletion of %s is refused", async (_what, path, query) => {
      expect(await call("DELETE", `${path}${query}`)).toEqual([409, "api.not_created_here"]);
    });

    test.each([
      ["the account without cascade", "default/accounts/prod", "api.not_created_here"],
      ["the environment", "default/environments/live", "store.in_use"],
    ])("the deletion of %s is refused", async (_what, path, code) => {
      expect(await call("DELETE", path)).toEqual([409, code]);
    });

    test("a spec cannot turn an existing cluster into one that the platform created, nor the other way round", async () => {
      const path = "default/clusters/shop";
      expect((await call("PATCH", path, { spec: { existing: null } }))[0]).toBe(400);
      expect((await call("PATCH", path, { spec: { existing: null, network: "net" } }))[0]).toBe(400);
      expect((await call("PATCH", path, { spec: { existing: { id: `${id}-2` } } }))[0]).toBe(400);
      expect((await call("PATCH", `${path}/nodepools/workers`, { spec: { existing: false } }))[0]).toBe(400);
      expect((await call("PATCH", path, { metadata: { deletionPolicy: "retain" } }))[0]).toBe(200);
      expect(await call("DELETE", path)).toEqual([409, "api.not_created_here"]);
    });

    test("repair commands and retries neither delete nor adopt anything, and the cloud is as before", async () => {
      const { metadata } = await getCluster("shop");
      for (const verb of ["adopt", "forget"])
        await call("POST", `default/states/${metadata.uid}:${verb}`, { address: `${types.cluster}.this`, id: "shop" });
      await call("POST", `default/operations/${metadata.operation}:retry`, {});
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("in sync");
      expect(await readAll()).toEqual(before);
    });

    test("release during a pause, and after it a second release, leave the cloud as it was", async () => {
      await cloud("cluster", "pause", "shop");
      await cloud("k8s", "release", "shop", "--yes");
      await cloud("cluster", "resume", "shop").catch(() => "");
      await expect.poll(async () => cloud("cluster", "list", "-o", "name"), { timeout: 60_000 }).not.toContain("shop");
      expect(await refuse("k8s", "release", "shop", "--yes")).toContain("not found");
      expect(await readAll()).toEqual(before);
    });
  });

  describe("X016 a managed cluster", () => {
    const attributesOf = async (type: string) =>
      (await readAll()).filter((record) => record.type === type).map(({ attributes }) => attributes);

    test("manage shows a preview, takes over the pools and changes nothing", async () => {
      await cloud("k8s", "import", "shop", "--account", "prod", "--region", region, "--wait");
      const before = await readAll();
      expect(await cloud("k8s", "manage", "shop", "--preview")).toMatch(/nodes +keep +workers .*nothing about it changes/);
      expect((await getCluster("shop")).spec).toMatchObject({ existing: { mode: "observe" } });
      await cloud("k8s", "manage", "shop", "--yes", "--wait");
      expect(await cloud("nodepool", "list")).toMatch(
        new RegExp(`shop +workers +RUNNING +${sample.nodeType.replace(".", "[.]")} +${sample.size.join(" +")}`),
      );
      expect((await getCluster("shop")).status.existing.nodePools).toMatchObject([{ name: "workers", managedBy: "platform" }]);
      expect(await readAll()).toEqual(before);
    });

    test("X016 an upgrade changes exactly what its preview said", async () => {
      const before = await readAll();
      const preview = await cloud("k8s", "upgrade", "shop", "--version", "1.34", "--preview", "-o", "json");
      const { status } = JSON.parse(preview) as { status: { preview: { name: string; message: string }[] } };
      expect(status.preview.map(({ name, message }) => [name, message])).toEqual([
        [`${types.cluster}.this`, isUpgraded],
        ["workers", isUpgraded],
      ]);
      await cloud("k8s", "upgrade", "shop", "--version", "1.34", "--wait");
      const after = await readAll();
      expect(listChanged(before, after)).toEqual(sample.upgraded);
      expect(after.map(({ type, id: of }) => `${type}/${of}`)).toEqual(before.map(({ type, id: of }) => `${type}/${of}`));
      const { version, nodePools } = await library.clusters.get(id);
      expect([version, ...nodePools.map((pool) => pool.version)]).toEqual([isNew, isNew]);
    });

    test("X016 pools are scaled, and only pools that the platform created are deleted", async () => {
      await cloud("nodepool", "update", "shop/workers", ...sample.scaleFlags, "--wait");
      expect(await library.nodePools.get(id, "workers")).toMatchObject({ count: 3 });
      const roles = await attributesOf("aws_iam_role");
      await cloud("nodepool", "create", "shop/extra", "--min", "1", "--desired", "1", "--max", "2", "--wait");
      expect(await library.nodePools.list(id)).toHaveLength(2);
      expect((await library.nodePools.list(id)).map(({ name, count }) => [name, count])).toEqual(
        expect.arrayContaining([
          ["extra", 1],
          ["workers", 3],
        ]),
      );
      // The new pool uses the role of the existing pool, so no role was created.
      expect(await attributesOf("aws_iam_role")).toEqual(roles);
      await cloud("delete", "nodepool", "shop/extra", "--yes", "--wait");
      expect((await library.nodePools.list(id)).map(({ name }) => name)).toEqual(["workers"]);
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("in sync");
    });

    test("M028 a cluster that somebody deletes is reported, and can still be released", async () => {
      await library.clusters.delete(id, { wait: "gone" });
      expect(await cloud("drift", "check", "cluster/shop", "--wait")).toContain("drifted");
      const { status } = await getCluster("shop");
      expect(status.existing.state).toBe("gone");
      const drifted = status.conditions.find(({ type }) => type === "Drifted");
      expect(drifted).toMatchObject({
        status: "True",
        message: expect.stringContaining(`${types.cluster}.this no longer exists`),
      });
      await cloud("k8s", "release", "shop", "--yes", "--wait");
      expect(await cloud("cluster", "list", "-o", "name")).not.toContain("shop");
    });
  });
}

/** Returns the paths of the attributes that differ, keyed by resource type. */
function listChanged(before: readonly CloudRecord[], after: readonly CloudRecord[]): Record<string, readonly string[]> {
  const changed: Record<string, readonly string[]> = {};
  for (const { type, id, attributes } of after) {
    const former = before.find((record) => record.type === type && record.id === id);
    const paths = listDifferences(former?.attributes ?? {}, attributes).map((line) => line.split(":")[0] ?? "");
    if (paths.length > 0) changed[type] = [...(changed[type] ?? []), ...paths];
  }
  return changed;
}
