import { systemClock } from "@cloudwright/platform";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LibraryClock } from "../library/call-options.ts";
import type { ClusterRequest } from "../library/clusters.ts";
import { isCloudFault } from "../library/errors.ts";
import type { InstanceRequest } from "../library/instances.ts";
import type { CloudLibrary } from "../library/library.ts";

/** A library and the request fields that its cloud requires. */
export interface LibraryFixture {
  readonly library: CloudLibrary;
  /** Fields of a valid cluster request, without name and nodes. `version` must not be the newest one. */
  readonly cluster: Omit<ClusterRequest, "name" | "nodeCount"> & { readonly version: string; readonly nodeType: string };
  /** Fields of a valid instance request, without the name. Absent if the server has no machines. */
  readonly instance?: Omit<InstanceRequest, "name">;
  /** Secrets in the factory's options. */
  readonly secrets: readonly string[];
  /** Lists the resources in the cloud other than clusters and instances, such as roles, disks and network interfaces. Default: nothing. */
  listOthers?(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Features that a server may lack. The suite skips their tests. */
export type LibraryFeature = "clusters" | "pools" | "pool tags" | "versions" | "upgrade" | "instances" | "token kubeconfig";

/** A clock that shows the real time but shortens waits. */
export const shortWaits: LibraryClock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 20), signal),
};

const longMs = 120_000;

/**
 * The contract suite for `CloudLibrary`. Each cloud runs it against a server that speaks the cloud's own API. `lacks` states what the
 * server cannot do and why. The suite prints these reasons.
 */
