import { Secret } from "@cloudwright/platform";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ownConfigurations } from "../configurations.ts";
import type { DeployedAccount, DeployedEntity, JsonObject, Surroundings } from "../task.ts";
import { awsStorage } from "./aws.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };
const entity = (spec: JsonObject): DeployedEntity => {
  const named = { kind: "Storage", uid: "uid-1", name: "logs", project: "default", environment: "" };
  return { ...named, labels: {}, spec };
};
const around: Surroundings = {
  parents: [
    { kind: "Cluster", uid: "c", name: "dev", spec: {}, outputs: {} },
    { kind: "Network", uid: "n", name: "net", spec: { region: "eu-west-1" }, outputs: {} },
  ],
  nodePools: [],
};
const render = (spec: JsonObject) => awsStorage.variables(entity(spec), account, around, "v0.1.0");

test("M137 a bucket lies in the region of the network, and is kept while it holds something unless said otherwise", () => {
  expect(render({ bucket: { versioning: true } })).toEqual({
    name: "logs",
    region: "eu-west-1",
    bucket: { versioning: true, expire_after_days: 0, force_destroy: false },
    owner: { project: "default", entity: "uid-1" },
    tags: {},
  });
  expect(render({ bucket: { forceDestroy: true, expireAfterDays: 7 } })["bucket"]).toMatchObject({
    expire_after_days: 7,
    force_destroy: true,
  });
});

test("M137 a volume lies in a zone of that region", () => {
  expect(render({ volume: { sizeGib: 10, zone: "b" } })["volume"]).toEqual({ zone: "eu-west-1b", size_gib: 10 });
  expect(render({ volume: { sizeGib: 10, type: "io2" } })["volume"]).toMatchObject({ zone: "eu-west-1a", type: "io2" });
  const elsewhere = { volume: { sizeGib: 10, zone: "us-east-1a" } };
  expect(() => render(elsewhere)).toThrow(expect.objectContaining({ code: "deployer.bad_spec" }));
});

test("M137 everything that is rendered is a variable of the configuration", () => {
  const text = readFileSync(join(ownConfigurations, "storage/aws/v0.1.0/variables.tf"), "utf8");
  const names = [...text.matchAll(/^variable "(\w+)"/gm)].map((match) => match[1]);
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...render({ bucket: {} }), ...render({ volume: {} }) })));
});

test("M070 M032 outputs become the status, and settings are found by their bucket", () => {
  const output = (value: string) => ({ isSensitive: false, type: "string", value: new Secret(value) });
  const outputs = { resource_id: output("logs-1"), arn: output("arn"), domain_name: output("") };
  expect(awsStorage.status(outputs)).toEqual({ resource_id: "logs-1", arn: "arn", domain_name: "" });
  expect(() => awsStorage.status({})).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
  const tagged = new Map([["logs-1", 'aws_s3_bucket.this["bucket"]']]);
  const setting = { type: "aws_s3_bucket_versioning", names: ["logs-1"] };
  expect(awsStorage.findUntagged(setting, tagged)).toBe('aws_s3_bucket_versioning.this["bucket"]');
  expect(awsStorage.findUntagged({ ...setting, type: "aws_s3_object" }, tagged)).toBeUndefined();
});
