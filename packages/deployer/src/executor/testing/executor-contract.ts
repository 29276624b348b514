import { createUid, listOf, objectOf, parseJson, systemClock, textOf } from "@cloudwright/platform";
import { createRandom, printSeed } from "@cloudwright/platform/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../../task.ts";
import type { StoredPlan } from "../../testing/test-endpoint.ts";
import type { TestTaskOptions } from "../../testing/test-task.ts";
import type { ContractEntity, ContractSubject, KillPoint } from "./contract-subject.ts";

const unchanged = { create: 0, update: 0, replace: 0, delete: 0, import: 0 };
/** Fault codes that make the control plane create a new plan. */
const stalePlanCodes = /^(deployer\.plan_gone|terraform\.plan_stale)$/;

/** Registers the tests that every executor must pass. They run the executor through a deployer and a test endpoint. */
export function describeExecutorContract(subject: ContractSubject): void {
  describe(`executor contract: ${subject.name}`, () => {
    registerTests(subject);
  });
}

function registerTests(subject: ContractSubject): void {
  const { name, specs } = subject;
  const openEntity = async (): Promise<ContractEntity> => {
    const entity = await subject.openEntity();
    onTestFinished(() => entity.close());
    return entity;
  };

  test("M060 M071 creates every resource in a plan once, and then plans no further changes", async () => {
    const entity = await openEntity();
    const { stored } = await plan(entity, specs.first);
    expect(stored.counts).toEqual({ ...unchanged, create: stored.changes.length });
    expect(stored.changes.length).toBeGreaterThanOrEqual(5);
    expect(await entity.list()).toEqual([]);
    const outputs = await build(entity, specs.first);
    expect(outputs).toHaveProperty("infra_version");
    await expectBuilt(entity, specs.first, stored.counts.create);
  });

  test("M071 X032 updates resources in place and replaces those that cannot be updated", async () => {
    const entity = await openEntity();
    await build(entity, specs.first);
    const before = await entity.list();
    const updating = await plan(entity, specs.updated);
    expect(updating.stored.counts).toMatchObject({ replace: 0, delete: 0 });
    expect(updating.stored.counts.update).toBeGreaterThan(0);
    await apply(entity, updating.uid, specs.updated);
    expect(await entity.list()).toEqual(expect.arrayContaining([...before]));
    await build(entity, specs.first);

    const replacing = await plan(entity, specs.replaced);
    expect(replacing.stored.counts.replace).toBeGreaterThan(0);
    const replaced = replacing.stored.changes.find(({ action }) => action === "replace");
    expect(replaced?.["replacePaths"]).not.toEqual([]);
    await apply(entity, replacing.uid, specs.replaced);
    const after = await entity.list();
    expect(after.map(({ id }) => id).filter((id) => before.some((each) => each.id === id)).length).toBeLessThan(before.length);
    await expectBuilt(entity, specs.replaced, before.length);
  });

  test("M042 detects external changes and deletions and corrects them", async () => {
    const entity = await openEntity();
    await build(entity, specs.first);
    const count = (await entity.list()).length;
    expect(await findDrift(entity, specs.first)).toEqual({ drifted: false, summary: "", items: [], ignored: 0 });
    for (const [disturb, action] of [
      [() => entity.changeOutside(), "update"],
      [() => entity.removeOutside(), "delete"],
    ] as const) {
      await disturb();
      expect(await findDrift(entity, specs.first)).toMatchObject({ drifted: true, items: [{ action }] });
      await build(entity, specs.first);
      expect(await findDrift(entity, specs.first)).toMatchObject({ drifted: false });
    }
    await expectBuilt(entity, specs.first, count);
  });

  test("X010 forgets one resource without touching the cloud, and adopts it again", async () => {
    const random = createRandom(printSeed(`repair by ${name}`)).next;
    const entity = await openEntity();
    await build(entity, specs.first);
    const before = await entity.list();
    const { address, type, id } = pickResource(entity, random);
    const elsewhere =
      pickResource(entity, () => 0).address === address ? pickResource(entity, () => 0.99) : pickResource(entity, () => 0);
    const repair = (action: string, given: JsonObject, more: TestTaskOptions = {}) =>
      entity.handle(action, { spec: specs.first, repair: { address, ...given }, ...more });
    const version = entity.endpoint.state(entity.uid);
    await expect(repair("forget", { dryRun: true })).resolves.toMatchObject({ outputs: { changed: true } });
    expect(entity.endpoint.state(entity.uid)).toBe(version);
    await expect(repair("forget", {})).resolves.toMatchObject({ outcome: "done", outputs: { changed: true } });
    await expect(repair("forget", {})).resolves.toMatchObject({ outcome: "done", outputs: { changed: false } });
    expect(listRecorded(entity).map((each) => each.address)).not.toContain(address);
    expect(await entity.list()).toEqual(before);

    // Without the list of forgotten resources, the next plan would adopt the resource by its tag.
    const openState = async () => ({ ...entity.endpoint.access(entity.uid), forgotten: [{ type, id }] });
    const planned = await plan(entity, specs.first, { openState });
    expect(planned.stored.counts).toMatchObject({ import: 0 });
    expect(planned.stored.changes).toContainEqual(expect.objectContaining({ address, action: "create" }));

    const forgotten = entity.endpoint.state(entity.uid);
    await expect(repair("adopt", { id: absentId(entity, id) })).rejects.toMatchObject({ code: "deployer.no_such_resource" });
    await expect(repair("adopt", { id, address: elsewhere.address })).rejects.toMatchObject({
      code: expect.stringMatching(/^deployer\.(address_taken|not_adoptable|no_such_resource)$/) as string,
    });
    await expect(repair("adopt", { id, dryRun: true })).resolves.toMatchObject({ outputs: { changed: true } });
    expect(entity.endpoint.state(entity.uid)).toBe(forgotten);
    await expect(repair("adopt", { id })).resolves.toMatchObject({ outcome: "done", outputs: { changed: true } });
    await expect(repair("adopt", { id })).resolves.toMatchObject({ outcome: "done", outputs: { changed: false } });
    expect(await entity.list()).toEqual(before);
    await expectBuilt(entity, specs.first, before.length);
  });

  test("X010 X080 does not adopt a resource of another entity", async () => {
    const random = createRandom(printSeed(`foreign resource for ${name}`)).next;
    const entity = await openEntity();
    await build(entity, specs.first);
    const { address, id } = pickResource(entity, random);
    const other = createUid(systemClock.now());
    const openState = async () => entity.endpoint.access(other);
    const options = { spec: specs.first, entityUid: other, openState, repair: { address, id } };
    await expect(entity.handle("adopt", options)).rejects.toMatchObject({ code: "deployer.owned_by_other" });
    expect(entity.endpoint.state(other) ?? "").not.toContain(id);
  });

  test("M071 X035 applies only an approved, current plan, and only once", async () => {
    const entity = await openEntity();
    const [first, second] = [await plan(entity, specs.first), await plan(entity, specs.first)];
    first.stored.needsApproval = true;
    await expect(apply(entity, first.uid, specs.first)).rejects.toMatchObject({ code: "deployer.plan_not_approved" });
    expect(await entity.list()).toEqual([]);
    first.stored.needsApproval = false;
    await apply(entity, first.uid, specs.first);
    for (const uid of [first.uid, second.uid]) {
      await expect(apply(entity, uid, specs.first)).rejects.toMatchObject({ code: expect.stringMatching(stalePlanCodes) });
    }
    await expectBuilt(entity, specs.first, first.stored.counts.create);
  });

  test("M049 X031 stops when it is cancelled, and the next attempt continues", async () => {
    const entity = await openEntity();
    const { uid, stored } = await plan(entity, specs.first);
    const outcome = await entity.cancelInTheMiddle((signal) => entity.handle("apply", { spec: specs.first, plan: uid, signal }));
    expect(outcome).toEqual({ outcome: "cancelled" });
    expect((await entity.list()).length).toBeLessThan(stored.counts.create);
    // An executor may replace a resource whose creation was interrupted, but no duplicate may remain.
    await build(entity, specs.first);
    await expectBuilt(entity, specs.first, stored.counts.create);
  });

  test("X010 can always finish a deletion, even without a build, a valid spec, a state, or some of the resources", async () => {
    const entity = await openEntity();
    await destroy(entity, specs.first);
    await build(entity, specs.first);
    await entity.removeOutside();
    await destroy(entity, specs.invalid);
    expect(await entity.list()).toEqual([]);
    await destroy(entity, specs.first);
    await build(entity, specs.first);
    entity.endpoint.dropState(entity.uid);
    await destroy(entity, specs.first);
    expect(await entity.list()).toEqual([]);
  });

  test("X030 X031 completes a build that was killed before or after any write, without duplicates", async () => {
    const random = createRandom(printSeed(`${name}, killed builds`)).next;
    const clean = await openEntity();
    await build(clean, specs.first);
    const count = (await clean.list()).length;
    for (const point of listKillPoints(subject.kills, random)) {
      const entity = await openEntity();
      const wasKilled = await runAndKill(entity, point, () => build(entity, specs.first));
      if (!wasKilled && subject.kills === "every write") break;
      await build(entity, specs.first, { resumed: true });
      await expectBuilt(entity, specs.first, count);
      await destroy(entity, specs.first);
      expect({ point, left: await entity.list() }).toEqual({ point, left: [] });
    }
  });

  test("X030 X031 completes a replacement that was killed before or after any write", async () => {
    const random = createRandom(printSeed(`${name}, killed replacements`)).next;
    for (const point of listKillPoints(subject.kills, random)) {
      const entity = await openEntity();
      await build(entity, specs.first);
      const count = (await entity.list()).length;
      const wasKilled = await runAndKill(entity, point, () => build(entity, specs.replaced));
      if (!wasKilled && subject.kills === "every write") break;
      await build(entity, specs.replaced, { resumed: true });
      await expectBuilt(entity, specs.replaced, count);
      expect({ point, count: (await entity.list()).length }).toEqual({ point, count });
    }
  });

  test("X010 X030 completes a deletion that was killed before or after any write", async () => {
    const random = createRandom(printSeed(`${name}, killed deletions`)).next;
    for (const point of listKillPoints(subject.kills, random)) {
      const entity = await openEntity();
      await build(entity, specs.first);
      const wasKilled = await runAndKill(entity, point, () => destroy(entity, specs.first));
      if (!wasKilled && subject.kills === "every write") break;
      await destroy(entity, specs.first, { resumed: true });
      expect({ point, left: await entity.list() }).toEqual({ point, left: [] });
    }
  });

  test("X030 X031 survives kills at random points of random operations", async () => {
    const random = createRandom(printSeed(`${name}, random kills`)).next;
    const entity = await openEntity();
    const counts = new Map<JsonObject, number>();
    for (const spec of Object.values(specs).filter((each) => each !== specs.invalid)) {
      await build(entity, spec);
      counts.set(spec, (await entity.list()).length);
    }
    const amongWrites = subject.kills === "every write" ? 40 : subject.kills.amongWrites;
    for (let round = 0; round < (subject.kills === "every write" ? 8 : 2); round += 1) {
      const spec = pick(random, [specs.first, specs.updated, specs.replaced]);
      const [point] = listKillPoints({ samples: 1, amongWrites }, random);
      if (point === undefined) throw new Error("no point was drawn");
      const work = random() < 0.25 ? () => destroy(entity, spec) : () => build(entity, spec);
      await runAndKill(entity, point, work);
      await build(entity, spec, { resumed: true });
      await expectBuilt(entity, spec, counts.get(spec) ?? 0);
    }
    await destroy(entity, specs.first);
    expect(await entity.list()).toEqual([]);
  });
}

