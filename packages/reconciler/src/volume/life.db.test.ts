import { writeLinks } from "@cloudwright/store";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { done, openTestPlatform, succeed, type Handler, type TestPlatform } from "../testing/test-platform.ts";

let platform: TestPlatform;
let account: string;
let instance: string;
beforeEach(async () => {
  platform = await openTestPlatform({ hasLinks: true });
  account = await platform.create("Account", "rack");
  const network = await platform.create("Network", "lan", { parent: account });
  instance = await platform.create("Instance", "vm", { parent: network });
});
afterEach(() => platform.close());

const attach = (volume: string, to: readonly string[]): Promise<void> =>
  platform.pool.transaction((database) =>
    writeLinks(
      database,
      volume,
      to.map((uid) => ({ field: "instance", uid })),
    ),
  );

const built: Readonly<Record<string, ReturnType<typeof done>>> = {
  "volume.apply": done({ volume_id: "v-1", attached_to: "vm", device: "/dev/disk/by-id/cloudwright-v-1", size_gib: 10 }),
  "instance.apply": done({ instance_id: "i-1", machine_status: "running" }),
};
const handler: Handler = (task) => built[task.type] ?? succeed(task);

describe("M041 a volume", () => {
  test("is built after the instance that it is attached to, and shows where it is", async () => {
    const volume = await platform.create("Volume", "data", { parent: account });
    await attach(volume, [instance]);
    const types = await platform.run(handler);
    expect(types.indexOf("instance.apply")).toBeLessThan(types.indexOf("volume.preflight"));
    expect((await platform.get(volume)).status).toMatchObject({
      phase: "RUNNING",
      volumeId: "v-1",
      attachedTo: "vm",
      device: "/dev/disk/by-id/cloudwright-v-1",
      sizeGib: 10,
    });
  });

  test("gets no tasks when its instance is stopped or restarted", async () => {
    const volume = await platform.create("Volume", "data", { parent: account });
    await attach(volume, [instance]);
    await platform.run(handler);
    await platform.update(instance, { running: false });
    const types = await platform.run((task) =>
      task.type === "instance.apply" ? done({ instance_id: "i-1", machine_status: "stopped" }) : handler(task),
    );
    expect(types.filter((type) => type.startsWith("volume."))).toEqual([]);
  });

  test("is attached again when its instance is replaced", async () => {
    const volume = await platform.create("Volume", "data", { parent: account });
    await attach(volume, [instance]);
    await platform.run(handler);
    await platform.update(instance, { machineType: "2x4" });
    const types = await platform.run((task) => (task.type === "instance.apply" ? done({ instance_id: "i-2" }) : handler(task)));
    expect(types).toContain("volume.apply");
  });

  test("is deleted before its instance if both are deleted", async () => {
    const volume = await platform.create("Volume", "data", { parent: account });
    await attach(volume, [instance]);
    await platform.run(handler);
    await platform.remove(account);
    const types = await platform.run(handler);
    expect(types.indexOf("volume.destroy")).toBeLessThan(types.indexOf("instance.destroy"));
    expect(await platform.find(volume)).toBeUndefined();
  });
});
