import type { Json } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTransports, createConnectEndpoint } from "./endpoints/connect.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { createGrpcEndpoint } from "./endpoints/grpc.ts";
import { createRestEndpoint } from "./endpoints/rest.ts";
import { runScenario, type Run } from "./endpoints/run-scenario.ts";
import { scenario } from "./endpoints/scenario.ts";
import { createResponseCheck, type ResponseCheck } from "./openapi/response-check.ts";
import { startServer, type RunningServer } from "./server.ts";

const others: Readonly<Record<string, (address: string) => Endpoint>> = {
  ...Object.fromEntries(
    Object.entries(connectTransports).map(([name, open]) => [
      name,
      (address: string) => createConnectEndpoint(name, open(address)),
    ]),
  ),
  "gRPC with a third-party client": createGrpcEndpoint,
};

let server: RunningServer;
let check: ResponseCheck;
let rest: Run;

beforeAll(async () => {
  // The reconciler is off, because its changes would interleave with the steps of the scenario.
  server = await startServer({ environment: { CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000", CLOUDWRIGHT_ROLES: "api" } });
  check = await createResponseCheck(server.address);
  rest = await run(createRestEndpoint(server.address, check.see), "zy");
});
afterAll(async () => void (await server?.stop()));

async function run(endpoint: Endpoint, mark: string): Promise<Run> {
  try {
    return await runScenario(endpoint, server.adminKey, mark);
  } finally {
    endpoint.close();
  }
}

describe("one scenario", () => {
  test("M001 M011 M012 M024 over REST, each step has the expected result", () => {
    const expected = scenario("zy").map(({ title, fault }) => ({ title, fault }));
    expect(rest.steps.map(({ title, fault }) => ({ title, fault }))).toEqual(expected);
  });

  test("M001 every REST response matches the OpenAPI description", () => {
    expect(check.count()).toBeGreaterThan(200);
    expect(check.complaints()).toEqual([]);
  });

  test.for(Object.keys(others).map((name, index) => ({ name, mark: `zx${index}` })))(
    "M002 M012 over $name, the results equal those over REST",
    async ({ name, mark }) => {
      const open = others[name] as (address: string) => Endpoint;
      const other = await run(open(server.address), mark);
      expect(other.steps).toEqual(rest.steps);
      expect(other.watched).toEqual(rest.watched);
    },
  );

  test("X002 a watch reports every change, across a reconnect", () => {
    const types = (kind: string): Json[] => rest.watched.filter((message) => message.kind === kind).map(({ type }) => type);
    expect(types("Network")).toEqual([
      "ADDED",
      "MODIFIED",
      "MODIFIED",
      "MODIFIED",
      "ADDED",
      "MODIFIED",
      "MODIFIED",
      // The network of the security groups.
      "ADDED",
      "DELETED",
      "DELETED",
      "DELETED",
    ]);
    expect(rest.watched.at(-1)).toMatchObject({ type: "DELETED", kind: "Project" });
  });
});
