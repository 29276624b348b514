import type { JsonObject } from "@cloudwright/contract";
import { describe, expect, test } from "vitest";
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
  const fields = findTurnedOff(placed, { azure: before }, "azure", true).map(({ field }) => field);
  expect(fields).toEqual(isAccepted ? [] : ["spec.azure.purgeProtection"]);
});

test("M136 sign-in with Entra ID and IPv6 cannot be turned off", () => {
  const placed = (kind: string, spec: JsonObject): JudgedEntity => ({ kind, spec }) as unknown as JudgedEntity;
  const entra = { azure: { entra: { adminGroupIds: ["one"] } } };
  expect(findTurnedOff(placed("Cluster", { azure: {} }), entra, "azure", true)).toMatchObject([{ field: "spec.azure.entra" }]);
  expect(findTurnedOff(placed("Cluster", { azure: { entra: {} } }), entra, "azure", true)).toEqual([]);
  const ipv6 = { aws: { ipv6: true } };
  expect(findTurnedOff(placed("Network", { aws: {} }), ipv6, "aws", true)).toMatchObject([{ field: "spec.aws.ipv6" }]);
});

describe("M137 a bucket's object lock", () => {
  const lock = (mode: string, days: number): JsonObject => ({ bucket: { versioning: true, objectLock: { mode, days } } });
  const listFields = (cloud: "aws" | "gcp" | "azure", before: JsonObject, after: JsonObject, isApplied = true): string[] =>
    findTurnedOff({ kind: "Storage", spec: after } as unknown as JudgedEntity, before, cloud, isApplied).map(
      ({ field }) => field,
    );
  const locked = lock("COMPLIANCE", 30);
  const field = ["spec.bucket.objectLock"];

  test.each(["gcp", "azure"] as const)("in %s can be extended once it is locked, but not weakened", (cloud) => {
    for (const weaker of [{ bucket: { versioning: true } }, lock("COMPLIANCE", 29), lock("GOVERNANCE", 30)])
      expect(listFields(cloud, locked, weaker)).toEqual(field);
    expect(listFields(cloud, locked, lock("COMPLIANCE", 31))).toEqual([]);
    expect(listFields(cloud, lock("GOVERNANCE", 30), { bucket: {} })).toEqual([]);
  });

  test.each(["gcp", "azure"] as const)("in %s can be withdrawn while it has not been applied", (cloud) => {
    expect(listFields(cloud, locked, { bucket: { versioning: true } }, false)).toEqual([]);
  });

  test("in AWS can be withdrawn for new objects, but the bucket stays versioned", () => {
    expect(listFields("aws", locked, { bucket: { versioning: true } })).toEqual([]);
    expect(listFields("aws", locked, { bucket: {} })).toEqual(["spec.bucket.versioning"]);
    expect(listFields("aws", { bucket: { versioning: true } }, { bucket: {} })).toEqual([]);
  });
});
