import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { services } from "@cloudwright/contract";
import type { ClientDuplexStream, ServiceError } from "@grpc/grpc-js";
import { once } from "node:events";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openForeignClient, type ForeignClient } from "./endpoints/grpc.ts";
import { startServer, type RunningServer } from "./server.ts";

let server: RunningServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => void (await server?.stop()));

function openClient(service: string): ForeignClient {
  const client = openForeignClient(server.address, service);
  onTestFinished(() => client.close());
  return client;
}

describe("gRPC health", () => {
  type Check = (request: object, done: (error: ServiceError | null, answer: { status?: string | number }) => void) => void;

  function check(service: string): Promise<unknown> {
    const client = openClient("grpc.health.v1.Health");
    return new Promise((resolve, reject) => {
      (client["check"] as Check).call(client, { service }, (error, answer) =>
        error === null ? resolve(answer.status) : reject(error),
      );
    });
  }

  test("M002 the server and each of its services are healthy", async () => {
    const names = ["", ...services.map(({ typeName }) => typeName)];
    expect(await Promise.all(names.map(check))).toEqual(names.map(() => 1));
  });

  test("M002 the health of an unknown service is NOT_FOUND", async () => {
    await expect(check("cloudwright.v1.NoService")).rejects.toMatchObject({ code: 5 });
  });
});

describe("gRPC reflection", () => {
  interface Reply {
    readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
    readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
    readonly errorResponse?: { readonly errorCode: number };
  }

  async function ask(request: object): Promise<Reply> {
    const client = openClient("grpc.reflection.v1.ServerReflection");
    const stream = (client["serverReflectionInfo"] as () => ClientDuplexStream<object, Reply>).call(client);
    stream.write(request);
    const [reply] = (await once(stream, "data")) as [Reply];
    stream.end();
    return reply;
  }

  test("M002 every service is listed", async () => {
    const { listServicesResponse } = await ask({ listServices: "" });
    const names = listServicesResponse?.service.map(({ name }) => name) ?? [];
    expect(names).toEqual(expect.arrayContaining([...services.map(({ typeName }) => typeName), "grpc.health.v1.Health"]));
  });

  test.for(["cloudwright.v1.ClusterService", "cloudwright.v1.ClusterService.CreateCluster", "cloudwright.v1.ClusterSpec"])(
    "M002 %s is described by its file and all files that it imports",
    async (symbol) => {
      const { fileDescriptorResponse } = await ask({ fileContainingSymbol: symbol });
      const files = (fileDescriptorResponse?.fileDescriptorProto ?? []).map((bytes) =>
        fromBinary(FileDescriptorProtoSchema, bytes),
      );
      expect(files[0]?.name).toBe("cloudwright/v1/cluster.proto");
      const names = new Set(files.map(({ name }) => name));
      for (const { dependency } of files) for (const name of dependency) expect(names).toContain(name);
    },
  );

  test("M002 an unknown symbol is not found", async () => {
    expect(await ask({ fileContainingSymbol: "cloudwright.v1.Nothing" })).toMatchObject({ errorResponse: { errorCode: 5 } });
  });
});

test("M236 a gRPC call is logged once and measured once, under the id that the caller received", async () => {
  const route = "/cloudwright.v1.ProjectService/ListProjects";
  const call = {
    method: "POST",
    headers: { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" },
    body: "{}",
  };
  const response = await fetch(new URL(route, server.address), call);
  await response.text();
  const requestId = response.headers.get("x-request-id");
  const lines = await vi.waitUntil(
    () => {
      const found = server.process
        .stderr()
        .split("\n")
        .filter((line) => line.includes(`"${requestId}"`));
      return found.length > 0 ? found : undefined;
    },
    { timeout: 60_000 },
  );
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: "info", requestId, method: "POST", route, status: 200, msg: "request" }),
  ]);
  const metrics = await (
    await fetch(new URL("/metrics", server.address), { headers: { authorization: `Bearer ${server.adminKey}` } })
  ).text();
  expect(metrics).toContain(`cloudwright_request_duration_seconds_count{method="POST",route="${route}",status="200"} 1`);
});

test("M001 REST is served over HTTP/2 with prior knowledge on the same port", async () => {
  const session = connect(server.address);
  onTestFinished(() => session.close());
  const stream = session.request({ ":path": "/v1/projects/default", authorization: `Bearer ${server.adminKey}` });
  const [headers] = (await once(stream, "response")) as [Record<string, string | number>];
  expect(headers[":status"]).toBe(200);
  expect(JSON.parse(await text(stream))).toMatchObject({ metadata: { name: "default" } });

  const refused = session.request({ ":path": "/v1/projects", ":method": "POST", "content-type": "application/json" });
  refused.end("{}");
  const [problem] = (await once(refused, "response")) as [Record<string, string | number>];
  expect(problem).toMatchObject({ ":status": 401, "content-type": "application/problem+json; charset=utf-8" });
  expect(JSON.parse(await text(refused))).toMatchObject({ code: "api.unauthenticated" });
});

test("M001 an HTTP/2 request body is read like any other", async () => {
  const session = connect(server.address);
  onTestFinished(() => session.close());
  const stream = session.request({
    ":path": "/v1/projects",
    ":method": "POST",
    "content-type": "application/json",
    authorization: `Bearer ${server.adminKey}`,
  });
  stream.end(JSON.stringify({ metadata: { name: "over-http2" } }));
  const [headers] = (await once(stream, "response")) as [Record<string, string | number>];
  expect(headers).toMatchObject({ ":status": 201, location: "/v1/projects/over-http2" });
  expect(JSON.parse(await text(stream))).toMatchObject({ metadata: { name: "over-http2" } });
});