type More = Pick<TestTaskOptions, "resumed" | "openState">;

async function plan(entity: ContractEntity, spec: JsonObject, more: More = {}): Promise<{ uid: string; stored: StoredPlan }> {
  const uid = await must(entity.handle("plan", { spec, ...more })).then(({ plan: planned }) => textOf(planned));
  const stored = entity.endpoint.plans.get(uid);
  if (stored === undefined) throw new Error("the plan was not stored");
  return { uid, stored };
}

function apply(entity: ContractEntity, planUid: string, spec: JsonObject): Promise<JsonObject> {
  return must(entity.handle("apply", { spec, plan: planUid }));
}

async function build(entity: ContractEntity, spec: JsonObject, more: More = {}): Promise<JsonObject> {
  return apply(entity, (await plan(entity, spec, more)).uid, spec);
}

async function destroy(entity: ContractEntity, spec: JsonObject, more: More = {}): Promise<void> {
  await must(entity.handle("destroy", { spec, ...more }));
}

function findDrift(entity: ContractEntity, spec: JsonObject): Promise<JsonObject> {
  return must(entity.handle("check", { spec }));
}

async function must(handled: ReturnType<ContractEntity["handle"]>): Promise<JsonObject> {
  const outcome = await handled;
  if (outcome.outcome !== "done") throw new Error(`the task ended ${outcome.outcome}`);
  return outcome.outputs ?? {};
}

