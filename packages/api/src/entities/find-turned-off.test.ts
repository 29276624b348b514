import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import type { JudgedEntity } from "./judge.ts";
import { findTurnedOff } from "./find-turned-off.ts";

const protectedVault = { purgeProtection: true };
const ownKey = { keyVaultKeyId: "https://main.vault.azure.net/keys/secrets/0123456789abcdef0123456789abcdef" };

test.each<[string, JsonObject, JsonObject, boolean]>([
  ["set to false", protectedVault, { purgeProtection: false }, false],
  ["removed", protectedVault, {}, false],
  ["turned on", {}, protectedVault, true],
  ["left on", protectedVault, { ...protectedVault, tier: "premium" }, true],
  ["never on", {}, { tier: "premium" }, true],
  ["turned off for a cluster without a vault", { ...protectedVault, ...ownKey }, ownKey, true],
  ["turned off when the user's key replaces the vault", protectedVault, ownKey, true],
])("M136 a cluster's purge protection that is %s: from %j to %j, accepted: %s", (_, before, after, isAccepted) => {
  const placed = { kind: "Cluster", spec: { azure: after } } as unknown as JudgedEntity;
  const fields = findTurnedOff(placed, { azure: before }, "azure").map(({ field }) => field);
  expect(fields).toEqual(isAccepted ? [] : ["spec.azure.purgeProtection"]);
});

test("M136 sign-in with Entra ID and IPv6 cannot be turned off", () => {
  const placed = (kind: string, spec: JsonObject): JudgedEntity => ({ kind, spec }) as unknown as JudgedEntity;
  const entra = { azure: { entra: { adminGroupIds: ["one"] } } };
  expect(findTurnedOff(placed("Cluster", { azure: {} }), entra, "azure")).toMatchObject([{ field: "spec.azure.entra" }]);
  expect(findTurnedOff(placed("Cluster", { azure: { entra: {} } }), entra, "azure")).toEqual([]);
  const ipv6 = { aws: { ipv6: true } };
  expect(findTurnedOff(placed("Network", { aws: {} }), ipv6, "aws")).toMatchObject([{ field: "spec.aws.ipv6" }]);
});
