import { parsePlan } from "@cloudwright/terraform";
import { expect, test } from "vitest";
import { describePlan } from "./describe-plan.ts";
import { renderPath } from "./render-path.ts";

const change = (address: string, what: object, mode = "managed") => ({
  address,
  mode,
  type: address.split(".")[0],
  name: address.split(".")[1],
  provider_name: "registry.terraform.io/hashicorp/aws",
  ...what,
});

const { plan } = parsePlan(
  JSON.stringify({
    format_version: "1.2",
    terraform_version: "1.11.4",
    resource_changes: [
      change("aws_vpc.same", { change: { actions: ["no-op"], before: { a: 1 }, after: { a: 1 } } }),
      change("aws_vpc.found", { change: { actions: ["no-op"], before: {}, after: {}, importing: { id: "vpc-1" } } }),
      change("aws_db.x", {
        action_reason: "replace_because_cannot_update",
        change: {
          actions: ["delete", "create"],
          before: { name: "a", password: "hunter2-before", tags: { team: "a" } },
          after: { name: "b", password: "hunter2-after", tags: { team: "b" } },
          after_unknown: { id: true },
          before_sensitive: { password: true },
          after_sensitive: { password: true },
          replace_paths: [["name"]],
        },
      }),
      change("aws_db.new", {
        change: {
          actions: ["create"],
          before: null,
          after: { name: "n", password: "hunter2-new", note: null },
          after_unknown: { id: true },
          before_sensitive: false,
          after_sensitive: { password: true },
        },
      }),
      change("aws_ami.y", { change: { actions: ["read"], before: null, after: {} } }, "data"),
    ],
  }),
);

test("M071 X035 a plan is described by counts, addresses and attributes, without sensitive values", () => {
  const told = describePlan(plan);
  expect(told.counts).toEqual({ create: 1, update: 0, replace: 1, delete: 0, import: 1 });
  expect(told.changes.map(({ address, action }) => [address, action])).toEqual([
    ["aws_vpc.found", "none"],
    ["aws_db.x", "replace"],
    ["aws_db.new", "create"],
    ["aws_ami.y", "read"],
  ]);
  const replaced = told.changes[1];
  expect(replaced).toMatchObject({ replacePaths: ["name"], reason: "replace_because_cannot_update" });
  expect(replaced?.["attributes"]).toEqual(
    expect.arrayContaining([
      { path: "name", before: "a", after: "b", sensitive: false, unknown: false },
      { path: "password", before: null, after: null, sensitive: true, unknown: false },
      { path: 'tags["team"]', before: "a", after: "b", sensitive: false, unknown: false },
      { path: "id", before: null, after: null, sensitive: false, unknown: true },
    ]),
  );
  expect(told.changes[2]?.["attributes"]).toContainEqual({
    path: "name",
    before: null,
    after: "n",
    sensitive: false,
    unknown: false,
  });
  expect(JSON.stringify(told)).not.toContain("hunter2");
});

test("X033 attribute paths are rendered as ignore rules spell them", () => {
  expect(renderPath(["scaling_config", 0, "desired_size"])).toBe("scaling_config[0].desired_size");
  expect(renderPath(["tags", 'a "b"'])).toBe('tags["a \\"b\\""]');
  expect(renderPath(["name"])).toBe("name");
});
