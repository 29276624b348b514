import { Secret } from "@cloudwright/platform";
import { expect, test } from "vitest";
import type { DeployedAccount, DeployedEntity, JsonObject } from "../task.ts";
import { awsNetwork } from "./aws.ts";

const account: DeployedAccount = { uid: "a", name: "sim", cloud: "aws", simulated: true, spec: {} };

function createNetwork(spec: JsonObject): DeployedEntity {
  const named = { kind: "Network", uid: "uid-1", name: "net", project: "default", environment: "" };
  return { ...named, labels: { team: "a" }, spec: { region: "eu-west-1", ...spec } };
}
const render = (spec: JsonObject) => awsNetwork.variables(createNetwork(spec), account, { parents: [], nodePools: [] }, "v0.1.0");

test("M063 a network without wishes has the usual range, three zones and its owner's tags", () => {
  const variables = render({});
  expect(variables).toMatchObject({
    name: "net",
    cidr: "10.0.0.0/16",
    nat: "none",
    owner: { project: "default", entity: "uid-1" },
    tags: { team: "a" },
  });
  expect(Object.keys(variables["zones"] as object)).toEqual(["eu-west-1a", "eu-west-1b", "eu-west-1c"]);
});

test("M063 subnets that are named go to the zones in their order", () => {
  const subnets = { public: ["10.0.1.0/24", "10.0.2.0/24"], private: ["10.0.3.0/24"], intra: [] };
  expect(render({ zones: ["a", "eu-west-1b"], subnets })["zones"]).toEqual({
    "eu-west-1a": { public: "10.0.1.0/24", private: "10.0.3.0/24" },
    "eu-west-1b": { public: "10.0.2.0/24" },
  });
});

test("M063 what the API gives as nothing is no wish", () => {
  expect(render({ aws: { loadBalancerIps: 0, flowLogs: false, interfaceEndpoints: [] }, nat: "" })["nat"]).toBe("none");
});

test.each([
  [{ region: "europe-west4-x" }, "deployer.bad_spec"],
  [{ cidr: "10.0.0.0/12" }, "deployer.bad_spec"],
  [{ zones: ["us-east-1a"] }, "deployer.bad_spec"],
  [{ zones: ["a"], subnets: { public: ["10.0.0.0/24", "10.0.1.0/24"] } }, "deployer.bad_spec"],
  [{ existing: { id: "vpc-1" } }, "deployer.not_supported"],
  [{ aws: { flowLogs: true } }, "deployer.not_supported"],
])("M063 %j is refused with %s", (spec, code) => {
  expect(() => render(spec as JsonObject)).toThrow(expect.objectContaining({ code }));
});

test("M070 outputs become the status, and others are a fault", () => {
  const output = (value: string | string[]) => ({ isSensitive: false, type: "dynamic", value: new Secret(value) });
  const outputs = {
    network_id: output("vpc-1"),
    public_subnet_ids: output(["subnet-1"]),
    private_subnet_ids: output([]),
    intra_subnet_ids: output([]),
  };
  expect(awsNetwork.status(outputs)).toEqual({
    network_id: "vpc-1",
    public_subnet_ids: ["subnet-1"],
    private_subnet_ids: [],
    intra_subnet_ids: [],
  });
  const { network_id: _left, ...rest } = outputs;
  expect(() => awsNetwork.status(rest)).toThrow(expect.objectContaining({ code: "deployer.bad_outputs" }));
});
