import type { JsonObject } from "@cloudwright/contract";
import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestApi, type TestApi } from "../testing/test-api.ts";

const project = "/v1/projects/default";
const forged = "01980000-0000-7000-8000-0000000000aa";
let api: TestApi;
let volumeUid = "";

beforeAll(async () => {
  api = await startTestApi();
  await create("accounts", "rack", { local: {} });
  await create("accounts", "other", { local: { agentLabel: "other" } });
  volumeUid = (await create("volumes", "data", { account: "rack", sizeGib: 10 })).metadata.uid ?? "";
});
afterAll(() => api.close());

const create = async (collection: string, name: string, spec: JsonObject) =>
  (await api.must("POST", `${project}/${collection}`, { body: { metadata: { name }, spec } })).body;
async function refuse(method: string, path: string, body?: JsonObject) {
  const answer = await api.call(method, `${project}/${path}`, body === undefined ? {} : { body });
  return [answer.status, (answer.body.fields ?? []).map(({ field }) => field), answer.body.detail] as const;
}
const refuseNew = (collection: string, spec: JsonObject) => refuse("POST", collection, { metadata: { name: "no" }, spec });

/** Sets an entity's status, as the reconciler would. */
async function setStatus(kind: string, name: string, status: JsonObject): Promise<void> {
  const text = `update entity set object = jsonb_set(object::jsonb, '{status}', (object::jsonb -> 'status') || $3::jsonb)::json
    where kind = $1 and name = $2`;
  await api.pool.query({ text, values: [kind, name, JSON.stringify(status)] });
}

describe("M025 a snapshot", () => {
  test("is in the account of its volume and records the volume's uid, which requests cannot set", async () => {
    const { spec } = await create("volumesnapshots", "s1", { volume: volumeUid, volumeUid: forged });
    expect(spec).toMatchObject({ account: "rack", volume: "data", volumeUid });
    const put = { metadata: { name: "s1", labels: { tier: "gold" } }, spec: { volume: "data", volumeUid: forged } };
    const { body } = await api.must("PUT", `${project}/volumesnapshots/s1`, { body: put });
    expect(body.spec).toMatchObject({ account: "rack", volumeUid });
  });

  test("cannot be moved to another volume or account", async () => {
    await create("volumesnapshots", "fixed", { volume: "data" });
    for (const [field, value] of Object.entries({ volume: "more", account: "other" })) {
      const refused = await refuse("PATCH", "volumesnapshots/fixed", { spec: { [field]: value } });
      expect(refused.slice(0, 2)).toEqual([400, [`spec.${field}`]]);
    }
    expect((await refuseNew("volumesnapshots", { volume: "data", account: "other" })).slice(0, 2)).toEqual([
      400,
      ["spec.account"],
    ]);
  });

  test("needs a volume that exists and is not being deleted", async () => {
    expect(await refuseNew("volumesnapshots", { volume: "nobody" })).toEqual([
      400,
      ["spec.volume"],
      expect.stringContaining("nobody"),
    ]);
    await create("volumes", "going", { account: "rack", sizeGib: 1 });
    await api.must("DELETE", `${project}/volumes/going`);
    expect((await refuseNew("volumesnapshots", { volume: "going" })).slice(0, 2)).toEqual([400, ["spec.volume"]]);
  });

  test("M024 does not prevent the deletion of its volume, and a volume does not prevent the deletion of its snapshot", async () => {
    await create("volumes", "old", { account: "rack", sizeGib: 1 });
    await create("volumesnapshots", "last", { volume: "old" });
    await api.must("DELETE", `${project}/volumes/old`);
    await setStatus("VolumeSnapshot", "last", { phase: "RUNNING", snapshotId: "x", sizeGib: 1 });
    await create("volumes", "restored", { account: "rack", sizeGib: 1, sourceSnapshot: "last" });
    await api.must("DELETE", `${project}/volumesnapshots/last`);
    const left = await Promise.all(
      ["volumes/old", "volumesnapshots/last", "volumes/restored"].map((path) => api.call("GET", `${project}/${path}`)),
    );
    expect(left.map(({ status }) => status)).toEqual([404, 404, 200]);
  });

  test.each(cloudNames.filter((cloud) => getCloud(cloud).hasVolumeSnapshots !== true))(
    "is rejected in %s, also in a dry run",
    async (cloud) => {
      await create("accounts", cloud, { simulated: true, [cloud]: {} });
      // Volumes may not exist in this cloud either, so a row is moved there.
      await create("volumes", `in-${cloud}`, { account: "rack", sizeGib: 1 });
      const text = `update entity set parent_uid = (select uid from entity where kind = 'Account' and name = $2),
        object = jsonb_set(object::jsonb, '{spec,account}', to_jsonb($2::text))::json where kind = 'Volume' and name = $1`;
      await api.pool.query({ text, values: [`in-${cloud}`, cloud] });
      for (const path of ["volumesnapshots", "volumesnapshots?dryRun=true"]) {
        const refused = await refuseNew(path, { volume: `in-${cloud}` });
        expect(refused).toEqual([400, ["spec.volume"], expect.stringContaining(getCloud(cloud).title)]);
      }
    },
  );
});

describe("M025 a volume that starts with the data of a snapshot", () => {
  beforeAll(async () => {
    await create("volumesnapshots", "full", { volume: "data" });
  });

  test("needs a snapshot that is complete, in the same account, and not larger", async () => {
    const volume = { account: "rack", sizeGib: 10, sourceSnapshot: "full" };
    expect((await refuseNew("volumes", volume)).slice(0, 2)).toEqual([400, ["spec.sourceSnapshot"]]);
    await setStatus("VolumeSnapshot", "full", { phase: "RUNNING", snapshotId: "x", sizeGib: 10 });
    expect((await refuseNew("volumes", { ...volume, sizeGib: 9 })).slice(0, 2)).toEqual([400, ["spec.sizeGib"]]);
    expect((await refuseNew("volumes", { ...volume, account: "other" })).slice(0, 2)).toEqual([400, ["spec.sourceSnapshot"]]);
    expect((await refuseNew("volumes", { ...volume, sourceSnapshot: "none" })).slice(0, 2)).toEqual([
      400,
      ["spec.sourceSnapshot"],
    ]);
  });

  test("records the snapshot's uid, which no request can set, and keeps it for good", async () => {
    await setStatus("VolumeSnapshot", "full", { phase: "RUNNING", snapshotId: "x", sizeGib: 10 });
    const volume = { account: "rack", sizeGib: 10, sourceSnapshot: "full", sourceSnapshotUid: forged };
    const { spec } = await create("volumes", "copy", volume);
    const uid = (await api.must("GET", `${project}/volumesnapshots/full`)).body.metadata.uid;
    expect(spec).toMatchObject({ sourceSnapshot: "full", sourceSnapshotUid: uid });
    const patched = await api.must("PATCH", `${project}/volumes/copy`, {
      body: { spec: { sizeGib: 20, sourceSnapshotUid: forged } },
    });
    expect(patched.body.spec).toMatchObject({ sizeGib: 20, sourceSnapshotUid: uid });
    expect((await create("volumes", "empty", { account: "rack", sizeGib: 1, sourceSnapshotUid: forged })).spec).toMatchObject({
      sourceSnapshotUid: "",
    });
    const refused = await refuse("PATCH", "volumes/copy", { spec: { sourceSnapshot: "" } });
    expect(refused.slice(0, 2)).toEqual([400, ["spec.sourceSnapshot"]]);
  });
});
