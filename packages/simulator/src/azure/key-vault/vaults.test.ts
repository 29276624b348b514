import { expect, test } from "vitest";
import { callProvider, type ProviderCalls } from "../../testing/call-provider.ts";
import { textOf } from "../../values/read-value.ts";
import type { ValueMap } from "../../values/value.ts";
import { azureProvider } from "../provider.ts";

async function open(config: ValueMap = {}, nowMs?: () => number): Promise<ProviderCalls> {
  const clock = nowMs === undefined ? {} : { clock: { now: nowMs, sleep: async () => undefined } as never };
  const azure = callProvider(azureProvider, { config, ...clock });
  await azure.create("azurerm_resource_group", { name: "main", location: "westeurope" });
  await azure.create("azurerm_resource_group", { name: "other", location: "westeurope" });
  return azure;
}

const vault = (more: ValueMap = {}): ValueMap => ({
  name: "secrets",
  resource_group_name: "main",
  location: "westeurope",
  tenant_id: "00000000-0000-0000-0000-000000000000",
  sku_name: "standard",
  rbac_authorization_enabled: false,
  soft_delete_retention_days: 7,
  ...more,
});

const type = "azurerm_key_vault";
const listDeleted = (azure: ProviderCalls) => azure.inventory.list("a", "azurerm_deleted_key_vault");

test("M127 a deleted vault is purged, unless it or the provider's settings forbid that", async () => {
  for (const [config, protection, kept] of [
    [{}, false, 0],
    [{}, true, 1],
    [{ features: [{ key_vault: [{ purge_soft_delete_on_destroy: false }] }] }, false, 1],
  ] as const) {
    const azure = await open(config);
    const made = (await azure.create(type, vault({ purge_protection_enabled: protection }))).state ?? {};
    expect(made["vault_uri"]).toBe("https://secrets.vault.azure.net/");
    expect((await azure.remove(type, made)).said).toEqual([]);
    expect(await listDeleted(azure)).toHaveLength(kept);
  }
});

test("M127 the name of a deleted vault remains taken until its retention ends, and the same vault is recovered", async () => {
  let now = Date.parse("2026-01-01T00:00:00Z");
  const azure = await open({}, () => now);
  const isProtected = { purge_protection_enabled: true };
  const made = (await azure.create(type, vault(isProtected))).state ?? {};
  expect((await azure.update(type, made, vault({ purge_protection_enabled: false }))).said).toEqual([
    expect.stringContaining("not possible to disable it"),
  ]);
  await azure.remove(type, made);
  const elsewhere = vault({ resource_group_name: "other" });
  // The retention period is multiplied by the time scale, which is 0 in this test, so it has ended by the time the clock advances.
  const before = await azure.create(type, elsewhere);
  now += 8 * 86_400_000;
  const after = before.said.length === 0 ? before : await azure.create(type, elsewhere);
  expect(after.said).toEqual([]);
  expect(await listDeleted(azure)).toEqual([]);
});

test("M127 keys need a permission in the vault, have versions, and are deleted with their vault", async () => {
  const azure = await open();
  const made = (await azure.create(type, vault())).state ?? {};
  const key = {
    name: "key",
    key_vault_id: textOf(made["id"]),
    key_type: "RSA",
    key_size: 2048,
    key_opts: ["encrypt", "decrypt"],
  };
  expect((await azure.create("azurerm_key_vault_key", key)).said).toEqual([expect.stringContaining("Forbidden")]);
  const caller = (await azure.data("azurerm_client_config", {})).state;
  const policy = {
    tenant_id: textOf(vault()["tenant_id"]),
    object_id: textOf(caller?.["object_id"]),
    key_permissions: ["Get", "Create"],
  };
  const open2 = await azure.update(type, made, vault({ access_policy: [policy] }));
  expect(open2.said).toEqual([]);
  const { state, said } = await azure.create("azurerm_key_vault_key", key);
  expect(said).toEqual([]);
  expect(state).toMatchObject({
    id: expect.stringMatching(/^https:\/\/secrets\.vault\.azure\.net\/keys\/key\/[0-9a-f]{32}$/),
    versionless_id: "https://secrets.vault.azure.net/keys/key",
    resource_versionless_id: `${key.key_vault_id}/keys/key`,
  });
  await azure.remove(type, open2.state ?? {});
  expect(await azure.inventory.list("a", "azurerm_key_vault_key")).toEqual([]);
});

test.each(["a", "1secrets", "double--hyphen", "ends-", "much-too-long-for-a-vault-name"])(
  "M127 the vault name %s is not accepted",
  (name) => {
    const { validate } = (azureProvider.resources ?? {})[type] ?? {};
    expect(validate?.(vault({ name }))).toHaveLength(1);
    expect(validate?.(vault({ name: "good-name-1" }))).toEqual([]);
  },
);
