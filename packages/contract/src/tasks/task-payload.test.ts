import { fromJson, toJson, type DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { TaskPayloadSchema } from "../../gen/cloudwright/v1/task_payload_pb.ts";
import { getEntitySchema, type JsonObject } from "../entities.ts";
import { listRecordedTasks } from "../testing/recorded-payloads.ts";
import { findParent, readTaskPayload } from "./read-task-payload.ts";
import { renderTaskPayload, renderTaskPlacement, type PayloadInput } from "./render-task-payload.ts";
import { taskTypes } from "./task-types.ts";

const recorded = listRecordedTasks();

test("M043 a task of every type is recorded in the form that its first release rendered", () => {
  expect(new Set(recorded.map(({ type }) => type))).toEqual(new Set(taskTypes));
});

test.each(recorded)("M043 a recorded payload is read without loss: $type, $what", ({ payload }) => {
  const read = readTaskPayload(payload);
  const { entity, account, parents, nodePools, formerSpec } = read;
  // `fromJson` throws if a key is not a field of the message.
  expect(() => fromJson(TaskPayloadSchema, payload)).not.toThrow();
  const json = payload as Recorded;
  expect(specJson(entity)).toMatchObject(json.entity.spec);
  expect(account?.spec).toEqual(json.account.spec);
  expect(parents.map(specJson)).toMatchObject(json.parents.map(({ spec }) => spec));
  expect(nodePools.map(({ spec }) => specJson({ kind: "NodePool", spec }))).toMatchObject(
    (json.nodePools ?? []).map(({ spec }) => spec),
  );
  expect(formerSpec === undefined ? [] : [specJson({ kind: entity.kind, spec: formerSpec })]).toMatchObject(
    [json.formerSpec ?? []].flat(),
  );
  const plain = ["action", "fingerprint", "outputs", "plan", "finalVersion", "newPool", "access", "parallelism"] as const;
  expect(read.repair).toEqual(json["repair"]);
  expect(read.gates).toEqual(json["gates"]);
  expect(read.keys).toEqual(json["keys"]);
  const given = plain.filter((key) => json[key] !== undefined);
  expect(given.map((key) => read[key])).toEqual(given.map((key) => json[key]));
  const { kind, uid, name, project, environment, labels } = json.entity as unknown as JsonObject;
  expect(entity).toMatchObject({ kind, uid, name, project, environment, labels });
});

interface Recorded extends JsonObject {
  entity: { spec: JsonObject };
  account: { spec: JsonObject };
  parents: { spec: JsonObject }[];
  nodePools: { spec: JsonObject }[];
  formerSpec: JsonObject;
}

function specJson({ kind, spec }: { readonly kind: string; readonly spec: unknown }): JsonObject {
  const schema = getEntitySchema(kind).field["spec"]?.message as DescMessage;
  return toJson(schema, spec as never, { alwaysEmitImplicit: true }) as JsonObject;
}

const input: PayloadInput = {
  type: "network.check",
  entity: {
    kind: "Network",
    uid: "u-1",
    name: "main",
    project: "default",
    environment: "",
    labels: {},
    spec: { region: "eu-west-1" },
  },
  account: { uid: "a-1", name: "sandbox", spec: { aws: {}, simulated: true } },
  parents: [{ kind: "Account", uid: "a-1", name: "sandbox", spec: { aws: {}, simulated: true }, outputs: null }],
  outputs: { network_id: "vpc-1" },
};

test("M043 a rendered payload is read back without loss", () => {
  const { payload, payloadVersion } = renderTaskPayload({ ...input, parallelism: 4, allow: ["replace"] });
  expect(payloadVersion).toBe(1);
  const read = readTaskPayload(payload);
  expect(read).toMatchObject({ action: "check", outputs: { network_id: "vpc-1" }, parallelism: 4, allow: ["replace"] });
  expect(read.entity.spec).toMatchObject({ $typeName: "cloudwright.v1.NetworkSpec", region: "eu-west-1", zones: [] });
  expect(read.account).toMatchObject({ cloud: "aws", simulated: true });
  expect(findParent(read, "Account")).toMatchObject({ name: "sandbox", outputs: {} });
  expect(findParent(read, "Cluster")).toBeUndefined();
});

test("M043 only a payload that names a plan has version 2", () => {
  const apply = renderTaskPayload({ ...input, type: "network.apply", plan: "p-1" });
  expect([apply.payloadVersion, apply.payload.plan]).toEqual([2, "p-1"]);
});

test("X082 an agent that does not support the choice of volumes or deletion previews does not get such a task", () => {
  const cluster = { ...input.entity, kind: "Cluster", spec: { network: "main", claimVolumes: "retain" } };
  expect(renderTaskPayload({ ...input, type: "cluster.destroy", entity: cluster }).payloadVersion).toBe(3);
  expect(renderTaskPayload({ ...input, type: "cluster.apply", entity: cluster }).payloadVersion).toBe(1);
  const preview = renderTaskPayload({ ...input, type: "cluster.preview", deletion: true });
  expect([preview.payloadVersion, readTaskPayload(preview.payload as JsonObject).deletion]).toEqual([3, true]);
});

test("M072 every task of an entity that is built without Terraform has version 4, because older agents would run Terraform", () => {
  const spec = { network: "main", provisioner: "direct", claimVolumes: "retain" };
  const entity = { ...input.entity, kind: "Cluster", spec };
  for (const type of ["cluster.preflight", "cluster.plan", "cluster.apply", "cluster.check", "cluster.destroy"] as const) {
    const { payload, payloadVersion } = renderTaskPayload({ ...input, type, entity, plan: "p-1" });
    expect([type, payloadVersion]).toEqual([type, 4]);
    expect(readTaskPayload(payload as JsonObject).entity.spec).toMatchObject({ provisioner: "direct" });
  }
  const terraform = { ...entity, spec: { network: "main", provisioner: "terraform" } };
  expect(renderTaskPayload({ ...input, type: "cluster.apply", entity: terraform }).payloadVersion).toBe(1);
});

test("X016 every task of a cluster that the platform did not create has version 5, because older agents would build or delete one", () => {
  const existing = { account: "sandbox", id: "arn:aws:eks:eu-west-1:123456789012:cluster/shop", region: "eu-west-1" };
  const entity = { ...input.entity, kind: "Cluster", spec: { existing } };
  for (const type of ["cluster.preflight", "cluster.plan", "cluster.apply", "cluster.check", "cluster.preview"] as const) {
    const { payload, payloadVersion } = renderTaskPayload({ ...input, type, entity });
    expect([type, payloadVersion]).toEqual([type, 5]);
    expect(readTaskPayload(payload as JsonObject).entity.spec).toMatchObject({ existing });
  }
  const account = { uid: "u-2", name: "sandbox", spec: { aws: {} } };
  expect(renderTaskPlacement("shop", account, [entity.spec])).toMatchObject({ region: "eu-west-1" });
});

test("M043 an agent ignores fields, values and parents that a newer server adds", () => {
  const { payload } = renderTaskPayload(input);
  const newer = {
    ...payload,
    budget: 7,
    entity: { ...payload.entity, spec: { region: "eu-west-1", ipFamily: "dual" } },
    parents: [{ kind: "Castle", uid: "s-1", name: "web", spec: { walls: [] } }, ...(payload.parents ?? [])],
  } as JsonObject;
  const read = readTaskPayload(newer);
  expect(read.entity.spec).toMatchObject({ region: "eu-west-1" });
  expect(read.parents.map(({ kind }) => kind)).toEqual(["Account"]);
});

test.each([
  ["no entity", {}, /no entity/],
  ["an entity of an unknown kind", { entity: { kind: "Castle", spec: {} } }, /unknown kind "Castle"/],
  ["a number instead of a string", { entity: { kind: "Network", spec: { region: 7 } } }, /NetworkSpec.region/],
] as [string, JsonObject, RegExp][])("M043 a payload with %s is rejected", (_what, payload, why) => {
  expect(() => readTaskPayload(payload)).toThrow(why);
});

test("M043 a task is placed by cloud, account, region and the label of the account's machines", () => {
  const rack = { uid: "u-1", name: "rack", spec: { local: { agentLabel: "rack-1" } } };
  expect(renderTaskPlacement("shop", rack, [{}, { region: "" }, { region: "hall-2" }, { region: "hall-3" }])).toEqual({
    cloud: "local",
    account: "rack",
    region: "hall-2",
    machines: "rack-1",
    identity: "shop/u-1",
  });
  const sandbox = { uid: "u-2", name: "sandbox", spec: { aws: {} } };
  expect(renderTaskPlacement("shop", sandbox, [])).toEqual({ cloud: "aws", account: "sandbox" });
  expect(renderTaskPlacement("shop", undefined, [])).toEqual({});
});

const someRole = "arn:aws:iam::123456789012:role/cloudwright";

test.each([
  [{ aws: { agentCredentials: true } }, true],
  [{ aws: { webIdentity: true, roleArn: someRole } }, true],
  [{ aws: { roleArn: someRole } }, true],
  [{ aws: { agentCredentials: true, accessKeyId: "A".repeat(16) } }, true],
  [{ gcp: { agentCredentials: true } }, true],
  [{ azure: { agentCredentials: true } }, true],
  [{ aws: { roleArn: someRole, accessKeyId: "A".repeat(16) } }, false],
  [{ aws: {} }, false],
  [{ simulated: true, aws: { agentCredentials: true } }, false],
] as [JsonObject, boolean][])(
  "X062 a task for the account %j requires a grant to use the agent's identity: %s",
  (spec, needed) => {
    const placement = renderTaskPlacement("shop", { uid: "u-3", name: "prod", spec }, []);
    expect(placement["identity"]).toBe(needed ? "shop/u-3" : undefined);
  },
);
