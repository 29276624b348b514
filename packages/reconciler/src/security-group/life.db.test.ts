import { writeLinks } from "@cloudwright/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let network: string;
beforeEach(async () => {
  platform = await openTestPlatform({ hasLinks: true });
  const account = await platform.create("Account", "rack");
  network = await platform.create("Network", "lan", { parent: account });
});
afterEach(() => platform.close());

const createGroup = (name: string): Promise<string> => platform.create("SecurityGroup", name, { parent: network });
const link = (from: string, field: string, to: string): Promise<void> =>
  platform.pool.transaction((database) => writeLinks(database, from, [{ field, uid: to }]));
const phaseOf = async (uid: string): Promise<unknown> => (await platform.get(uid)).status["phase"];
const run = (): Promise<string[]> =>
  platform.run((task) => (task.type === "securitygroup.apply" ? done({ group_id: `${task.entityUid}-this` }) : succeed(task)));

describe("M041 a security group", () => {
  test("is built after its network and before its instances, and shows its id", async () => {
    const group = await createGroup("web");
    const instance = await platform.create("Instance", "vm", { parent: network });
    await link(instance, "securityGroups", group);
    const types = await run();
    expect(types.indexOf("network.apply")).toBeLessThan(types.indexOf("securitygroup.preflight"));
    expect(types.indexOf("securitygroup.apply")).toBeLessThan(types.indexOf("instance.preflight"));
    expect((await platform.get(group)).status).toMatchObject({ phase: "RUNNING", groupId: `${group}-this` });
    expect(await phaseOf(instance)).toBe("RUNNING");
  });

  test("is changed without any task for its instances", async () => {
    const group = await createGroup("web");
    const instance = await platform.create("Instance", "vm", { parent: network });
    await link(instance, "securityGroups", group);
    await run();
    await platform.update(group, { network: "lan", rules: [] });
    expect(await run()).toEqual(["securitygroup.preflight", "securitygroup.plan", "securitygroup.apply"]);
    expect((await platform.get(group)).status["observedGeneration"]).toBe(2);
  });

  test("does not wait for another group, because the two may refer to each other", async () => {
    const [web, db] = [await createGroup("web"), await createGroup("db")];
    await link(web, "rules.group", db);
    await link(db, "rules.group", web);
    await run();
    expect([await phaseOf(web), await phaseOf(db)]).toEqual(["RUNNING", "RUNNING"]);
  });
});
