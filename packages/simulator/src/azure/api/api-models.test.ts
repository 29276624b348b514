import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { toObject } from "../../api/map-fields.ts";
import type { ApiAnswer, OpenedCall } from "../../api/api-service.ts";
import type { Block } from "../../schema/schema.ts";
import { azureProvider } from "../provider.ts";
import { aksOperations } from "./aks/operations.ts";
import { clusterMapping } from "./aks/cluster-mapping.ts";
import { firstPoolMapping, poolMapping } from "./aks/pool-mapping.ts";
import { azureApi } from "./azure-api.ts";
import { diskMapping } from "./compute/disks.ts";
import { machineMapping } from "./compute/machine-mapping.ts";
import { computeOperations } from "./compute/operations.ts";
import { identityMapping } from "./identity/identities.ts";
import { identityOperations } from "./identity/operations.ts";
import { addressMapping } from "./network/addresses.ts";
import { applicationGroupMapping } from "./network/application-groups.ts";
import { interfaceMapping } from "./network/interfaces.ts";
import { natGatewayMapping } from "./network/lists.ts";
import { networkOperations } from "./network/operations.ts";
import { securityGroupMapping } from "./network/security-groups.ts";
import { networkMapping, subnetMapping } from "./network/virtual-networks.ts";
import { resourceOperations } from "./resources/operations.ts";
import { findOperation, hasModels, listStrange, readModel, type ModelOperation } from "./testing/api-models.ts";
import { openAzure, type AzureUnderTest } from "./testing/open-azure.ts";
import { useEverything } from "./testing/use-everything.ts";

const mappings = [
  clusterMapping,
  poolMapping,
  machineMapping,
  diskMapping,
  addressMapping,
  applicationGroupMapping,
  interfaceMapping,
  natGatewayMapping,
  securityGroupMapping,
  networkMapping,
  subnetMapping,
  identityMapping,
];
// The reference data contains no descriptions of the other services.
const described = { aks: aksOperations, compute: computeOperations };
const all = [...resourceOperations, ...aksOperations, ...computeOperations, ...networkOperations, ...identityOperations];

/** Operations that clients of all services poll until a change is complete. The descriptions do not list them. */
const isFollowing = (name: string): boolean => name.startsWith("GetOperation");

test.each(mappings)("M163 every attribute in the mapping of $model exists in the schema of $type", ({ type, fields }) => {
  const block = azureProvider.schema.resources[type]?.block;
  const strange = fields.map(toObject).filter(({ attribute }) => !hasAttribute(block, attribute.split(".")));
  expect(strange.map(({ attribute }) => attribute)).toEqual([]);
});

test("M163 every attribute of a cluster's first pool exists in the schema", () => {
  const block = azureProvider.schema.resources["azurerm_kubernetes_cluster"]?.block.blocks["default_node_pool"]?.block;
  const strange = firstPoolMapping.fields.map(toObject).filter(({ attribute }) => !hasAttribute(block, attribute.split(".")));
  expect(strange.map(({ attribute }) => attribute)).toEqual([]);
});

test.skipIf(!hasModels).each(Object.entries(described))(
  "M163 every operation of %s exists, with its method, path and name",
  (service, operations) => {
    const model = readModel(service);
    const strange = operations.flatMap(({ name, match }) => {
      if (isFollowing(name) || !("path" in match)) return [];
      const found = findOperation(model, match.method, match.path);
      const plain = (text: string): string => text.replace("Operations_", "_").toLowerCase();
      return found !== undefined && plain(found[0]) === plain(name) ? [] : [`${name} ${match.method} ${match.path}`];
    });
    expect(strange).toEqual([]);
  },
);

let azure: AzureUnderTest;
const answers: { readonly opened: OpenedCall; readonly answer: ApiAnswer }[] = [];

beforeAll(async () => {
  azure = await openAzure();
  const render = azureApi.renderAnswer.bind(azureApi);
  vi.spyOn(azureApi, "renderAnswer").mockImplementation((request, opened: OpenedCall, answer: ApiAnswer, requestId) => {
    answers.push({ opened, answer });
    return render(request, opened, answer, requestId);
  });
  await useEverything(azure);
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await azure.close();
});

// Only Terraform creates these resources. No API operation does.
const createdElsewhere = new Set(["NatGateways_Get", "RouteTables_Get"]);

test("M163 the scenario calls every operation", () => {
  const called = new Set(answers.map(({ opened }) => opened.operation.name));
  const left = all.map(({ name }) => name).filter((name) => !called.has(name) && !createdElsewhere.has(name));
  expect(left).toEqual([]);
});

test.skipIf(!hasModels)("M163 every answer has the shape that the API's description states", () => {
  const strange = answers.flatMap(({ opened: { operation }, answer: { status = 200, content } }) => {
    const service = Object.entries(described).find(([, operations]) => operations.includes(operation))?.[0];
    if (service === undefined || isFollowing(operation.name) || !("path" in operation.match)) return [];
    const model = readModel(service);
    const found = findOperation(model, operation.match.method, operation.match.path);
    if (found === undefined) return [];
    return listStrange(model, found[1], status, content).map((each) => `${operation.name}${each}`);
  });
  expect([...new Set(strange)]).toEqual([]);
});

test.skipIf(!hasModels)("M163 the comparison finds unknown fields and values of the wrong type at every depth", () => {
  const model = readModel("aks");
  const path = "/subscriptions/{a}/resourceGroups/{b}/providers/Microsoft.ContainerService/managedClusters/{c}";
  const [, operation] = findOperation(model, "GET", path) as readonly [string, ModelOperation];
  const body = { odd: 1, properties: { fqdn: 1, odd: {}, agentPoolProfiles: [{ name: "a", odd: 1, count: "1" }] } };
  expect(listStrange(model, operation, 200, body)).toEqual([
    ".odd does not exist",
    ".properties.fqdn is not a text",
    ".properties.odd does not exist",
    ".properties.agentPoolProfiles[].odd does not exist",
    ".properties.agentPoolProfiles[].count is not a number",
  ]);
  expect(listStrange(model, operation, 418, body)).toEqual(["the status 418 is not described"]);
});

function hasAttribute(block: Block | undefined, [name = "", ...rest]: readonly string[]): boolean {
  if (block === undefined) return false;
  const nested = block.blocks[name];
  if (nested !== undefined) return rest.length === 0 || hasAttribute(nested.block, rest[0] === "0" ? rest.slice(1) : rest);
  // Computed lists of objects have a type instead of a block.
  return block.attributes[name] !== undefined;
}
