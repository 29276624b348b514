import { cloudNames, getCloud } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { findDeployerCloud } from "../clouds.ts";
import { createFakeView } from "../testing/fake-view.ts";
import { createTestTask } from "../testing/test-task.ts";
import { lookAhead } from "./look-ahead.ts";

const clouds = cloudNames.filter((name) => findDeployerCloud(name)?.checks.instance !== undefined);

test.each(clouds)("M143 %s: an image that does not exist is found before anything is created", async (cloud) => {
  const region = getCloud(cloud).regions.default;
  const asked: string[][] = [];
  const look = (answer: boolean | undefined) => {
    const parents = [{ kind: "Network", uid: "n", name: "main", spec: { region }, outputs: {} }];
    const spec = { image: "debian-12", network: "main" };
    const task = createTestTask("instance.preflight", { spec, parents, openState: async () => ({}) as never });
    const view = createFakeView({
      listZones: async () => [`${region}-a`],
      hasImage: async (...given) => {
        asked.push(given);
        return answer;
      },
    });
    const account = { uid: "a", name: "acc", cloud, simulated: false, spec: {} };
    return lookAhead({ openView: async () => ({ view, close: () => undefined }) }, task, "instance", account);
  };
  const found = { field: "spec.image", help: expect.stringContaining("debian-12") as string };
  await expect(look(false)).rejects.toMatchObject({ code: "deployer.preflight_failed", fields: [found] });
  expect(asked[0]).toEqual(["debian-12", getCloud(cloud).machines.defaultType]);
  expect(await look(true)).toEqual([]);
  // Without the permission to look images up, the cloud decides.
  expect(await look(undefined)).toEqual([]);
});
