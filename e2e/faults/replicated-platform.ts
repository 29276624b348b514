import { processEnvironment } from "@cloudwright/platform";
import { startTestPostgres } from "@cloudwright/store/testing";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdminCalls } from "../admin-calls.ts";
import { waitUntil } from "../wait-until.ts";
import { queryWithRetry } from "./query.ts";
import { findFreePort } from "./free-port.ts";
import { renderSettings, type FaultPlatform, type PlatformAgent } from "./platform.ts";
import { isReady } from "./ready.ts";
import { runToEnd } from "./run-to-end.ts";
import { withSmallDisk } from "./small-disk.ts";
import { supervise, type Supervised } from "./supervised.ts";

const root = join(import.meta.dirname, "../..");
const node = join(root, "node_modules/.bin/node");
const replicaCount = 2;
const agentCount = 4;

/** Opens a platform with one durable PostgreSQL server, two control planes, and four agents that can run every task. */
export async function openReplicatedPlatform({ smallDisk }: { readonly smallDisk: boolean }): Promise<FaultPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "cw-faults-"));
  chmodSync(directory, 0o711);
  const journal = join(directory, "journal.jsonl");
  mkdirSync(`${journal}.locks`);
  const postgres = await startTestPostgres("18", { durable: true });
  const connection = { host: postgres.host, port: postgres.port, user: postgres.user, database: "cloudwright" };
  const shared = {
    ...renderSettings(directory, journal),
    PATH: processEnvironment["PATH"],
    CLOUDWRIGHT_LOG_LEVEL: "warn",
  };
  const keys = `shared:${randomBytes(32).toString("base64")}`;
  const url = `postgresql://${postgres.user}@localhost/cloudwright?host=${encodeURIComponent(postgres.host)}&port=${postgres.port}`;

  const startReplica = async (index: number): Promise<{ address: string; home: string; process: Supervised; clock: string }> => {
    const port = await findFreePort();
    const home = join(directory, `replica-${index}`);
    const clock = join(directory, `clock-replica-${index}`);
    const process = supervise({
      name: `replica-${index}`,
      command: [node, join(root, "apps/control-plane/src/main.ts"), "--roles", "api,tasks,reconciler"],
      cwd: root,
      environment: {
        ...shared,
        CLOUDWRIGHT_HOME: home,
        CLOUDWRIGHT_LISTEN: `127.0.0.1:${port}`,
        CLOUDWRIGHT_CONSOLE: "off",
        DATABASE_URL: url,
        CLOUDWRIGHT_ENCRYPTION_KEYS: keys,
        CLOUDWRIGHT_CLOCK_OFFSET_FILE: clock,
      },
      logFile: join(directory, `replica-${index}.log`),
    });
    return { address: `http://127.0.0.1:${port}`, home, process, clock };
  };
  const replicas = await Promise.all(Array.from({ length: replicaCount }, (_, index) => startReplica(index)));
  for (const { address } of replicas) await waitUntil("a replica is ready", () => isReady(address), 120_000);
  const keyFiles = replicas.map(({ home }) => join(home, "admin.key")).filter((file) => existsSync(file));
  const adminKey = readFileSync(keyFiles[0] ?? "", "utf8").trim();
  const admin = createAdminCalls({ address: replicas[0]?.address ?? "", adminKey });

  const settingsOf = (index: number): Record<string, string | undefined> => ({
    ...shared,
    CLOUDWRIGHT_LOG_LEVEL: "info",
    CLOUDWRIGHT_SERVER: replicas[index % replicaCount]?.address,
    CLOUDWRIGHT_AGENT_NAME: `agent-${index}`,
    CLOUDWRIGHT_AGENT_DIR: join(directory, `agent-${index}`),
    CLOUDWRIGHT_CLOCK_OFFSET_FILE: join(directory, `clock-agent-${index}`),
  });
  const command = [node, join(root, "apps/agent/src/main.ts")];
  const startAgent = async (index: number): Promise<PlatformAgent & { readonly process: Supervised }> => {
    const made = await admin.send("POST", "/v1/projects/system/jointokens", {});
    const { joinToken } = (await made.json()) as { joinToken: string };
    const disk = smallDisk && index === agentCount - 1 ? join(directory, `agent-${index}`, "tasks") : undefined;
    const process = supervise({
      name: `agent-${index}`,
      command: disk === undefined ? command : withSmallDisk(disk, command),
      cwd: root,
      environment: { ...settingsOf(index), CLOUDWRIGHT_JOIN_TOKEN: joinToken },
      logFile: join(directory, `agent-${index}.log`),
    });
    return {
      name: `agent-${index}`,
      smallDisk: disk,
      process,
      pid: () => process.pid(),
      end: (signal, downMs) => process.end(signal, downMs),
    };
  };
  const agents = await Promise.all(Array.from({ length: agentCount }, (_, index) => startAgent(index)));
  const hasStarted = (index: number): boolean => {
    const file = join(directory, `agent-${index}.log`);
    return existsSync(file) && readFileSync(file, "utf8").includes(" long and ");
  };
  await waitUntil("all agents lease tasks", () => agents.every((_, index) => hasStarted(index)), 120_000);
  return {
    name: "replicas",
    directory,
    journal,
    adminKey,
    servers: replicas.map(({ address, process }) => ({ address, end: (signal, downMs) => process.end(signal, downMs) })),
    agents: () => agents,
    clocks: [...replicas.map(({ clock }) => clock), ...agents.map((_, index) => join(directory, `clock-agent-${index}`))],
    restartDatabase: (mode) => postgres.restart(mode === "kill" ? "immediate" : mode),
    query: (text, values) => queryWithRetry(async () => connection, text, values),
    startTwin: () => runToEnd(command, { cwd: root, environment: settingsOf(0) }),
    async stop() {
      await Promise.all(agents.map(({ process }) => process.stop()));
      await Promise.all(replicas.map(({ process }) => process.stop()));
    },
    async remove() {
      await postgres.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
