import type { AnyEntity } from "@cloudwright/api-client";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { concealSecrets } from "../../clouds/registry.ts";
import { renderYaml } from "../../data/render-entity.ts";
import type { KindView } from "../../kinds/kind-view.ts";
import { findKindView } from "../../kinds/registry.ts";
import { buildEntity } from "./build-entity.ts";
import { parseDraft } from "./parse-draft.ts";

function viewOf(kind: string): KindView {
  const view = findKindView(kind);
  if (view === undefined) throw new Error(`${kind} has no view`);
  return view;
}

/** Applies a document to a form and returns the entity that the form would create. */
function pass(kind: string, document: object, before: AnyEntity = {}): AnyEntity {
  const view = viewOf(kind);
  const parsed = parseDraft(view, stringify(document), before);
  if ("problem" in parsed) throw new Error(parsed.problem);
  return buildEntity(view.form, parsed.draft);
}

const specs: readonly (readonly [kind: string, spec: object])[] = [
  [
    "Account",
    { gcp: { projectId: "my-project", serviceAccount: "a@b", passableServiceAccounts: ["c@d"], agentCredentials: true } },
  ],
  ["Account", { aws: { roleArn: "arn", externalId: "x", sessionPolicy: "{}" } }],
  ["Account", { azure: { subscriptionId: "s", tenantId: "t", clientId: "c", federatedToken: true } }],
  ["Account", { local: { agentLabel: "edge" } }],
  ["Account", { aws: { passableRoles: ["arn"] }, simulated: true }],
  [
    "Network",
    { account: "a", region: "westeurope", zones: ["1"], azure: { routes: [{ name: "r", nextHop: "none" }], podSubnet: true } },
  ],
  ["Network", { account: "a", existing: { id: "vpc-1", privateSubnetIds: ["s"] }, infra: { drift: "correct" } }],
  ["Network", { account: "a", zones: "a", cidr: 10 }],
  ["Network", { account: "a", aws: { aclRules: [{ number: 1, action: "deny" }] }, nat: "single" }],
  [
    "Cluster",
    {
      network: "n",
      workers: 0,
      endpoint: { public: false },
      addOns: [{ name: "x" }],
      azure: { entra: {}, localAccounts: false },
    },
  ],
  [
    "Cluster",
    { network: "n", infra: { approval: "always", version: "v1.0.0", overrides: { locals: { a: 0 } } }, gcp: { autopilot: true } },
  ],
  [
    "NodePool",
    {
      min: 1,
      desired: 1,
      max: 3,
      autoscaling: true,
      nodeLabels: { a: "" },
      gcp: { accelerator: "nvidia-l4", acceleratorCount: 1 },
    },
  ],
  [
    "Storage",
    { cluster: "c", bucket: { versioning: true, policy: { Statement: [] }, lifecycleRules: [{ id: "a", expireAfterDays: 1 }] } },
  ],
  ["Storage", { cluster: "c", volume: { sizeGib: 8, type: "odd", zone: "a" } }],
  ["Environment", { description: "d", later: { field: 1 } }],
];

for (const [index, [kind, spec]] of specs.entries())
  test(`M015 X013 the ${kind} form keeps every field of a YAML document, case ${index + 1}`, () => {
    const metadata = { name: "one", labels: { a: "b=c" }, annotations: { note: "x" }, deletionProtection: true };
    const { metadata: kept, spec: built } = pass(kind, { kind, metadata, spec });
    expect(built).toEqual(spec);
    expect(kept).toEqual(metadata);
  });

test("M015 X013 a change in the form leaves the fields that came from YAML alone", () => {
  const view = viewOf("Cluster");
  const parsed = parseDraft(view, "spec: {network: n, workers: 2, gcp: {zone: b, workloadIdentities: [{namespace: a}]}}", {});
  if ("problem" in parsed) throw new Error(parsed.problem);
  const built = buildEntity(view.form, { ...parsed.draft, workers: 5, settings: {} });
  expect(built.spec).toEqual({ network: "n", workers: 5, gcp: { workloadIdentities: [{ namespace: "a" }] } });
});

test("M015 M064 a secret's placeholder in YAML stands for the secret that the user entered", () => {
  const before = { spec: { aws: { accessKeyId: "AKIA", secretAccessKey: "hush" } } };
  const shown = parse(renderYaml("Account", { ...before, spec: concealSecrets(before.spec) } as AnyEntity)) as object;
  expect(JSON.stringify(shown)).not.toContain("hush");
  expect(pass("Account", shown, before as AnyEntity).spec).toEqual(before.spec);
});

test.for([
  ["a: [", /^Line 1/],
  ["status: {}", /"status"/],
  ["kind: Cluster", /of the kind Network/],
  ["spec: 7", /must contain fields/],
] as const)("M015 %s is rejected with a reason", ([text, reason]) => {
  expect(parseDraft(viewOf("Network"), text, {})).toMatchObject({ problem: expect.stringMatching(reason) });
});
