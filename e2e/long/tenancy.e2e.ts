import { processEnvironment } from "@cloudwright/platform";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createAdminCalls, type AdminCalls } from "../admin-calls.ts";
import { listChildren } from "../child-processes.ts";
import { queryDatabase } from "../query-database.ts";
import { startServer, type RunningServer } from "../server.ts";
import { waitUntil } from "../wait-until.ts";

const program = fileURLToPath(new URL("../../apps/agent/src/main.ts", import.meta.url));
const node = fileURLToPath(new URL("../../node_modules/.bin/node", import.meta.url));
const project = "/v1/projects/hostile";

/** The operator's secrets. Each one has a random value that no response, log or connection may contain. */
const canaries: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "PGPASSWORD",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_BEARER_TOKEN_BEDROCK",
    "GOOGLE_CREDENTIALS",
    "ARM_ACCESS_KEY",
    "ARM_SAS_TOKEN",
    "GITHUB_TOKEN",
  ].map((name) => [name, `canary${randomBytes(12).toString("hex")}`]),
);
const ownEnvironment = { AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7CANARY", ...canaries };

/** A host that the attacker controls. It asks PostgreSQL clients for a password in clear text and records everything it receives. */
interface Trap {
  readonly port: number;
  received(): string;
  close(): void;
}

async function openTrap(): Promise<Trap> {
  let bytes = "";
  const askForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      bytes += data.toString("latin1");
      const isSslRequest = data.length === 8 && data.readUInt32BE(4) === 80_877_103;
      socket.write(isSslRequest ? "N" : askForPassword);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { port: (server.address() as AddressInfo).port, received: () => bytes, close: () => server.close() };
}

let server: RunningServer;
let calls: AdminCalls;
let trap: Trap;
let mallory: Readonly<Record<string, string>>;

beforeAll(async () => {
  trap = await openTrap();
  const environment = { CLOUDWRIGHT_ROLES: "api,tasks,reconciler", CLOUDWRIGHT_UNLISTED_BACKENDS: "refuse" };
  server = await startServer({ environment });
  calls = createAdminCalls(server);
  await calls.create("/v1/projects", { metadata: { name: "hostile" } });
  mallory = { authorization: `Bearer ${(await calls.createUser("mallory", "owner", "hostile")).key}` };
  await calls.create(`${project}/accounts`, { metadata: { name: "toy" }, spec: { simulated: true, aws: {} } }, mallory);
});
afterAll(async () => {
  trap?.close();
  await server?.stop();
});

/** Starts a shared agent whose own environment contains the operator's secrets. */
async function startAgent(): Promise<{ readonly log: () => string }> {
  const { joinToken } = (await (await calls.send("POST", "/v1/projects/system/jointokens", {})).json()) as { joinToken: string };
  let log = "";
  const child = spawn(node, [program, "run"], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: processEnvironment["PATH"],
      CLOUDWRIGHT_SERVER: server.address,
      CLOUDWRIGHT_AGENT_NAME: "shared",
      CLOUDWRIGHT_AGENT_DIR: join(server.home, "shared"),
      CLOUDWRIGHT_JOIN_TOKEN: joinToken,
      CLOUDWRIGHT_LOG_LEVEL: "trace",
      ...ownEnvironment,
    },
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (log += String(data)));
  const ended = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { log: () => log };
}

const backendOf = (settings: Readonly<Record<string, string>>) => ({ type: "pg", settings });
const attacker = () => ({ host: "127.0.0.1", port: String(trap.port), database: "states", user: "tf", sslmode: "disable" });

function network(name: string, infra?: object) {
  return {
    metadata: { name },
    spec: { account: "toy", region: "eu-west-1", ...(infra === undefined ? {} : { infra }) },
  } as never;
}

async function countDenials(code: string): Promise<number> {
  const { items } = (await (await calls.send("GET", `${project}/auditrecords?filter=outcome=denied&pageSize=1000`)).json()) as {
    items: { code: string }[];
  };
  return items.filter((record) => record.code === code).length;
}

const leaks = (text: string): string[] => Object.keys(canaries).filter((name) => text.includes(canaries[name] ?? ""));

test("X062 M009 a project admin cannot send an agent's secrets to their own host: the attempt is denied and audited, and nothing arrives", async () => {
  const before = await countDenials("api.backend_not_allowed");
  const url = `http://127.0.0.1:${trap.port}`;
  const tries = [
    backendOf(attacker()),
    { type: "s3", settings: { bucket: "b", region: "eu-west-1", endpoint: url } },
    { type: "gcs", settings: { bucket: "b", storage_custom_endpoint: url } },
  ];
  for (const [index, backend] of tries.entries()) {
    const response = await calls.send("POST", `${project}/networks`, network(`n${index}`, { backend }), mallory);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([403, "api.backend_not_allowed"]);
  }
  expect(await countDenials("api.backend_not_allowed")).toBe(before + tries.length);

  // Changes a stored network as if an earlier release had saved it with the attacker's host. The agent must not connect to that host. The
  // version is incremented, so that a reconciler pass that has already read the network cannot overwrite the change.
  const { uid } = (await calls.create(`${project}/networks`, network("old"), mallory)).metadata;
  const store =
    "update entity set resource_version = resource_version + 1, object = jsonb_set(object::jsonb, '{spec,infra}', $2::jsonb)::json where uid = $1";
  await queryDatabase(server.database, (client) =>
    client.query(store, [uid, JSON.stringify({ backend: backendOf(attacker()) })]),
  );
  const agent = await startAgent();
  await waitUntil("the agent is refused", async () => (await countDenials("api.backend_refused")) > 0);
  expect(trap.received()).toBe("");

  // An operator allows the host and gives it a separate password. This proves that the trap works, and that the agent does not send its own
  // environment variables to the host.
  const spec = { ...backendOf(attacker()), projects: ["hostile"], password: "password-of-this-backend" };
  await calls.create("/v1/backends", { metadata: { name: "allowed" }, spec });
  await calls.create(`${project}/networks`, network("new", { backend: { name: "allowed" } }), mallory);
  await waitUntil("the backend is used", () => trap.received().includes("password-of-this-backend"));
  expect(leaks(trap.received())).toEqual([]);
  expect(leaks(agent.log())).toEqual([]);
});

test("X062 the embedded agent does not inherit the server's environment", async () => {
  const own = await startServer({ environment: { ...ownEnvironment, CLOUDWRIGHT_AGENT_ENVIRONMENT: "GITHUB_TOKEN" } });
  onTestFinished(async () => void (await own.stop()));
  let environment = "";
  await waitUntil("the embedded agent runs", async () => {
    for (const pid of await listChildren(own.pid, "agent/src/main.ts")) {
      const text = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
      if (text.includes("CLOUDWRIGHT_AGENT_DIR=")) environment = text;
    }
    return environment !== "";
  });
  expect(leaks(environment)).toEqual(["GITHUB_TOKEN"]);
  expect(environment).not.toContain(ownEnvironment.AWS_ACCESS_KEY_ID);
});
