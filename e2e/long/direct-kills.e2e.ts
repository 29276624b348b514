import { startTestEndpoint, type TestEndpoint } from "@cloudwright/deployer/testing";
import { createUid, processEnvironment, Secret, systemClock } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { changeConditions, createMemoryInventory, findSimulatedCloud, startApiHost } from "@cloudwright/simulator";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CountingProxy, RequestPoint } from "../kill-direct/counting-proxy.ts";
import type { DirectRun } from "../kill-direct/direct-run.ts";
import { killClouds, ownerOf, versionOf, type KillCloud } from "../kill-direct/kill-clouds.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = fileURLToPath(new URL("../kill-direct/direct-run.ts", import.meta.url));
const tenant = "0199-account";
const extra = { uid: "p", name: "extra", spec: { min: 1, desired: 1, max: 2 } };

type Want = Pick<DirectRun, "service" | "action"> & {
  readonly spec: NonNullable<DirectRun["task"]["spec"]>;
  readonly pools?: (typeof extra)[];
  /** Returns the outputs of the last apply, if the run depends on them. */
  readonly renderOutputs?: KillCloud["renderOutputs"] | undefined;
};

interface Case {
  readonly what: string;
  readonly before: readonly Want[];
  readonly killed: Want;
  /** Deletes the entity. */
  readonly ends: Want;
}

function listCases({ cluster, change, changedCluster, machine, otherType, renderOutputs }: KillCloud): readonly Case[] {
  const builds: Want = { service: "cluster", action: "build", spec: cluster, pools: [extra] };
  const destroys: Want = { ...builds, action: "destroy", pools: [] };
  const buildsMachine: Want = { service: "instance", action: "build", spec: machine };
  const destroysMachine: Want = { ...buildsMachine, action: "destroy" };
  const stopped = { ...buildsMachine, spec: { ...machine, machineType: otherType, running: false } };
  return [
    { what: "a new cluster with two pools", before: [], killed: builds, ends: destroys },
    {
      what: `an upgrade, a scaled pool and ${change}`,
      before: [builds],
      killed: { ...builds, spec: changedCluster, renderOutputs },
      ends: destroys,
    },
    { what: "the deletion of a pool", before: [builds], killed: { ...builds, pools: [] }, ends: destroys },
    { what: "the deletion of the cluster", before: [builds], killed: destroys, ends: destroys },
    { what: "a new instance", before: [], killed: buildsMachine, ends: destroysMachine },
    {
      what: "a stop of an instance with a change of its type",
      before: [buildsMachine],
      killed: stopped,
      ends: destroysMachine,
    },
    { what: "the deletion of an instance", before: [buildsMachine], killed: destroysMachine, ends: destroysMachine },
  ];
}

/** The number of points that are tested in each case, or `all`. */
const samples = processEnvironment["CLOUDWRIGHT_KILLS"] ?? "2";

describe.each(killClouds)("kills of direct runs in $cloud", (killed) => {
  registerKills(killed);
});

