import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ApiAnswer, OpenedCall } from "../../api/api-service.ts";
import { toObject } from "../../api/map-fields.ts";
import type { Block } from "../../schema/schema.ts";
import { gcpProvider } from "../provider.ts";
import { computeOperations } from "./compute/operations.ts";
import { gcpApi, services } from "./gcp-api.ts";
import { clusterMapping } from "./gke/cluster-mapping.ts";
import { nodePoolMapping } from "./gke/node-pool-mapping.ts";
import { gkeOperations } from "./gke/operations.ts";
import { findField, hasModels, listMethods, listStrange, readModel } from "./testing/api-models.ts";
import { openGcp, type GcpUnderTest } from "./testing/open-gcp.ts";
import { useEverything } from "./testing/use-everything.ts";

const mappings = [clusterMapping, nodePoolMapping];
const described = { container: gkeOperations, compute: computeOperations };

test.each(mappings)("M163 every attribute in the mapping of $model exists in the schema of $type", ({ type, fields }) => {
  const block = gcpProvider.schema.resources[type]?.block;
  const strange = fields.map(toObject).filter(({ attribute }) => !hasAttribute(block, attribute.split(".")));
  expect(strange.map(({ attribute }) => attribute)).toEqual([]);
});

test.skipIf(!hasModels).each(mappings)("M163 every field in the mapping of $model exists in the API", ({ model, fields }) => {
  const container = readModel("container");
  const strange = fields.map(toObject).filter(({ api }) => findField(container, { $ref: model }, api.split(".")) === undefined);
  expect(strange.map(({ api }) => api)).toEqual([]);
});

test.skipIf(!hasModels).each(Object.entries(described))(
  "M163 every operation of %s exists, with its method and path",
  (service, operations) => {
    const model = readModel(service);
    const methods = listMethods(model);
    const strange = operations.filter(({ name, match }) => {
      const method = methods.get(name);
      if (method === undefined || !("path" in match)) return true;
      const path = `/${model.servicePath}${method.flatPath ?? method.path}`;
      return method.httpMethod !== match.method || path.replaceAll(/\{\w+\}/g, "{}") !== match.path.replaceAll(/\{\w+\}/g, "{}");
    });
    expect(strange.map(({ name }) => name)).toEqual([]);
  },
);

let gcp: GcpUnderTest;
const answers: { readonly service: string; readonly name: string; readonly content: unknown }[] = [];

beforeAll(async () => {
  gcp = await openGcp();
  const render = gcpApi.renderAnswer.bind(gcpApi);
  vi.spyOn(gcpApi, "renderAnswer").mockImplementation((request, opened: OpenedCall, answer: ApiAnswer, requestId) => {
    const [service = ""] = Object.entries(services).find(([, operations]) => operations.includes(opened.operation)) ?? [];
    answers.push({ service, name: opened.operation.name, content: answer.content });
    return render(request, opened, answer, requestId);
  });
  await useEverything(gcp);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await gcp.close();
});

test("M163 the scenario calls every operation", () => {
  const called = new Set(answers.map(({ name }) => name));
  const left = Object.values(services)
    .flat()
    .map(({ name }) => name)
    .filter((name) => !called.has(name) && !refused.has(name));
  expect(left).toEqual([]);
});

// GKE can cancel only a few operations, none of which are simulated.
const refused = new Set(["container.projects.locations.operations.cancel"]);

test.skipIf(!hasModels)("M163 every answer has the shape that the API's description states", () => {
  const strange = answers.flatMap(({ service, name, content }) => {
    if (!Object.hasOwn(described, service)) return [];
    const model = readModel(service);
    return listStrange(model, listMethods(model).get(name)?.response ?? {}, content, name);
  });
  expect([...new Set(strange)]).toEqual([]);
});

function hasAttribute(block: Block | undefined, [name = "", ...rest]: readonly string[]): boolean {
  if (block === undefined) return false;
  const nested = block.blocks[name];
  if (nested !== undefined) return rest.length === 0 || hasAttribute(nested.block, rest[0] === "0" ? rest.slice(1) : rest);
  return block.attributes[name] !== undefined;
}
