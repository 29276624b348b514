import type { JsonObject } from "@cloudwright/contract";
import { describe, expect, test } from "vitest";
import { diffStates } from "./diff-states.ts";
import { listInstances, parseStateHead } from "./parse-state.ts";
import { setSerial } from "./set-serial.ts";

type Instance = JsonObject & { readonly attributes: JsonObject };

function resource(part: JsonObject, ...instances: Instance[]): JsonObject {
  return { mode: "managed", type: "aws_subnet", name: "a", instances, ...part };
}

const state = (...resources: JsonObject[]): JsonObject => ({ serial: 1, lineage: "l", resources });

describe("M072 resources of a state", () => {
  test("have the addresses that Terraform gives them", () => {
    const all = state(
      resource({}, { attributes: {} }),
      resource({ name: "b" }, { index_key: 0, attributes: {} }, { index_key: 1, attributes: {} }),
      resource({ name: "c", module: 'module.net["eu"]' }, { index_key: "x.y", attributes: {} }),
      resource({ mode: "data", name: "d" }, { attributes: {} }),
      resource({ name: "e" }, { attributes: {} }, { deposed: "0a1b2c3d", attributes: {} }),
    );
    expect(listInstances(all).map(({ address }) => address)).toEqual([
      "aws_subnet.a",
      "aws_subnet.b[0]",
      "aws_subnet.b[1]",
      'module.net["eu"].aws_subnet.c["x.y"]',
      "data.aws_subnet.d",
      "aws_subnet.e",
      "aws_subnet.e (deposed 0a1b2c3d)",
    ]);
    expect(parseStateHead(Buffer.from(JSON.stringify(all))).resources).toBe(7);
  });
});

describe("M072 a difference between states", () => {
  test("names what was added, removed and changed, and omits the rest, whatever the order of keys", () => {
    const before = state(
      resource({ name: "stays" }, { attributes: { id: "1", tags: { a: "1", b: "2" } } }),
      resource({ name: "turns" }, { attributes: { id: "1", size: 1, gone: true } }),
      resource({ name: "goes" }, { attributes: { id: "1" } }),
    );
    const after = state(
      resource({ name: "turns" }, { attributes: { id: "1", size: 2, fresh: null } }),
      resource({ name: "comes" }, { attributes: { id: "1" } }),
      resource({ name: "stays" }, { attributes: { tags: { b: "2", a: "1" }, id: "1" } }),
    );
    expect(diffStates(before, after).resources).toEqual([
      { address: "aws_subnet.comes", change: "added", attributes: ["id"] },
      { address: "aws_subnet.goes", change: "removed", attributes: ["id"] },
      { address: "aws_subnet.turns", change: "changed", attributes: ["fresh", "gone", "size"] },
    ]);
    expect(diffStates(after, after)).toEqual({ resources: [], outputs: [] });
  });

  test("contains the names of outputs but no values, whether marked as sensitive or not", () => {
    const before = {
      ...state(),
      outputs: { kept: { value: "canary-1" }, turned: { value: "canary-2" }, gone: { value: "canary-3" } },
    };
    const after = {
      ...state(),
      outputs: { kept: { value: "canary-1" }, turned: { value: "canary-4", sensitive: true }, fresh: { value: "canary-5" } },
    };
    const difference = diffStates(before, after);
    expect(difference.outputs).toEqual([
      { name: "fresh", change: "added" },
      { name: "gone", change: "removed" },
      { name: "turned", change: "changed" },
    ]);
    expect(JSON.stringify(difference)).not.toContain("canary");
  });

  test("is rejected if the tool encrypted the state, or if the state is nested too deeply", () => {
    const sealed = { serial: 1, lineage: "l", encrypted_data: "…" };
    expect(() => diffStates(sealed, state())).toThrow(expect.objectContaining({ code: "api.state_sealed" }));
    let deep: JsonObject = {};
    for (let level = 0; level < 5000; level += 1) deep = { deep };
    const nested = state(resource({}, { attributes: deep }));
    expect(() => diffStates(state(), nested)).toThrow(expect.objectContaining({ code: "api.state_malformed" }));
  });
});

test("M072 a state with another serial is otherwise identical", () => {
  const text =
    '{"serial":1,"lineage":"l","big":12345678901234567890,"exact":1.10,"tiny":1e-400,"text":"1.10","__proto__":{"a":1}}';
  const changed = setSerial(Buffer.from(text), 7).toString("utf8");
  expect(changed.replaceAll(/\s/g, "")).toBe(text.replace('"serial":1', '"serial":7'));
});
