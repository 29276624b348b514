import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failed, openTestPlatform, succeed, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
beforeEach(async () => {
  platform = await openTestPlatform();
});
afterEach(() => platform.close());

const phaseOf = async (uid: string): Promise<unknown> => (await platform.get(uid)).status["phase"];

describe("X022 maintenance windows", () => {
  test("delay changes to running infrastructure, but not creation", async () => {
    const account = await platform.create("Account", "acme");
    await setWindows(closedWindows());
    const network = await platform.create("Network", "net", { parent: account });
    expect(await platform.run()).toContain("network.apply");
    await platform.update(network, { region: "eu-west-1", cidr: "10.9.0.0/16" });
    expect(await platform.run()).toEqual(["network.preflight", "network.plan"]);
    const message: unknown = expect.stringContaining("maintenance window");
    expect((await platform.get(network)).status).toMatchObject({ phase: "RUNNING", message });
    await setWindows("[]");
    await platform.wakeAll();
    expect(await platform.run()).toEqual(["network.apply"]);
  });

  test("do not delay an entity that never ran", async () => {
    const account = await platform.create("Account", "acme");
    await setWindows(closedWindows());
    const network = await platform.create("Network", "net", { parent: account });
    await platform.run((task) => (task.type === "network.apply" ? failed("no such zone") : succeed(task)));
    await platform.update(network, { region: "eu-west-2" });
    expect(await platform.run()).toContain("network.apply");
    expect(await phaseOf(network)).toBe("RUNNING");
  });
});

function closedWindows(): string {
  const start = new Date(Date.now() + 6 * 3_600_000).toISOString().slice(11, 16);
  return JSON.stringify([{ days: [], start, durationMinutes: 60, timeZone: "" }]);
}

async function setWindows(windows: string): Promise<void> {
  const object = "jsonb_set(object::jsonb, '{spec,maintenanceWindows}', $1::jsonb)::json";
  await platform.query(`update entity set object = ${object} where kind = 'Project' and name = 'default'`, [windows]);
}
