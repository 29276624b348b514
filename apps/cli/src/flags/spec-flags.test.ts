import { kinds, secretPaths } from "@cloudwright/contract";
import { expect, test } from "vitest";
import { hasVerb } from "../kinds/registry.ts";
import { createFakeWorld } from "../testing/fake-world.ts";
import { listSpecFlags } from "./spec-flags.ts";

const names = (kind: string) => listSpecFlags(kind).map(({ name }) => name);

test("M003 flags are the contract's fields; nested ones are named by their path", () => {
  expect(names("Network")).toEqual(
    expect.arrayContaining(["account", "cidr", "zones", "subnets-public", "aws-flow-logs", "cloud"]),
  );
  expect(names("Account")).toEqual(expect.arrayContaining(["cloud", "simulated", "aws-access-key-id", "gcp-project-id"]));
  expect(names("NodePool")).toEqual(expect.arrayContaining(["node-labels", "taints", "disk-size-gib"]));
});

test("M003 flags know allowed values, immutable fields and references", () => {
  const flag = (kind: string, name: string) => listSpecFlags(kind).find((candidate) => candidate.name === name);
  expect(flag("Network", "nat")?.choices).toEqual(["per-zone", "single", "none"]);
  expect(flag("Network", "account")).toMatchObject({ isImmutable: true, reference: "Account" });
  expect(flag("Storage", "type")).toMatchObject({ type: "case", choices: ["bucket", "volume"] });
  expect(flag("ApiKey", "expires-at")?.type).toBe("time");
  expect(flag("Cluster", "version")?.description).toContain("Kubernetes version");
});

test("X033 flags inherit immutability and required roles from their message, and infrastructure flags do not clash with others", () => {
  for (const kind of ["Network", "Cluster", "Storage"]) {
    const flags = listSpecFlags(kind).filter(({ path }) => path[0] === "infra");
    const which = (fits: (flag: (typeof flags)[number]) => boolean) => flags.filter(fits).map(({ name }) => name);
    expect(which(() => true)).toEqual([
      "infra-version",
      "infra-approval",
      "infra-drift",
      "infra-ignore",
      "infra-overrides",
      "infra-backend-type",
      "infra-backend-settings",
      "infra-backend-name",
    ]);
    expect(which(({ isImmutable }) => isImmutable)).toEqual([
      "infra-backend-type",
      "infra-backend-settings",
      "infra-backend-name",
    ]);
    expect(which(({ description }) => description.includes("admin role"))).toEqual([
      "infra-approval",
      "infra-overrides",
      "infra-backend-type",
      "infra-backend-settings",
      "infra-backend-name",
    ]);
    expect(flags.every(({ description }) => !description.includes("\n"))).toBe(true);
    expect(which(({ description }) => description.split("admin role").length > 2)).toEqual([]);
  }
});

test.each(kinds.filter(({ kind }) => hasVerb(kind, "create")).map(({ kind, words }) => [kind, words[0]] as const))(
  "M003 the flags of %s are distinct and none takes a secret's value",
  async (kind, word) => {
    const flags = listSpecFlags(kind);
    expect(new Set(flags.map(({ name }) => name)).size).toBe(flags.length);
    expect(flags.filter(({ isSecret }) => isSecret)).toHaveLength(secretPaths[kind]?.length ?? 0);
    const { run } = createFakeWorld();
    for (const { name, isSecret } of flags) {
      if (!isSecret) continue;
      const { code, err } = await run(word, "create", "x", `--${name}`, "hunter2");
      expect(code).toBe(2);
      expect(err).toContain("cli.usage");
      expect(err).not.toContain("hunter2");
    }
    expect((await run(word, "create", "--help")).code).toBe(0);
  },
);
