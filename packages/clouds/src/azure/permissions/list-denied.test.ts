import { expect, test } from "vitest";
import type { AzureApi } from "../api.ts";
import type { Permission } from "../models.ts";
import { listDeniedActions } from "./list-denied.ts";

const action = "Microsoft.Network/virtualNetworks/subnets/join/action";

async function isAllowed(pattern: string): Promise<boolean> {
  const permissions: Permission[] = [{ actions: [pattern] }];
  const api = { list: async () => await Promise.resolve(permissions) } as unknown as AzureApi;
  const denied = await listDeniedActions(api, undefined, { actions: [action], dataActions: [] });
  return denied?.length === 0;
}

test.each([
  "*",
  "**",
  action,
  action.toUpperCase(),
  "Microsoft.Network/*",
  "*/action",
  "Microsoft.Network/*/subnets/*/action",
  "Microsoft.*/join/action",
])("X013 a role with the action %s allows joining a subnet", async (pattern) => {
  expect(await isAllowed(pattern)).toBe(true);
});

test.each(["", "Microsoft.Network", "*/read", "MicrosoftXNetwork/*", "*/action*/action", "*/subnets/*/virtualNetworks/*"])(
  "X013 a role with the action %o does not allow joining a subnet",
  async (pattern) => {
    expect(await isAllowed(pattern)).toBe(false);
  },
);

test("X063 a role with many wildcards does not block the process", async () => {
  expect(await isAllowed(`${"*".repeat(100)}x`)).toBe(false);
});