/** Checks that the spec is built without duplicates and that another plan changes nothing. */
async function expectBuilt(entity: ContractEntity, spec: JsonObject, count: number): Promise<void> {
  const resources = await entity.list();
  expect(resources).toHaveLength(count);
  const keys = resources.map(({ key }) => key);
  expect(keys).toEqual([...new Set(keys)]);
  expect((await plan(entity, spec)).stored.counts).toEqual(unchanged);
  expect((await entity.list()).map(({ id }) => id).toSorted()).toEqual(resources.map(({ id }) => id).toSorted());
}

/** Runs `work` and kills the executor at the given point. Returns whether that point was reached. */
async function runAndKill(entity: ContractEntity, point: KillPoint, work: () => Promise<unknown>): Promise<boolean> {
  const stop = entity.killAt(point);
  try {
    await work();
    return stop();
  } catch (error) {
    if (!stop()) throw error;
    return true;
  }
}

/** Yields a kill point for every write, without end, or a finite random sample of kill points. */
function* listKillPoints(kills: ContractSubject["kills"], random: () => number): Iterable<KillPoint> {
  const moments = ["before", "after"] as const;
  if (kills === "every write") {
    for (let write = 1; ; write += 1) for (const moment of moments) yield { write, moment };
  }
  for (let drawn = 0; drawn < kills.samples; drawn += 1) {
    yield { write: 1 + Math.floor(random() * kills.amongWrites), moment: pick(random, moments) };
  }
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

interface Recorded {
  readonly address: string;
  readonly type: string;
  readonly id: string;
}

/** Lists the managed resources in the state document. */
function listRecorded({ endpoint, uid }: ContractEntity): Recorded[] {
  const document = objectOf(parseJson(endpoint.state(uid) ?? "{}"));
  return listOf(document["resources"])
    .map(objectOf)
    .filter((each) => each["mode"] === "managed")
    .flatMap((each) =>
      listOf(each["instances"]).map((one) => {
        const { index_key: key, attributes } = objectOf(one);
        const type = textOf(each["type"]);
        const index = key === undefined ? "" : `[${JSON.stringify(key)}]`;
        return { address: `${type}.${textOf(each["name"])}${index}`, type, id: textOf(objectOf(attributes)["id"]) };
      }),
    );
}

/** Picks a resource that can be imported by its id. Associations and routes need a different import id. */
function pickResource(entity: ContractEntity, random: () => number): Recorded {
  const all = listRecorded(entity).filter(({ type }) => !/association|route$|default_/.test(type));
  return all[Math.floor(random() * all.length)] as Recorded;
}

/** Returns an unused id in the same format. Some clouds reject an id in another format without looking it up. */
function absentId(entity: ContractEntity, id: string): string {
  const taken = new Set(listRecorded(entity).map((each) => each.id));
  const ids = Array.from("0123456789abcdef", (digit) => `${id.slice(0, -1)}${digit}`);
  return ids.find((each) => each !== id && !taken.has(each)) as string;
}
