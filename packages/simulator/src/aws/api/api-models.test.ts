import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { toObject } from "../../api/map-fields.ts";
import type { ApiAnswer, OpenedCall } from "../../api/api-service.ts";
import type { Block } from "../../schema/schema.ts";
import { awsProvider } from "../provider.ts";
import { awsApi } from "./aws-api.ts";
import { ec2Operations } from "./ec2/operations.ts";
import { accessEntryMapping, associatedPolicyMapping } from "./eks/access-entries.ts";
import { addonMapping } from "./eks/addons.ts";
import { clusterMapping } from "./eks/cluster-mapping.ts";
import { nodeGroupMapping } from "./eks/node-groups.ts";
import { eksOperations } from "./eks/operations.ts";
import { iamOperations } from "./iam/operations.ts";
import { stsOperations } from "./sts/operations.ts";
import { findShape, hasModels, listStrange, readModel } from "./testing/api-models.ts";
import { openAws, type AwsUnderTest } from "./testing/open-aws.ts";
import { useEverything } from "./testing/use-everything.ts";

const mappings = [clusterMapping, nodeGroupMapping, accessEntryMapping, associatedPolicyMapping, addonMapping];
const services = { eks: eksOperations, ec2: ec2Operations, iam: iamOperations, sts: stsOperations };

test.each(mappings)("M163 every attribute in the mapping of $model exists in the schema of $type", ({ type, fields }) => {
  const block = awsProvider.schema.resources[type]?.block;
  const strange = fields.map(toObject).filter(({ attribute }) => !hasAttribute(block, attribute.split(".")));
  expect(strange.map(({ attribute }) => attribute)).toEqual([]);
});

test.skipIf(!hasModels).each(mappings)("M163 every field in the mapping of $model exists in the API", ({ model, fields }) => {
  const eks = readModel("eks");
  const strange = fields.map(toObject).filter(({ api }) => findShape(eks, model, api.split(".")) === undefined);
  expect(strange.map(({ api }) => api)).toEqual([]);
});

test.skipIf(!hasModels).each(Object.entries(services))(
  "M163 every operation of %s exists, with its method and path",
  (service, operations) => {
    const model = readModel(service);
    const strange = operations.filter(({ name, match }) => {
      if (absent.has(name)) return false;
      const http = model.operations[name]?.http;
      if (http === undefined) return true;
      return (
        "path" in match &&
        (http.method !== match.method || http.requestUri.replaceAll(/\{\w+\}/g, "{}") !== match.path.replaceAll(/\{\w+\}/g, "{}"))
      );
    });
    expect(strange.map(({ name }) => name)).toEqual([]);
  },
);

// The stored descriptions are excerpts and lack these operations.
const absent = new Set(["GetConsoleOutput"]);

let aws: AwsUnderTest;
const answers: { readonly service: string; readonly name: string; readonly content: unknown }[] = [];

beforeAll(async () => {
  aws = await openAws();
  const render = awsApi.renderAnswer.bind(awsApi);
  vi.spyOn(awsApi, "renderAnswer").mockImplementation((request, opened: OpenedCall, answer: ApiAnswer, requestId) => {
    const found = Object.entries(services).find(([, operations]) => operations.includes(opened.operation));
    answers.push({ service: found?.[0] ?? "", name: opened.operation.name, content: answer.content });
    return render(request, opened, answer, requestId);
  });
  await useEverything(aws);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await aws.close();
});

test("M163 the scenario calls every operation", () => {
  const called = new Set(answers.map(({ name }) => name));
  const left = Object.values(services)
    .flat()
    .map(({ name }) => name)
    .filter((name) => !called.has(name));
  expect(left).toEqual([]);
});

test.skipIf(!hasModels)("M163 every answer has the shape that the API's description states", () => {
  const strange = answers.flatMap(({ service, name, content }) => {
    const model = readModel(service);
    if (absent.has(name)) return [];
    const output = model.operations[name]?.output;
    if (output === undefined) return content === undefined || isEmpty(content) ? [] : [`${name} returns nothing`];
    return listStrange(model, output.shape, content, service === "ec2" ? "location" : "member").map((each) => `${name}: ${each}`);
  });
  // The simulated catalogue includes instance sizes that AWS does not offer, so mismatches are ignored.
  expect([...new Set(strange)].filter((each) => !each.includes("instanceType cannot be"))).toEqual([]);
});

function isEmpty(content: unknown): boolean {
  return JSON.stringify(content) === "{}" || JSON.stringify(content) === '{"return":true}';
}

function hasAttribute(block: Block | undefined, [name = "", ...rest]: readonly string[]): boolean {
  if (block === undefined) return false;
  const nested = block.blocks[name];
  if (nested !== undefined) return rest.length === 0 || hasAttribute(nested.block, rest[0] === "0" ? rest.slice(1) : rest);
  // Computed lists of objects have a type instead of a block.
  return block.attributes[name] !== undefined;
}
