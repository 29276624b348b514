import { parse } from "yaml";
import { expect, test } from "vitest";
import { buildEntity, concealSecrets, emptyDraft } from "../pages/create/build-entity.ts";
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

test("M015 an entity is rendered without the fields the platform fills in", () => {
  expect(parse(renderYaml("Network", stored))).toEqual({
    kind: "Network",
    metadata: { name: "net", labels: { team: "a" } },
    spec: { account: "sim", region: "eu-west-1", cidr: "10.0.0.0/16", zones: ["a"], aws: {} },
  });
});

test("M015 a form renders the equivalent command with its flags", () => {
  const network = buildEntity("Network", { ...emptyDraft, name: "main", account: "sim", labels: ["team=a b"] });
  expect(renderCommand("Network", network, { project: "default" })).toBe(
    "npx cloud network create main --account sim --region eu-west-1 --cidr 10.0.0.0/16 --zones a --zones b --label 'team=a b'",
  );
  const pool = buildEntity("NodePool", { ...emptyDraft, name: "gpu", capacity: "spot" });
  expect(renderCommand("NodePool", pool, { project: "shop", cluster: "dev" })).toBe(
    "npx cloud nodepool create gpu --cluster dev --min 1 --desired 2 --max 4 --capacity spot -p shop",
  );
});

test("M015 a spec that flags cannot express is passed as a file", () => {
  const storage = buildEntity("Storage", { ...emptyDraft, name: "files", cluster: "dev" });
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
  const account = buildEntity("Account", {
    ...emptyDraft,
    name: "real",
    simulated: false,
    reach: "key",
    accessKeyId: "AKIA",
    secretAccessKey: "hush",
  });
  expect(JSON.stringify(account)).toContain("hush");
  expect(renderYaml("Account", concealSecrets(account))).not.toContain("hush");
});

test("M015 a YAML syntax error names the line; other documents are refused", () => {
  expect(parseEntity("kind: Network\nspec:\n  a: [1\n")).toMatchObject({
    line: expect.any(Number),
    problem: expect.stringMatching(/./),
  });
  expect(parseEntity("- a\n")).toMatchObject({ problem: expect.stringMatching(/./) });
  expect(parseEntity(renderYaml("Network", stored))).toMatchObject({ entity: { kind: "Network", spec: { zones: ["a"] } } });
});
