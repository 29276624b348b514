import type { JsonObject } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { clusterRules } from "./cluster.ts";

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
  const current = { spec: { azure: before }, status: {} };
  const fields = clusterRules.checkChange?.(current, { azure: after }).map(({ field }) => field);
  expect(fields).toEqual(isAccepted ? [] : ["spec.azure.purgeProtection"]);
});