function registerKills(killCloud: KillCloud): void {
  const { cloud, region, references = [] } = killCloud;
  const inventory = createMemoryInventory();
  let host: Awaited<ReturnType<typeof startApiHost>>;
  let proxy: CountingProxy;
  let endpoint: TestEndpoint;
  let options: Readonly<Record<string, unknown>>;
  let network: NonNullable<DirectRun["task"]["parents"]>[number];
  let fixture: ReadonlySet<string>;

  beforeAll(async () => {
    await changeConditions(inventory, tenant, { timeScale: 0 });
    host = await startApiHost({ inventory, secret: new Secret("test"), listen: { port: 0 } });
    endpoint = await startTestEndpoint();
    const issued = await host.issue(tenant, cloud, { region });
    const outputs = await killCloud.putNetwork(inventory, tenant, issued.options);
    network = { kind: "Network", uid: "n", name: "net", spec: { region }, outputs };
    fixture = new Set((await inventory.list(tenant)).map(({ id }) => id));
    ({ proxy, options } = await killCloud.startProxy(host, issued.options));
  });
  afterAll(async () => {
    await endpoint?.close();
    await proxy?.close();
    await host?.close();
  });

  /** Runs a process until it exits, or kills it at a point. Returns whether it was killed. */
  async function run(
    uid: string,
    { service, action, spec, pools = [], renderOutputs }: Want,
    point?: RequestPoint,
    resumed = false,
  ): Promise<boolean> {
    const child = spawn(`${root}/node_modules/.bin/node`, [script], { stdio: ["pipe", "ignore", "pipe"] });
    let [errors, isKilled] = ["", false];
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    proxy.arm(point, () => {
      isKilled = true;
      child.kill("SIGKILL");
    });
    const { password, ...access } = endpoint.access(uid);
    const outputs = renderOutputs === undefined ? {} : { outputs: renderOutputs(uid) };
    const work: DirectRun = {
      cloud,
      service,
      action,
      task: {
        account: { cloud },
        entityUid: uid,
        name: "dev",
        spec,
        parents: [network],
        nodePools: pools,
        references,
        resumed,
        ...outputs,
      },
      state: { ...access, password: password.reveal() },
      options,
    };
    child.stdin.on("error", () => undefined).end(JSON.stringify(work));
    const [code] = (await once(child, "close")) as [number | null];
    if (!isKilled && code !== 0) throw new Error(`${action} ended with ${code}: ${errors}`);
    return isKilled;
  }

  const account = findSimulatedCloud(cloud)?.openAccount?.({ inventory, tenant, region });

  async function listOwned(uid: string) {
    // If the simulated cloud cannot list owned resources, the owner is read from tags and descriptions.
    const own = await account?.listOwned?.(uid);
    const ids = new Set(own?.map(({ type, id }) => `${type} ${id}`));
    const records = (await inventory.list(tenant)).filter((record) =>
      own === undefined ? ownerOf(record) === uid : ids.has(`${record.type} ${record.id}`),
    );
    return records.map((record) => `${record.type} ${versionOf(record)}`).toSorted();
  }

  /** Lists the types of all records that are not part of the fixture, regardless of who created them. */
  const listAll = async () =>
    (await inventory.list(tenant))
      .filter(({ type, id }) => !type.startsWith("cloud_") && !fixture.has(id))
      .map(({ type }) => type);

  test.each(listCases(killCloud))(
    "X030 X031 $what: killed at any mutating request, before or after the cloud received it, it converges without duplicates or orphans",
    async ({ what, before, killed, ends }) => {
      const random = createRandom(printSeed(`direct kills in ${cloud}, ${what}`)).next;
      const clean = createUid(systemClock.now());
      for (const want of before) await run(clean, want);
      await run(clean, killed);
      const [count, expected] = [proxy.requests.length, await listOwned(clean)];
      expect(count).toBeGreaterThan(0);
      await run(clean, ends);
      expect(await listAll()).toEqual([]);
      const points = Array.from({ length: count }, (_, index) => index + 1).flatMap((request): RequestPoint[] => [
        { request, moment: "before" },
        { request, moment: "after" },
      ]);
      const shuffled = points.map((point) => ({ point, order: random() })).toSorted((one, other) => one.order - other.order);
      const chosen = samples === "all" ? points : shuffled.slice(0, Number(samples)).map(({ point }) => point);
      for (const point of chosen) {
        const uid = createUid(systemClock.now());
        for (const want of before) await run(uid, want);
        const wasKilled = await run(uid, killed, point);
        await run(uid, killed, undefined, true);
        expect({ point, wasKilled, owned: await listOwned(uid) }).toEqual({ point, wasKilled: true, owned: expected });
        // A repeated run finds nothing to do.
        await run(uid, killed);
        expect({ point, requests: [...proxy.requests] }).toEqual({ point, requests: [] });
        await run(uid, ends);
        expect({ point, left: await listAll() }).toEqual({ point, left: [] });
      }
    },
  );
}
