import { expect } from "vitest";
import type { ConformanceCase } from "./conformance-case.ts";
import type { RealProvider } from "./find-provider.ts";
import type { LocalCloud } from "./local-cloud.ts";
import { openConfiguration, type RealConfiguration } from "./open-configuration.ts";

/**
 * Runs a case: applies the configuration and then each change, expects an empty plan after every apply, and finally destroys everything.
 */
export async function expectConformance(
  provider: RealProvider & { readonly found: true },
  cloud: LocalCloud,
  { place, variables, changes = [], isRepeated = false }: ConformanceCase,
): Promise<void> {
  await cloud.reset();
  const configuration = await openConfiguration(provider, cloud, place);
  try {
    const resolve = cloud.resolve ?? ((values) => values);
    let current = variables;
    await configuration.setVariables(resolve(current));
    await configuration.run("apply", "-auto-approve", "-input=false", "-json");
    await expectNoChange(configuration, "the first apply");
    for (const [index, { place: next, variables: changed = {}, mayRemove, adopts = {} }] of changes.entries()) {
      if (next !== undefined) await configuration.use(next);
      current = { ...current, ...changed };
      await configuration.setVariables(resolve(current));
      await configuration.adopt(adopts);
      const removed = Object.entries(await configuration.plan()).filter(
        ([address, action]) => isRemoval(action) && mayRemove?.test(address) !== true,
      );
      expect(removed, `resources that change ${index + 1} removes`).toEqual([]);
      await configuration.run("apply", "-auto-approve", "-input=false", "-json");
      await expectNoChange(configuration, `change ${index + 1}`);
    }
    await configuration.run("destroy", "-auto-approve", "-input=false", "-json");
    expect(await cloud.listResources()).toEqual([]);
    if (isRepeated) {
      await configuration.run("apply", "-auto-approve", "-input=false", "-json");
      await expectNoChange(configuration, "the second creation");
      await configuration.run("destroy", "-auto-approve", "-input=false", "-json");
      expect(await cloud.listResources()).toEqual([]);
    }
    expect(cloud.listForbidden()).toEqual([]);
  } finally {
    await configuration.close();
  }
}

/** Expects an empty plan. If the plan is not empty, the failure message contains the whole plan. */
async function expectNoChange(configuration: RealConfiguration, before: string): Promise<void> {
  const plan = await configuration.plan();
  const text = Object.keys(plan).length === 0 ? "" : (await configuration.run("plan", "-input=false", "-no-color")).output;
  expect(plan, `plan after ${before}\n${text}`).toEqual({});
}

function isRemoval(action: string): boolean {
  return action === "replace" || action === "delete" || action === "remove";
}