export function describeCloudLibrary(
  title: string,
  openFixture: () => Promise<LibraryFixture>,
  lacks: Partial<Readonly<Record<LibraryFeature, string>>> = {},
): void {
  describe(`the library contract: ${title}`, () => {
    let fixture: LibraryFixture;
    let library: CloudLibrary;
    beforeAll(async () => {
      fixture = await openFixture();
      ({ library } = fixture);
    }, longMs);
    afterAll(async () => {
      await library?.close();
      await fixture?.close();
    });
    const check = (name: string, needs: readonly LibraryFeature[], run: () => Promise<void>): void => {
      const missing = needs.flatMap((need) => lacks[need] ?? []);
      const suffix = missing.length > 0 ? ` (skipped: ${missing.join("; ")})` : "";
      test.skipIf(missing.length > 0)(
        `${name}${suffix}`,
        async () => {
          expect.hasAssertions();
          await run();
        },
        longMs,
      );
    };
    const request = (name: string, nodeCount: number): ClusterRequest => ({ ...fixture.cluster, name, nodeCount });

    check("M140 a missing resource is not found, and deleting it succeeds", ["clusters"], async () => {
      const fault = await library.clusters.get("missing-1").catch((error: unknown) => error);
      expect(isCloudFault(fault, "not_found")).toBe(true);
      expect(fault).toMatchObject({ code: "clouds.not_found", extra: { cloud: library.cloud, category: "not_found" } });
      expect(await library.clusters.find("missing-1")).toBeUndefined();
      await library.clusters.delete("missing-1");
      await expect(library.clusters.kubeconfig("missing-1")).rejects.toMatchObject({ code: "clouds.not_found" });
      expect((await library.clusters.list()).map(({ name }) => name)).not.toContain("missing-1");
    });

    check(
      "M140 a cluster is created with its nodes, found by name, ID and list, and deleted completely",
      ["clusters"],
      async () => {
        const before = (await fixture.listOthers?.()) ?? [];
        const statuses: string[] = [];
        const made = await library.clusters.create(request("life-1", 2));
        const onStatus = (status: string): void => void statuses.push(status);
        const ready = await library.clusters.waitReady("life-1", { onStatus });
        expect(statuses.at(-1)).toBe("running");
        expect(ready).toMatchObject({ id: made.id, name: "life-1", cloud: library.cloud, status: "running" });
        expect(ready.version).toContain(fixture.cluster.version.replace(/^v/, ""));
        expect(ready.nodePools).toHaveLength(1);
        expect(ready.nodePools[0]).toMatchObject({ count: 2, types: [fixture.cluster.nodeType], status: "running" });
        expect(await library.clusters.get(made.id)).toEqual(ready);
        expect((await library.clusters.list()).find(({ name }) => name === "life-1")?.id).toBe(made.id);
        const text = await library.clusters.kubeconfig("life-1");
        expect(text).toContain(ready.endpoint);
        for (const secret of fixture.secrets) expect(text).not.toContain(secret);
        await library.clusters.delete(made.id);
        expect(await library.clusters.find(made.id)).toBeUndefined();
        expect(await library.clusters.find("life-1")).toBeUndefined();
        expect((await fixture.listOthers?.()) ?? []).toEqual(before);
      },
    );

    check("M156 a kubeconfig can contain a token", ["clusters", "token kubeconfig"], async () => {
      const { id } = await library.clusters.create(request("token-1", 1), { wait: "ready" });
      expect(await library.clusters.kubeconfig(id, { mode: "token" })).toMatch(/token: "?\S{20,}/);
      await library.clusters.delete(id);
    });

    check(
      "M140 a repeated create with its token returns the same cluster, and any other create is refused",
      ["clusters"],
      async () => {
        const first = await library.clusters.create(request("twice-1", 1), { token: "contract-twice" });
        const again = await library.clusters.create(request("twice-1", 1), { token: "contract-twice" });
        expect(again.id).toBe(first.id);
        expect((await library.clusters.list()).filter(({ name }) => name === "twice-1")).toHaveLength(1);
        await expect(library.clusters.create(request("twice-1", 1))).rejects.toMatchObject({ code: "clouds.conflict" });
        await library.clusters.delete("twice-1");
      },
    );

    check("M160 node pools are created, scaled, changed, drained and deleted", ["clusters", "pools"], async () => {
      await library.clusters.create(request("pools-1", 1), { wait: "ready" });
      const { nodePools } = library;
      const pool = { name: "second", count: 1, type: fixture.cluster.nodeType, labels: { tier: "b" } };
      const made = await nodePools.create("pools-1", pool, { wait: "ready", token: "pools-second" });
      expect(made).toMatchObject({ name: "second", count: 1, status: "running", labels: { tier: "b" } });
      expect((await nodePools.create("pools-1", pool, { token: "pools-second" })).id).toBe(made.id);
      await expect(nodePools.create("pools-1", pool)).rejects.toMatchObject({ code: "clouds.conflict" });
      expect(await nodePools.scale("pools-1", "second", 3, { wait: "ready" })).toMatchObject({ count: 3 });
      const changed = await nodePools.update("pools-1", "second", { labels: { tier: "c" } }, { wait: "ready" });
      expect(changed).toMatchObject({ count: 3, labels: { tier: "c" } });
      expect((await nodePools.list("pools-1")).map(({ name }) => name)).toContain("second");
      const drained: string[] = [];
      await nodePools.delete("pools-1", "second", { drain: async (selector) => void drained.push(selector) });
      expect(drained).toEqual([made.nodeSelector]);
      await nodePools.delete("pools-1", "second", { drain: async () => expect.unreachable("the pool does not exist") });
      await expect(nodePools.get("pools-1", "second")).rejects.toMatchObject({ code: "clouds.not_found" });
      await library.clusters.delete("pools-1");
    });

    check("M140 an impossible machine type is refused before anything is created", ["clusters"], async () => {
      const before = (await fixture.listOthers?.()) ?? [];
      const nodeType = "no-such-type";
      const refused = { code: "clouds.invalid", message: expect.stringContaining(nodeType) as string, left: [] };
      await expect(library.clusters.create({ ...request("odd-1", 1), nodeType })).rejects.toMatchObject(refused);
      expect(await library.clusters.find("odd-1")).toBeUndefined();
      expect((await fixture.listOthers?.()) ?? []).toEqual(before);
    });

    check(
      "M160 an impossible machine type of a node pool is refused, and nothing is created",
      ["clusters", "pools"],
      async () => {
        await library.clusters.create(request("odd-2", 1), { wait: "ready" });
        const before = (await fixture.listOthers?.()) ?? [];
        const pool = { name: "odd", count: 1, type: "no-such-type" };
        const refused = { code: "clouds.invalid", message: expect.stringContaining(pool.type) as string, left: [] };
        await expect(library.nodePools.create("odd-2", pool)).rejects.toMatchObject(refused);
        expect((await library.nodePools.list("odd-2")).map(({ name }) => name)).not.toContain("odd");
        expect((await fixture.listOthers?.()) ?? []).toEqual(before);
        await library.clusters.delete("odd-2");
      },
    );

    check("M160 tags of a node pool are changed", ["clusters", "pools", "pool tags"], async () => {
      await library.clusters.create(request("tags-1", 1), { wait: "ready" });
      const name = (await library.nodePools.list("tags-1"))[0]?.name ?? "";
      await library.nodePools.update("tags-1", name, { tags: { team: "a" } }, { wait: "ready" });
      expect((await library.nodePools.get("tags-1", name)).tags).toMatchObject({ team: "a" });
      await library.clusters.delete("tags-1");
    });

    check("M161 available versions are listed, newest first", ["versions"], async () => {
      const versions = await library.availableVersions();
      expect(versions.filter(({ isDefault }) => isDefault).length).toBeLessThanOrEqual(1);
      expect(versions.map(({ minor }) => minor)).toContain(fixture.cluster.version);
      const minors = versions.map(({ minor }) => Number(minor.split(".")[1]));
      expect(minors).toEqual(minors.toSorted((a, b) => b - a));
    });

    check("M161 a cluster is upgraded by only one minor version, never downgraded", ["clusters", "upgrade"], async () => {
      await library.clusters.create(request("up-1", 1), { wait: "ready" });
      const from = Number(fixture.cluster.version.split(".")[1]);
      const next = `1.${from + 1}`;
      for (const version of [`1.${from + 2}`, `1.${from - 1}`, "newest"])
        await expect(library.upgrade("up-1", { version })).rejects.toMatchObject({ code: "clouds.invalid" });
      const plane = await library.upgrade("up-1", { version: next, pools: "control-plane" });
      expect(plane.version).toContain(next);
      expect(plane.nodePools[0]?.version).not.toContain(next);
      const asked: string[] = [];
      const done = await library.upgrade("up-1", { version: next, beforePool: async ({ name }) => void asked.push(name) });
      expect(done.nodePools[0]?.version).toContain(next);
      expect(asked).toEqual(done.nodePools.map(({ name }) => name));
      await library.upgrade("up-1", { version: next, beforePool: async () => expect.unreachable("the pool is up to date") });
      await library.clusters.delete("up-1");
    });

    check("M146 a machine is created, stopped, started and terminated completely", ["instances"], async () => {
      const before = (await fixture.listOthers?.()) ?? [];
      const { instances } = library;
      const tags = { purpose: "contract" };
      const made = await instances.create({ ...fixture.instance, name: "vm-1", tags } as InstanceRequest, { wait: "ready" });
      expect(made).toMatchObject({ name: "vm-1", cloud: library.cloud, status: "running", type: fixture.instance?.type, tags });
      expect(made.user).not.toBe("");
      expect(await instances.get("vm-1")).toMatchObject({ id: made.id });
      expect(await instances.get(made.id)).toMatchObject({ name: "vm-1" });
      expect((await instances.list({ tags })).map(({ id }) => id)).toEqual([made.id]);
      expect(await instances.list({ tags: { purpose: "another" } })).toEqual([]);
      expect((await instances.stop("vm-1")).status).toBe("stopped");
      expect((await instances.stop("vm-1")).status).toBe("stopped");
      expect((await instances.start(made.id)).status).toBe("running");
      expect(typeof (await instances.readConsole("vm-1"))).toBe("string");
      await instances.terminate("vm-1");
      await instances.terminate("vm-1");
      expect(await instances.find("vm-1")).toBeUndefined();
      expect((await instances.list()).map(({ id }) => id)).not.toContain(made.id);
      expect((await fixture.listOthers?.()) ?? []).toEqual(before);
    });

    check("M140 a repeated create with its token returns the same machine", ["instances"], async () => {
      const { instances } = library;
      const wanted = { ...fixture.instance, name: "vm-2" } as InstanceRequest;
      const first = await instances.create(wanted, { token: "contract-vm" });
      expect((await instances.create(wanted, { token: "contract-vm" })).id).toBe(first.id);
      expect((await instances.list()).filter(({ name }) => name === "vm-2")).toHaveLength(1);
      await instances.terminate(first.id);
    });

    check("M146 a missing machine is not found", ["instances"], async () => {
      await expect(library.instances.get("no-such-vm")).rejects.toMatchObject({ code: "clouds.not_found" });
      await expect(library.instances.stop("no-such-vm")).rejects.toMatchObject({ code: "clouds.not_found" });
      expect(await library.instances.find("no-such-vm")).toBeUndefined();
      await library.instances.terminate("no-such-vm");
    });

    check("M149 requests that cannot succeed are refused with the reason, and leave nothing behind", ["clusters"], async () => {
      const before = (await fixture.listOthers?.()) ?? [];
      const bad: Partial<ClusterRequest>[] = [
        { name: "" },
        { name: "a/b" },
        { name: "../x" },
        { nodeCount: -1 },
        { nodeCount: 1.5 },
        { version: "newest" },
        { version: "1" },
      ];
      for (const change of bad)
        await expect(library.clusters.create({ ...request("bad-1", 1), ...change })).rejects.toMatchObject({
          code: "clouds.invalid",
        });
      await expect(library.clusters.create(request("bad-1", 1), { token: "no spaces" })).rejects.toMatchObject({
        code: "clouds.invalid",
      });
      expect(await library.clusters.find("bad-1")).toBeUndefined();
      expect((await fixture.listOthers?.()) ?? []).toEqual(before);
    });

    check("M162 a cancelled call rejects with the signal's reason", [], async () => {
      const reason = new Error("stopped by the caller");
      const signal = AbortSignal.abort(reason);
      await expect(library.clusters.list({ signal })).rejects.toBe(reason);
      await expect(library.clusters.get("any", { signal })).rejects.toBe(reason);
      await expect(library.clusters.create(request("never-1", 1), { signal })).rejects.toBe(reason);
      await expect(library.clusters.delete("any", { signal })).rejects.toBe(reason);
      await expect(library.instances.list({ signal })).rejects.toBe(reason);
    });

    check("M020 the library prints no secret", [], async () => {
      const printed = inspect(library, { depth: 10, showHidden: true }) + JSON.stringify(library);
      for (const secret of fixture.secrets) expect(printed).not.toContain(secret);
    });
  });
}
