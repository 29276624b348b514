import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestPostgres } from "@cloudwright/store/testing";
import { startServerProcess, type ServerProcess } from "./server-process.ts";

/** A temporary PostgreSQL server, the product, and optional baseline servers on the same database. */
export interface BenchPlatform {
  readonly server: ServerProcess;
  readonly adminKey: string;
  readonly databaseUrl: string;
  /** Restarts the product at the same address, or starts it if it is not running. Resolves once it listens. */
  restart(): Promise<void>;
  /** Starts another program that uses the same database. */
  startBeside(name: string, main: string): Promise<ServerProcess>;
  [Symbol.asyncDispose](): Promise<void>;
}

const controlPlane = join(import.meta.dirname, "..", "..", "apps", "control-plane", "src", "main.ts");

/**
 * Starts the database and the product. By default only the API role runs, so that other roles do not add to the cost of a request.
 * Durability is off, because the disk of a shared machine would distort the results.
 */
export async function openBenchPlatform(options: {
  readonly profileDirectory: string | undefined;
  readonly roles?: string;
}): Promise<BenchPlatform> {
  const directory = mkdtempSync(join(tmpdir(), "cloudwright-bench-"));
  const home = join(directory, "home");
  mkdirSync(home, { mode: 0o700 });
  const postgres = await startTestPostgres("18");
  const databaseUrl = `postgresql://${postgres.user}@localhost/cloudwright?host=${encodeURIComponent(postgres.host)}&port=${postgres.port}`;
  const environment = {
    CLOUDWRIGHT_HOME: home,
    CLOUDWRIGHT_LISTEN: "127.0.0.1:0",
    CLOUDWRIGHT_CONSOLE: "off",
    CLOUDWRIGHT_REQUESTS_PER_SECOND: "1000000",
    CLOUDWRIGHT_ROLES: options.roles ?? "api",
    // Periodic drift checks would add tasks and distort the measurements.
    CLOUDWRIGHT_DRIFT_CHECK: "off",
    DATABASE_URL: databaseUrl,
  };
  const running: ServerProcess[] = [];
  const close = async (): Promise<void> => {
    for (const server of running.toReversed()) await server.stop();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  const start = async (name: string, main: string, listen = environment.CLOUDWRIGHT_LISTEN): Promise<ServerProcess> => {
    const program = { name, main, directory, profileDirectory: options.profileDirectory };
    const server = await startServerProcess({ ...program, environment: { ...environment, CLOUDWRIGHT_LISTEN: listen } });
    running.push(server);
    return server;
  };
  try {
    let server = await start("cloudwright", controlPlane);
    const adminKey = readFileSync(join(home, "admin.key"), "utf8").trim();
    const restart = async (): Promise<void> => {
      await server.stop();
      server = await start("cloudwright", controlPlane, new URL(server.url).host);
    };
    return {
      get server() {
        return server;
      },
      adminKey,
      databaseUrl,
      restart,
      startBeside: start,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
