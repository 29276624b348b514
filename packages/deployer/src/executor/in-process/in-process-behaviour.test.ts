import { textOf } from "@cloudwright/platform";
import { expect, onTestFinished, test } from "vitest";
import { openInProcessEntity, type InProcessEntity } from "../testing/in-process-subject.ts";
import type { FakeCloudOptions } from "../testing/fake-cloud.ts";
import type { JsonObject } from "../../task.ts";

async function openEntity(options: FakeCloudOptions = {}): Promise<InProcessEntity> {
  const entity = await openInProcessEntity(2, options);
  onTestFinished(() => entity.close());
  return entity;
}

async function build(entity: InProcessEntity, spec: JsonObject, resumed = false): Promise<JsonObject> {
  const planned = await entity.handle("plan", { spec, resumed });
  const plan = planned.outcome === "done" ? textOf(planned.outputs?.["plan"]) : "";
  const applied = await entity.handle("apply", { spec, plan });
  return applied.outcome === "done" ? (applied.outputs ?? {}) : {};
}

test("X031 a repeated creation reuses the interrupted one's token, so a cloud with delayed listings does not create a duplicate", async () => {
  let isLate = true;
  const entity = await openEntity({ honoursTokens: true, isListed: () => !isLate });
  // Writes 1 to 3 belong to the plan. The apply then locks the state, takes the plan and saves the intent. Write 7 creates the network.
  const stop = entity.killAt({ write: 7, moment: "after" });
  await expect(build(entity, {})).rejects.toThrow("killed");
  expect(stop()).toBe(true);
  expect(await entity.list()).toHaveLength(1);
  await build(entity, {}, true);
  isLate = false;
  const keys = (await entity.list()).map(({ key }) => key);
  expect(keys).toHaveLength(6);
  expect(new Set(keys).size).toBe(6);
});

test("X010 a deletion retries failed resources while others succeed, and finally names the resources that remain", async () => {
  const entity = await openEntity();
  await build(entity, {});
  const record = entity.cloud.list(entity.uid).find(({ type }) => type === "fake_record")?.id ?? "";
  entity.cloud.rejectDeletion(record, 1);
  await expect(entity.handle("destroy")).resolves.toEqual({ outcome: "done", outputs: {} });
  await build(entity, {});
  const again = entity.cloud.list(entity.uid).find(({ type }) => type === "fake_record")?.id ?? "";
  entity.cloud.rejectDeletion(again, 99);
  await expect(entity.handle("destroy")).rejects.toMatchObject({ code: "deployer.resource_failed", retry: "backoff" });
  await expect(entity.handle("destroy")).rejects.toThrow(again);
  entity.cloud.rejectDeletion(again, 0);
  await expect(entity.handle("destroy")).resolves.toMatchObject({ outcome: "done" });
  expect(await entity.list()).toEqual([]);
});

test("X033 ignored attributes appear neither in drift nor in plans, and an apply keeps their values", async () => {
  const entity = await openEntity();
  await build(entity, { nat: "none" });
  await entity.changeOutside();
  const lenient = { nat: "none", infra: { ignore: [{ address: "fake_machine.*", path: "size" }] } };
  await expect(entity.handle("check", { spec: lenient })).resolves.toMatchObject({ outputs: { drifted: false, ignored: 1 } });
  await build(entity, { ...lenient, cidr: "10.0.0.0/16" });
  const machine = entity.cloud.list(entity.uid).find(({ type }) => type === "fake_machine");
  expect(machine?.attributes).toMatchObject({ size: "huge" });
});

test("M072 a state that Terraform wrote is not touched", async () => {
  const entity = await openEntity();
  const state = JSON.stringify({ version: 4, serial: 3, lineage: "terraform", resources: [], outputs: {} });
  entity.endpoint.putState(entity.uid, state);
  await expect(build(entity, {})).rejects.toMatchObject({ code: "deployer.other_executor", retry: "never" });
  expect(entity.endpoint.state(entity.uid)).toBe(state);
  expect(entity.endpoint.lock(entity.uid)).toBeUndefined();
});

