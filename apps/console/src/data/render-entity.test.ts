import { parse } from "yaml";
import { expect, test } from "vitest";
import type { AnyEntity } from "@cloudwright/api-client";
import { concealSecrets } from "../clouds/registry.ts";
import { findKindView } from "../kinds/registry.ts";
import { buildEntity } from "../pages/create/build-entity.ts";
import { emptyValues } from "../pages/create/use-draft.ts";
import { parseEntity } from "./parse-entity.ts";
import { renderCall, renderCommand, renderYaml } from "./render-entity.ts";

const stored = {
  metadata: {
    project: "default",
    name: "net",
    uid: "u",
    labels: { team: "a" },
    annotations: {},
    generation: 3,
    environment: "",
    paused: false,
    parent: "sim",
  },
  spec: {
    account: "sim",
    region: "eu-west-1",
    cidr: "10.0.0.0/16",
    zones: ["a"],
    nat: "",
    aws: { loadBalancerIps: 0, flowLogs: false },
  },
  status: { phase: "RUNNING" },
};

/** Builds an entity from the form's defaults and the given values. */
function fillIn(kind: string, values: { readonly name: string } & Readonly<Record<string, unknown>>): AnyEntity {
  const form = findKindView(kind)?.form;
  if (form === undefined) throw new Error(`${kind} has no form`);
  return buildEntity(form, { ...emptyValues, ...form.defaults, ...values });
}

test("M015 an entity is rendered without the fields the platform fills in", () => {
  expect(parse(renderYaml("Network", stored))).toEqual({
    kind: "Network",
    metadata: { name: "net", labels: { team: "a" } },
    spec: { account: "sim", region: "eu-west-1", cidr: "10.0.0.0/16", zones: ["a"], aws: {} },
  });
});

test("M015 a form renders the equivalent command with its flags", () => {
  const network = fillIn("Network", { name: "main", account: "sim", labels: ["team=a b"] });
  expect(renderCommand("Network", network, { project: "default" })).toBe(
    "npx cloud network create main --account sim --region eu-west-1 --cidr 10.0.0.0/16 --zones a --zones b --label 'team=a b'",
  );
  const { metadata, spec } = fillIn("NodePool", { name: "gpu", capacity: "spot" });
  expect(renderCommand("NodePool", { metadata: { ...metadata, parent: "dev" }, spec } as AnyEntity, { project: "shop" })).toBe(
    "npx cloud nodepool create gpu --cluster dev --min 1 --desired 2 --max 4 --capacity spot -p shop",
  );
});

test("M015 a spec that flags cannot express is passed as a file", () => {
  const storage = fillIn("Storage", { name: "files", cluster: "dev" });
  const command = renderCommand("Storage", storage, { project: "default" });
  expect(command).toMatch(/^npx cloud apply -f - <<'EOF'\nkind: Storage\n[^]*versioning: true\nEOF$/);
});

test("M015 the API call contains the same entity, quoted for a shell", () => {
  const odd = { metadata: { name: "a", annotations: { note: "it's" } }, spec: {} };
  const call = renderCall("Environment", odd, { server: "http://s", project: "default" });
  expect(call).toContain("POST http://s/v1/projects/default/environments");
  expect(call).toContain(String.raw`it'\''s`);
});

test("M015 a typed secret is not shown", () => {
  const account = fillIn("Account", {
    name: "real",
    simulated: false,
    credentials: { method: "key", accessKeyId: "AKIA", secretAccessKey: "hush" },
  });
  expect(JSON.stringify(account)).toContain("hush");
  expect(renderYaml("Account", { ...account, spec: concealSecrets(account.spec ?? {}) })).not.toContain("hush");
});

test("M015 a YAML syntax error names the line; other documents are rejected", () => {
  expect(parseEntity("kind: Network\nspec:\n  a: [1\n")).toMatchObject({
    line: expect.any(Number),
    problem: expect.stringMatching(/./),
  });
  expect(parseEntity("- a\n")).toMatchObject({ problem: expect.stringMatching(/./) });
  expect(parseEntity(renderYaml("Network", stored))).toMatchObject({ entity: { kind: "Network", spec: { zones: ["a"] } } });
});
