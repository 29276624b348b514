import type { JudgedEntity } from "@cloudwright/api";
import type { Scope } from "@cloudwright/reconciler";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadPolicies } from "./policies.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "policies-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const account = { kind: "Account", metadata: { name: "acme" }, spec: { aws: {} } };
const network: JudgedEntity = {
  kind: "Network",
  metadata: { name: "net", labels: {} },
  spec: { region: "eu-west-1" },
  account,
  parents: [account],
};
const vpc = {
  address: "aws_vpc.main",
  type: "aws_vpc",
  reason: "",
  unfinished: false,
  replacePaths: ["cidr_block"],
  before: {},
  after: {},
};
const ownRule = `rules:
  - name: europe-only
    description: Networks stay in Europe.
    severity: must
    on: entity
    match: { kinds: [Network], clouds: [aws] }
    check: spec.region.startsWith("eu-")
    path: spec.region
    message: "{{ spec.region }} is not in Europe"
    fix: Choose a region in Europe.
`;

describe("X035 policies", () => {
  test("that are built in deny a plan that replaces resources with traffic, unless the request allows it", async () => {
    const { judge } = loadPolicies(undefined);
    const replaced = await judge.plan(network, [{ ...vpc, action: "replace" }], []);
    expect(replaced).toContainEqual(expect.objectContaining({ severity: "must", path: "aws_vpc.main" }));
    expect(await judge.plan(network, [{ ...vpc, action: "replace" }], ["replace"])).toEqual([]);
    expect(await judge.plan(network, [{ ...vpc, action: "update" }], [])).toEqual([]);
    expect(await judge.plan(network, [{ ...vpc, action: "vaporise" }], [])).not.toEqual([]);
  });

  test("of a user's folder apply too, at admission and again before building", () => {
    writeFileSync(join(folder, "own.yaml"), ownRule);
    const { judge, findDenials } = loadPolicies(folder);
    const abroad = { ...network, spec: { region: "us-east-1" } };
    expect(judge.entity(abroad)).toContainEqual({
      rule: "europe-only",
      severity: "must",
      message: "us-east-1 is not in Europe",
      path: "spec.region",
      fix: "Choose a region in Europe.",
    });
    expect(judge.entity(network).filter(({ severity }) => severity === "must")).toEqual([]);
    expect(findDenials(toScope(abroad))).toEqual([expect.stringContaining("us-east-1 is not in Europe (europe-only)")]);
    expect(findDenials(toScope(network))).toEqual([]);
  });

  test("that only warn do not deny", () => {
    writeFileSync(join(folder, "own.yaml"), ownRule.replace("severity: must", "severity: should"));
    const { judge, findDenials } = loadPolicies(folder);
    const abroad = { ...network, spec: { region: "us-east-1" } };
    expect(judge.entity(abroad)).toContainEqual(expect.objectContaining({ severity: "should" }));
    expect(findDenials(toScope(abroad))).toEqual([]);
  });

  test("get the paths of attributes that force a replacement as lists of steps", async () => {
    const rule = `rules:
  - name: no-team-change
    description: x
    severity: must
    on: plan
    each: changes
    check: '!(item.replacePaths.exists(path, path == ["tags", "team.a", 0]))'
    path: "{{ item.address }}"
    message: x
    fix: x
`;
    writeFileSync(join(folder, "own.yml"), rule);
    const { judge } = loadPolicies(folder);
    const change = { ...vpc, type: "x_y", action: "update", replacePaths: ['tags["team.a"][0]'] };
    expect(await judge.plan(network, [change], [])).toMatchObject([{ rule: "no-team-change" }]);
    expect(await judge.plan(network, [{ ...change, replacePaths: ["tags"] }], [])).toEqual([]);
  });

  test("that are invalid are rejected with file and line, and so is a missing folder", () => {
    writeFileSync(join(folder, "own.yaml"), ownRule.replace("spec.region.startsWith", "spec.region.beginsWith"));
    expect(() => loadPolicies(folder)).toThrow(expect.objectContaining({ code: "policy.bad_rules" }));
    expect(() => loadPolicies(folder)).toThrow(/own\.yaml:\d+/);
    expect(() => loadPolicies(join(folder, "none"))).toThrow(
      expect.objectContaining({ code: "control_plane.policies_unreadable" }),
    );
  });
});

function toScope({ kind, metadata, spec }: JudgedEntity): Scope {
  const above = [{ uid: "a", kind: "Account", object: { ...account, status: {} }, outputs: null, runs: [] }];
  return { entity: { kind, object: { metadata, spec, status: {} } }, above } as unknown as Scope;
}
