import type { Json } from "@cloudwright/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectTransports, createConnectDoor } from "./endpoints/connect.ts";
import type { Door } from "./endpoints/endpoint.ts";
import { createGrpcDoor } from "./endpoints/grpc.ts";
import { createRestDoor } from "./endpoints/rest.ts";
import { runScenario, type Run } from "./endpoints/run-scenario.ts";
import { scenario } from "./endpoints/scenario.ts";
import { createResponseCheck, type ResponseCheck } from "./openapi/response-check.ts";
import { startServer, type RunningServer } from "./server.ts";

const others: Readonly<Record<string, (address: string) => Door>> = {
  ...Object.fromEntries(
    Object.entries(connectTransports).map(([name, open]) => [name, (address: string) => createConnectDoor(name, open(address))]),
  ),
  "gRPC by a foreign client": createGrpcDoor,
};

let server: RunningServer;
let check: ResponseCheck;
let rest: Run;

beforeAll(async () => {
  // Without a reconciler, whose work comes between the steps at times of its own.
  server = await startServer({ environment: { CLOUDWRIGHT_REQUESTS_PER_SECOND: "100000", CLOUDWRIGHT_ROLES: "api" } });
  check = await createResponseCheck(server.address);
  rest = await run(createRestDoor(server.address, check.see), "zy");
});
afterAll(async () => void (await server?.stop()));

async function run(door: Door, mark: string): Promise<Run> {
  try {
    return await runScenario(door, server.adminKey, mark);
  } finally {
    door.close();
  }
}

describe("one scenario", () => {
  test("M001 M011 M012 M024 comes over REST to what each step says", () => {
    const expected = scenario("zy").map(({ title, fault }) => ({ title, fault }));
    expect(rest.steps.map(({ title, fault }) => ({ title, fault }))).toEqual(expected);
  });

  test("M001 every answer over REST is one that the description announces", () => {
    expect(check.count()).toBeGreaterThan(200);
    expect(check.complaints()).toEqual([]);
  });

  test.for(Object.keys(others).map((name, index) => ({ name, mark: `zx${index}` })))(
    "M002 M012 comes over $name to the same as over REST",
    async ({ name, mark }) => {
      const open = others[name] as (address: string) => Door;
      const other = await run(open(server.address), mark);
      expect(other.steps).toEqual(rest.steps);
      expect(other.watched).toEqual(rest.watched);
    },
  );

  test("X002 is watched from its first change to its last, across a break", () => {
    const types = (kind: string): Json[] => rest.watched.filter((message) => message.kind === kind).map(({ type }) => type);
    expect(types("Network")).toEqual([
      "ADDED",
      "MODIFIED",
      "MODIFIED",
      "MODIFIED",
      "ADDED",
      "MODIFIED",
      "MODIFIED",
      "DELETED",
      "DELETED",
    ]);
    expect(rest.watched.at(-1)).toMatchObject({ type: "DELETED", kind: "Project" });
  });
});
