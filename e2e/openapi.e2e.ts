import { kinds, methods } from "@cloudwright/contract";
import { processEnvironment } from "@cloudwright/platform";
import openapiTS, { astToString } from "openapi-typescript";
import { execFile } from "node:child_process";
import { cp, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Exchange } from "./endpoints/rest.ts";
import { createResponseCheck } from "./openapi/response-check.ts";
import { startServer, type RunningServer } from "./server.ts";

const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

let server: RunningServer;
let folder: string;

beforeAll(async () => {
  server = await startServer({ environment: { CLOUDWRIGHT_ROLES: "api,tasks,reconciler" } });
  folder = await realpath(await mkdtemp(join(tmpdir(), "cw-openapi-")));
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe("a client that openapi-typescript makes of /openapi.json", () => {
  beforeAll(async () => {
    const types = await openapiTS(new URL("/openapi.json", server.address));
    await writeFile(join(folder, "generated.ts"), astToString(types));
    await cp(fileURLToPath(new URL("openapi/fixtures/every-kind.ts.txt", import.meta.url)), join(folder, "program.ts"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    // The program finds openapi-fetch and Node's types as if they were installed beside it.
    const [modules = ""] = fileURLToPath(import.meta.resolve("openapi-fetch")).split("/openapi-fetch/");
    await symlink(modules, join(folder, "node_modules"));
  });

  test("M013 is typed: a program that uses it compiles, one that misuses it does not", async () => {
    const compilerOptions = {
      target: "es2022",
      module: "nodenext",
      types: ["node"],
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["program.ts"] }));
    const compiled = await run(process.execPath, [resolve("typescript/bin/tsc"), "-p", folder]).catch((error: unknown) => error);
    expect(compiled).toMatchObject({ stdout: "", stderr: "" });
  });

  test("M013 creates and reads an entity of every kind, and each answer is as announced", async () => {
    const { stdout } = await run(process.execPath, [join(folder, "program.ts"), server.address], {
      env: { PATH: processEnvironment["PATH"], API_KEY: server.adminKey },
    });
    const said = JSON.parse(stdout) as { read: Record<string, string>; more: object; exchanges: Exchange[] };
    const creatable = kinds.filter(({ kind }) =>
      methods.some((operation) => operation.verb === "create" && operation.kind === kind),
    );
    expect(Object.keys(said.read).toSorted()).toEqual(creatable.map(({ kind }) => kind).toSorted());
    expect(said.read).toMatchObject({
      Project: "generated RUNNING",
      Account: expect.stringMatching(/^sandbox [A-Z]+$/),
      NodePool: "spot PENDING",
    });
    expect(said.more).toEqual({ workers: 3, paused: true, listed: ["dev"], missing: "api.not_found", gone: "office" });

    const check = await createResponseCheck(server.address);
    for (const exchange of said.exchanges) check.see(exchange);
    expect(check.count()).toBe(2 * creatable.length + 5);
    expect(check.complaints()).toEqual([]);
  });
});

test("M001 an answer that the description does not announce is noticed", async () => {
  const check = await createResponseCheck(server.address);
  const exchange = { method: "GET", path: "/v1/projects/{name}", status: 200, contentType: "application/json", body: {} };
  check.see({ ...exchange, status: 418 });
  check.see({ ...exchange, contentType: "text/html" });
  check.see({ ...exchange, path: "/v1/castles" });
  check.see({ ...exchange, body: { metadata: { name: "Not A Name" } } });
  expect(check.complaints().map((complaint) => complaint.replace(/:.*/, ""))).toEqual([
    "GET /v1/projects/{name} 418 application/json",
    "GET /v1/projects/{name} 200 text/html",
    "GET /v1/castles 200 application/json",
    "GET /v1/projects/{name} 200 application/json",
  ]);
});
