import { getEntitySchema } from "@cloudwright/contract/entities";
import { cloudNames } from "@cloudwright/contract/clouds";
import { expect, test } from "vitest";
import { findCloudView } from "../clouds/registry.ts";
import { listCloudSettings } from "../clouds/registry.ts";
import type { CloudSettings } from "../clouds/cloud-view.ts";
import { getPath, setPath, type Tree } from "../data/spec-paths.ts";
import type { Setting } from "./setting.ts";
import { acceptsValue, addSettings, dropInapplicable, listPaths, pickValues, takeSettings, withValue } from "./setting-values.ts";
import { parsePairs, parseTaints, renderPairs, renderTaints } from "./text-forms.ts";

const forms: readonly (readonly [kind: string, forms: readonly (keyof CloudSettings)[]])[] = [
  ["Network", ["newNetwork", "existingNetwork"]],
  ["Cluster", ["cluster"]],
  ["NodePool", ["nodePool"]],
  ["Storage", ["bucket", "volume"]],
];

type Schema = ReturnType<typeof getEntitySchema>;

function findField(kind: string, path: string): Schema["fields"][number] | undefined {
  let schema: Schema | undefined = getEntitySchema(kind).fields.find(({ jsonName }) => jsonName === "spec")?.message;
  let field: Schema["fields"][number] | undefined;
  for (const key of path.split(".")) {
    field = schema?.fields.find(({ jsonName }) => jsonName === key);
    schema = field?.message;
  }
  return field;
}

const kindOfInput = (field: Schema["fields"][number]): string[] => {
  if (field.fieldKind === "map") return ["map"];
  if (field.fieldKind === "list") return field.message === undefined ? ["list", "choices"] : ["taints"];
  if (field.fieldKind === "message") return ["section"];
  const isBool = String(field.scalar) === "8";
  const isText = String(field.scalar) === "9";
  return isBool ? ["switch", "choice"] : isText ? ["text", "choice"] : ["number"];
};

for (const [kind, names] of forms)
  test(`M015 X013 every setting of the ${kind} forms is a field of the API and has an input that fits its type`, () => {
    const wrong = listCloudSettings(...names)
      .flatMap(({ settings }) => settings)
      .filter(({ path, input }) => {
        const field = findField(kind, path);
        return field === undefined || !kindOfInput(field).includes(input);
      });
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

test("M015 X013 a cloud's forms have no settings of other clouds and no duplicate settings", () => {
  for (const cloud of cloudNames) {
    const settings = Object.values(findCloudView(cloud)?.settings ?? {});
    const others = cloudNames.filter((name) => name !== cloud);
    for (const groups of settings) {
      const paths = listPaths(groups);
      expect(paths.filter((path) => others.some((name) => path.split(".").includes(name)))).toEqual([]);
      expect(new Set(paths).size).toBe(paths.length);
    }
  }
});

test("M015 X013 settings that the form cannot show are kept, and the rebuilt spec equals the original", () => {
  const groups = listCloudSettings("cluster");
  const spec = {
    endpoint: { public: false },
    azure: {
      tier: "premium",
      entra: { adminGroupIds: ["a"], extra: 1 },
      accessEntries: [{ principalId: "p" }],
      localAccounts: true,
    },
    gcp: { releaseChannel: "unheard-of", logTypes: ["system"], monitoring: "system" },
    infra: { version: "v1.0.0" },
  };
  const { values, rest } = takeSettings(spec, groups);
  expect(values).toEqual({
    "endpoint.public": false,
    "azure.tier": "premium",
    "azure.entra": {},
    "azure.entra.adminGroupIds": ["a"],
    "azure.localAccounts": true,
    "gcp.logTypes": ["system"],
  });
  expect(addSettings(rest, values)).toEqual(spec);
});

test("M015 X013 random settings survive a round trip through the form", () => {
  const seed = Date.now() % 1_000_000;
  console.log(`seed ${seed}`);
  let state = seed;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const odd: readonly unknown[] = [
    "",
    0,
    false,
    true,
    null,
    [],
    {},
    "text",
    7,
    ["a"],
    { a: "b" },
    [{ key: "k", effect: "NoExecute" }],
  ];
  for (const [, names] of forms) {
    const groups = listCloudSettings(...names);
    const paths = listPaths(groups);
    for (let turn = 0; turn < 200; turn += 1) {
      let spec: Tree = {};
      for (let count = random(8); count > 0; count -= 1) {
        const path = paths[random(paths.length)] ?? "";
        spec = setPath(spec, random(6) === 0 ? `${path}.unknown` : path, odd[random(odd.length)]);
      }
      const { values, rest } = takeSettings(spec, groups);
      expect(addSettings(rest, values), `seed ${seed}`).toEqual(spec);
    }
  }
});

test("M015 a setting with its default value is omitted, and turning a section off removes its settings", () => {
  const entra: Setting = { path: "azure.entra", label: "Entra", input: "section" };
  const protection: Setting = { path: "aws.deletionProtection", label: "Protection", input: "switch", isOn: true };
  const on = withValue({ "azure.entra.adminGroupIds": ["a"] }, entra, {});
  expect(withValue(on, entra, undefined)).toEqual({});
  expect(withValue({}, protection, false)).toEqual({ "aws.deletionProtection": false });
  expect(withValue({ "aws.deletionProtection": false }, protection, true)).toEqual({});
  expect(pickValues({ "gcp.mtu": 1500, "azure.natIps": 2 }, findCloudView("gcp")?.settings.newNetwork ?? [])).toEqual({
    "gcp.mtu": 1500,
  });
  expect(acceptsValue(protection, "yes")).toBe(false);
});

test("M015 X013 a setting that no longer applies is not sent", () => {
  const groups = findCloudView("gcp")?.settings.cluster ?? [];
  const ranges = { "endpoint.publicCidrs": ["203.0.113.0/24"] };
  const drop = (values: Tree, changed = "endpoint.public"): Tree => dropInapplicable(values, groups, changed);
  expect(drop({ ...ranges, "endpoint.public": true })).toEqual({ ...ranges, "endpoint.public": true });
  expect(drop({ ...ranges, "endpoint.public": false })).toEqual({ "endpoint.public": false });
  expect(drop(ranges)).toEqual({});
  expect(drop(ranges, "gcp.zone")).toEqual(ranges);
});

test("M015 X013 the labels of options are short enough for a field on a phone", () => {
  const texts = listCloudSettings("newNetwork", "existingNetwork", "cluster", "nodePool", "bucket", "volume")
    .flatMap(({ settings }) => settings)
    .flatMap((setting) => (setting.input === "choice" ? [setting.usual, ...setting.options.map(([, label]) => label)] : []));
  const egress = cloudNames.flatMap((cloud) => findCloudView(cloud)?.egress.map(([, label]) => label) ?? []);
  expect([...texts, ...egress].filter((text) => text.length > 44)).toEqual([]);
});

test("M015 labels and taints are entered as text", () => {
  const taints = [
    { key: "gpu", value: "yes", effect: "NoSchedule" },
    { key: "a", effect: "NoExecute" },
  ];
  expect(parseTaints(renderTaints(taints))).toEqual(taints);
  expect(parseTaints(["gpu"])).toEqual([{ key: "gpu", effect: "NoSchedule" }]);
  expect(parsePairs(renderPairs({ a: "b=c", empty: "" }))).toEqual({ a: "b=c", empty: "" });
  expect(getPath({ a: { b: 1 } }, "a.b.c")).toBeUndefined();
});
