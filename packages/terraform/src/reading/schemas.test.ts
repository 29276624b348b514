import { expect, test } from "vitest";
import type { AttributePath } from "./changed-paths.ts";
import { parseSchemas } from "./schemas.ts";

const rule = { attributes: { ports: { type: ["list", "number"] }, cidrs: { type: ["set", "string"] } } };
const block = {
  attributes: {
    tags: { type: ["map", "string"] },
    routes: { type: ["set", ["object", { cidr: "string" }]] },
    rows: { type: ["list", ["object", { names: ["set", "string"], size: "number" }]] },
    nested: { nested_type: { nesting_mode: "list", attributes: { ids: { type: ["set", "string"] }, size: { type: "number" } } } },
  },
  block_types: { ingress: { nesting_mode: "set", block: rule }, scaling: { nesting_mode: "list", block: rule } },
};
const schemas = parseSchemas(JSON.stringify({ provider_schemas: { sim: { resource_schemas: { sim_net: { block } } } } }));

test.each<[AttributePath, AttributePath]>([
  [
    ["tags", "x"],
    ["tags", "x"],
  ],
  [["routes", 0, "cidr"], ["routes"]],
  [
    ["rows", 1, "size"],
    ["rows", 1, "size"],
  ],
  [
    ["rows", 1, "names", 0],
    ["rows", 1, "names"],
  ],
  [
    ["nested", 0, "size"],
    ["nested", 0, "size"],
  ],
  [
    ["nested", 0, "ids", 2],
    ["nested", 0, "ids"],
  ],
  [["ingress", 0, "ports", 1], ["ingress"]],
  [
    ["scaling", 0, "ports", 1],
    ["scaling", 0, "ports", 1],
  ],
  [
    ["scaling", 0, "cidrs", 1],
    ["scaling", 0, "cidrs"],
  ],
  [["scaling"], ["scaling"]],
  [
    ["unheard", 0],
    ["unheard", 0],
  ],
])("X033 %o can be addressed up to %o", (path, named) => {
  expect(schemas.cutAtSet("sim_net", path)).toEqual(named);
  expect(schemas.cutAtSet("sim_other", path)).toEqual(path);
});

test("X033 malformed output causes a fault", () => {
  expect(() => parseSchemas("no")).toThrow(expect.objectContaining({ code: "terraform.unexpected_output" }) as Error);
});
