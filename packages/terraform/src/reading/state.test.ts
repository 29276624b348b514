import { expect, test } from "vitest";
import { parseOutputs, pickOutputs } from "./outputs.ts";
import { parseShownState } from "./shown-state.ts";
import { parseState } from "./state.ts";

test("M072 a stored state is read with addresses, IDs, marks and outputs, and its values are never printed", () => {
  const provider = 'provider["registry.terraform.io/hashicorp/aws"]';
  const state = parseState(
    JSON.stringify({
      version: 4,
      serial: 12,
      lineage: "l-1",
      terraform_version: "1.11.4",
      outputs: { token: { value: "canary", type: "string", sensitive: true } },
      resources: [
        {
          mode: "managed",
          type: "x_y",
          name: "z",
          provider,
          instances: [{ index_key: 0, attributes: { id: "i-1", password: "canary" } }],
        },
        {
          module: 'module.m["k"]',
          mode: "data",
          type: "x_d",
          name: "e",
          provider,
          instances: [{ index_key: 'a"b', attributes: {} }],
        },
        {
          mode: "managed",
          type: "x_y",
          name: "t",
          provider,
          instances: [{ status: "tainted", deposed: "00ff", attributes: null }],
        },
      ],
    }),
  );
  expect(state).toMatchObject({ serial: 12, lineage: "l-1", terraformVersion: "1.11.4" });
  expect(state.resources.map(({ address, id, isTainted, deposedKey }) => [address, id, isTainted, deposedKey])).toEqual([
    ["x_y.z[0]", "i-1", false, undefined],
    ['module.m["k"].data.x_d.e["a\\"b"]', undefined, false, undefined],
    ["x_y.t", undefined, true, "00ff"],
  ]);
  expect(state.resources[0]?.provider).toBe("registry.terraform.io/hashicorp/aws");
  expect(state.resources[0]?.attributes.reveal()["password"]).toBe("canary");
  expect(JSON.stringify(state)).not.toContain("canary");
});

test("M072 text that is not a state causes a fault", () => {
  for (const text of [
    "",
    "{}",
    '{"version":3,"serial":1,"lineage":"x"}',
    '{"version":4,"serial":"1","lineage":"x"}',
    "rubbish",
  ]) {
    expect(() => parseState(text)).toThrow(expect.objectContaining({ code: "terraform.unexpected_output" }));
  }
});

test("M064 a shown state masks what the providers mark as sensitive, even in modules", () => {
  const resource = {
    address: "m.x",
    mode: "managed",
    type: "x",
    name: "y",
    values: { a: "canary-canary", b: 1 },
    sensitive_values: { a: true },
  };
  const values = {
    outputs: { o: { value: "out-canary", sensitive: true } },
    root_module: { child_modules: [{ resources: [resource] }] },
  };
  const { state, secrets } = parseShownState(JSON.stringify({ format_version: "1.0", values }));
  expect(state.resources).toMatchObject([{ address: "m.x", values: { a: "[secret]", b: 1 } }]);
  expect(secrets).toEqual(["canary-canary", "out-canary"]);
});

test("M026 M070 outputs of the wrong shape are reported by name, and the others are read", () => {
  const { outputs } = parseOutputs(
    JSON.stringify({
      id: { value: "v-1", type: "string", sensitive: false },
      zones: { value: ["a", "b"], type: ["list", "string"] },
      count: { value: "three", type: "string" },
      flag: { value: true, type: "bool" },
      deep: { value: { a: 1 }, type: ["object", {}] },
      nothing: { value: null, type: "string" },
    }),
  );
  const wanted = {
    id: "text",
    zones: "texts",
    count: "number",
    flag: "truth",
    deep: "object",
    nothing: "text",
    none: "text",
  } as const;
  const { values, problems } = pickOutputs(outputs, wanted);
  expect(values).toEqual({ id: "v-1", zones: ["a", "b"], flag: true, deep: { a: 1 } });
  expect(problems.map(({ field }) => field)).toEqual(["count", "nothing", "none"]);
  expect(pickOutputs(outputs, { toString: "text" } as const).problems).toHaveLength(1);
});