test("M077 X035 the plan has the common format without secrets, and progress names every resource", async () => {
  const entity = await openEntity();
  const lines: string[] = [];
  const percents: number[] = [];
  const planned = await entity.handle("plan", { log: (line) => void lines.push(line) });
  const uid = planned.outcome === "done" ? textOf(planned.outputs?.["plan"]) : "";
  const stored = entity.endpoint.plans.get(uid);
  expect(planned).toMatchObject({ outputs: { counts: { create: 6, update: 0, replace: 0, delete: 0, import: 0 } } });
  expect(stored).toMatchObject({ serial: 0, lineage: "", drift: [] });
  const machine = stored?.changes.find(({ address }) => address === "fake_machine.app");
  expect(machine).toMatchObject({
    resourceType: "fake_machine",
    action: "create",
    replacePaths: [],
    reason: "",
    values: { before: null, after: { size: "small", subnet_id: null, password: "(sensitive)" } },
  });
  const { parcel, ...visible } = stored ?? { parcel: "" };
  expect(JSON.stringify(visible)).not.toContain("hunter2");
  expect(Buffer.from(parcel, "base64").toString()).toContain("hunter2");
  await entity.handle("apply", {
    plan: uid,
    log: (line) => void lines.push(line),
    progress: (percent) => void percents.push(percent),
  });
  for (const { key } of await entity.list()) {
    expect(lines).toEqual(expect.arrayContaining([`${key}: create started`, `${key}: create finished`]));
  }
  expect(percents.at(-1)).toBe(95);
  expect(lines.join("\n")).not.toContain("hunter2");
});

test("M083 a preview plans a creation or a change but does not store the plan", async () => {
  const entity = await openEntity();
  const fresh = await entity.handle("preview", { spec: {} });
  const creation = { part: "infrastructure", action: "create", message: "" };
  expect(fresh).toMatchObject({ outputs: { items: Array.from({ length: 6 }, () => creation), findings: [] } });
  await build(entity, {});
  entity.endpoint.plans.clear();
  const changed = await entity.handle("preview", { spec: { region: "eu-west-2" }, formerSpec: {} });
  expect(changed).toMatchObject({
    outputs: {
      items: [
        { part: "infrastructure", name: "fake_machine.app", action: "replace", message: "because of image" },
        { part: "infrastructure", name: "fake_record.app", action: "update", message: "target" },
      ],
    },
  });
  expect(entity.endpoint.plans.size).toBe(0);
});

test("X032 a resource that is no longer desired is deleted after the new ones exist, but a replaced one is deleted first", async () => {
  const entity = await openEntity();
  await build(entity, { nat: "none", zones: ["a", "b"] });
  const lines: string[] = [];
  const spec = { nat: "single", zones: ["a", "c"] };
  const planned = await entity.handle("plan", { spec });
  const plan = planned.outcome === "done" ? textOf(planned.outputs?.["plan"]) : "";
  await entity.handle("apply", { spec, plan, log: (line) => void lines.push(line) });
  const at = (text: string): number => lines.findIndex((line) => line.includes(text));
  expect(at("fake_subnet.c: create finished")).toBeGreaterThanOrEqual(0);
  expect(at("fake_subnet.b: delete started")).toBeGreaterThan(at("fake_subnet.c: create finished"));

  // A resource that the plan removes and that depends on a replaced resource must be deleted before it.
  lines.length = 0;
  const moved = { nat: "single", zones: ["a"], cidr: "10.9.0.0/16" };
  const again = await entity.handle("plan", { spec: moved });
  const uid = again.outcome === "done" ? textOf(again.outputs?.["plan"]) : "";
  await entity.handle("apply", { spec: moved, plan: uid, log: (line) => void lines.push(line) });
  expect(at("fake_subnet.c: delete finished")).toBeLessThan(at("fake_network.main: delete started"));
  expect(at("fake_network.main: delete finished")).toBeLessThan(at("fake_network.main: create started"));
});
