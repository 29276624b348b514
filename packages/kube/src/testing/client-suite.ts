import { Secret, systemClock } from "@cloudwright/platform";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKubeClient, type KubeClient } from "../create-client.ts";
import type { KubeObject } from "../kube-object.ts";
import { waitForObject, waitForObjects, waitUntilGone, type WaitOptions } from "../wait-for.ts";
import type { TestCluster } from "./test-cluster.ts";

const config = (name: string, data: Record<string, string>): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "kube-suite" },
  data,
});
const ref = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "kube-suite", name });
const maps = { apiVersion: "v1", kind: "ConfigMap" };
const soon = { deadlineMs: 20_000 };

/** Defines the contract suite that the client must pass with every API server, simulated or real. */
export function describeClient(name: string, skipReason: string | undefined, open: () => Promise<TestCluster>): void {
  const why = skipReason === undefined ? "" : ` (${skipReason})`;
  describe.skipIf(skipReason !== undefined)(`the client, ${name}${why}`, () => {
    let cluster: TestCluster;
    beforeAll(async () => {
      cluster = await open();
      await cluster.client.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "kube-suite" } });
    }, 90_000);
    afterAll(async () => cluster?.close());

    test("M130 the client reports readiness, version and served kinds", async () => {
      const { client } = cluster;
      await client.requireReady();
      expect(await client.getVersion()).toMatch(/^v\d+\.\d+/);
      expect(await client.isServed({ apiVersion: "apps/v1", kind: "Deployment" })).toBe(true);
      expect(await client.isServed({ apiVersion: "karpenter.sh/v1", kind: "NodePool" })).toBe(false);
      expect(await client.find({ apiVersion: "karpenter.sh/v1", kind: "NodePool", name: "a" })).toBeUndefined();
      await expect(client.list({ apiVersion: "karpenter.sh/v1", kind: "NodePool" })).rejects.toMatchObject({
        code: "kube.not_found",
      });
    });

    test("M130 applied objects are stored, fields omitted by the next apply are removed, and objects can be found, listed and deleted", async () => {
      const { client } = cluster;
      await client.apply(config("a", { one: "1", two: "2" }));
      await client.apply(config("a", { one: "1" }));
      expect((await client.get(ref("a")))["data"]).toEqual({ one: "1" });
      const { items } = await client.list(maps, { namespace: "kube-suite", fields: "metadata.name=a" });
      expect(items.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([["ConfigMap", "a"]]);
      expect(await client.delete(ref("a"), { uid: "00000000-0000-0000-0000-000000000000" })).toBe(false);
      expect(await client.delete(ref("a"))).toBe(true);
      await waitUntilGone(client, ref("a"), soon);
      expect(await client.delete(ref("a"))).toBe(false);
      await expect(client.get(ref("a"))).rejects.toMatchObject({ code: "kube.not_found" });
    });

    test("M130 a dry run stores nothing", async () => {
      await cluster.client.apply(config("dry", { a: "1" }), { dryRun: true });
      expect(await cluster.client.find(ref("dry"))).toBeUndefined();
    });

    test("M130 a list that spans several pages is complete", async () => {
      const client = createKubeClient(cluster.access, 2);
      for (const each of ["many-1", "many-2", "many-3", "many-4", "many-5"]) {
        const object = config(each, {});
        await client.apply({ ...object, metadata: { ...object.metadata, labels: { many: "yes" } } });
      }
      expect((await client.list(maps, { namespace: "kube-suite", labels: "many=yes" })).items).toHaveLength(5);
      client.close();
    });

    test("M130 a field of another manager is not overwritten, and the fault names its manager", async () => {
      const { client } = cluster;
      await client.apply(config("shared", { mine: "1" }));
      await applyAs(cluster, "gitops", config("shared", { theirs: "1" }));
      const conflict = { code: "kube.owned_by_others", kind: "conflict", extra: { managers: "gitops" } };
      await expect(client.apply(config("shared", { mine: "2", theirs: "2" }))).rejects.toMatchObject(conflict);
      await client.apply(config("shared", { mine: "2" }));
      expect((await client.get(ref("shared")))["data"]).toEqual({ mine: "2", theirs: "1" });
    });

    test("M130 fields that the platform sets by other means still belong to the platform", async () => {
      const { client } = cluster;
      await client.apply(config("patched", { a: "1" }));
      await client.patch(ref("patched"), { data: { a: "2" } });
      await client.apply(config("patched", { a: "3" }));
      expect((await client.get(ref("patched")))["data"]).toEqual({ a: "3" });
      expect(await client.patch(ref("nobody"), { data: {} })).toBeUndefined();
    });

    test("M130 an invalid object is rejected with the name of the field", async () => {
      const wrong = { ...config("x", {}), metadata: { namespace: "kube-suite", name: "Not_A_Name" } };
      await expect(cluster.client.apply(wrong)).rejects.toMatchObject({ code: "kube.invalid", kind: "invalid" });
    });

    test("M130 an unknown token is rejected and never appears in a fault", async () => {
      const token = "t0ken-that-nobody-may-read";
      const client = createKubeClient({ ...cluster.access, token: async () => new Secret(token) });
      const error: unknown = await client.list(maps).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "kube.denied", kind: "denied" });
      expect(JSON.stringify(error) + String(error) + String((error as Error).stack)).not.toContain(token);
      client.close();
    });

    test("M183 a service account token authenticates the account until its stated expiry, and cannot be printed", async () => {
      const { client } = cluster;
      await client.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "eva", namespace: "kube-suite" } });
      const { token, expiresAt } = await client.createToken({ namespace: "kube-suite", name: "eva" }, 600);
      expect(Math.abs(expiresAt.getTime() - systemClock.now() - 600_000)).toBeLessThan(60_000);
      expect(`${String(token)} ${JSON.stringify(token)}`).toBe('[secret] "[secret]"');
      const own = createKubeClient({ ...cluster.access, token: async () => token });
      await own.getVersion();
      await expect(own.list(maps)).rejects.toMatchObject({ code: "kube.denied", message: expect.stringContaining("eva") });
      await client.delete({ apiVersion: "v1", kind: "ServiceAccount", namespace: "kube-suite", name: "eva" });
      await expect
        .poll(
          () =>
            own.getVersion().then(
              () => "known",
              () => "unknown",
            ),
          { timeout: 60_000 },
        )
        .toBe("unknown");
      own.close();
      const nobody = client.createToken({ namespace: "kube-suite", name: "nobody" }, 600);
      await expect(nobody).rejects.toMatchObject({ code: "kube.not_found" });
    });

    test("M130 a watch ends the wait as soon as the expected change happens", async () => {
      const { client } = cluster;
      await client.apply(config("waited", { state: "begun" }));
      let looks = 0;
      const waiting = waitForObject(
        client,
        ref("waited"),
        (object) => {
          looks += 1;
          if (looks === 1) void client.patch(ref("waited"), { data: { state: "ended" } });
          return object?.["data"].state === "ended" ? true : "not ended";
        },
        soon,
      );
      await waiting;
      expect(looks).toBe(2);
    });

    test("M130 a fault at the deadline names what is missing, and a signal ends the wait with its reason", async () => {
      const { client } = cluster;
      const never = () => "the sun does not rise";
      const late = createLateClient(client);
      await expect(waitForObjects(late.client, maps, {}, never, late.options)).rejects.toMatchObject({
        code: "kube.not_in_time",
        message: expect.stringContaining("the sun does not rise"),
      });
      const stop = new AbortController();
      const waiting = waitForObjects(client, maps, {}, never, { ...soon, signal: stop.signal });
      const reason = new Error("stopped");
      stop.abort(reason);
      await expect(waiting).rejects.toBe(reason);
    });

    test("M130 waiting for a deletion names the finalizer that blocks it", async () => {
      const { client } = cluster;
      const object = config("held", {});
      await client.apply({ ...object, metadata: { ...object.metadata, finalizers: ["example.org/held"] } });
      await client.delete(ref("held"));
      const late = createLateClient(client);
      await expect(waitUntilGone(late.client, ref("held"), late.options)).rejects.toMatchObject({
        code: "kube.not_in_time",
        message: expect.stringContaining("example.org/held"),
      });
      await client.patch(ref("held"), { metadata: { finalizers: null } });
      await waitUntilGone(client, ref("held"), soon);
    });
  });
}

/** Creates a client whose deadline expires after its first list call. */
function createLateClient(client: KubeClient): { readonly client: KubeClient; readonly options: WaitOptions } {
  const { promise: listed, resolve: end } = Promise.withResolvers<void>();
  const list: KubeClient["list"] = async (...which) => {
    const found = await client.list(...which);
    end();
    return found;
  };
  return { client: { ...client, list }, options: { deadlineMs: 1000, clock: { now: () => 0, sleep: () => listed } } };
}

async function applyAs({ access }: TestCluster, manager: string, object: KubeObject): Promise<void> {
  const { createTransport } = await import("../transport.ts");
  const transport = createTransport(access);
  const { namespace = "", name } = object.metadata;
  await transport.call({
    method: "PATCH",
    path: `/api/v1/namespaces/${namespace}/configmaps/${name}`,
    query: { fieldManager: manager },
    contentType: "application/apply-patch+yaml",
    body: object,
    what: "apply as another",
  });
  transport.close();
}
