import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseDuration } from "./duration.ts";
import { Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";
import { logLevels, type LogLevel } from "./log.ts";
import { readRetention, type Retention } from "./retention.ts";
import { Secret } from "./secret.ts";

/** Environment variables. Tests pass their own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export const processEnvironment: Environment = process.env;

export interface ServerConfig {
  readonly home: string;
  readonly listen: { readonly host: string; readonly port: number };
  /**
   * Address on which the Kubernetes APIs of simulated clusters are served. If undefined, the server uses its previous address, or the
   * default if it has none.
   */
  readonly kubernetesListen: { readonly host: string; readonly port: number } | undefined;
  /**
   * Address on which the simulated cloud APIs are served. If undefined, the address is chosen in the same way as
   * `kubernetesListen`.
   */
  readonly simulatedCloudsListen: { readonly host: string; readonly port: number } | undefined;
  /** Address on which metrics are served without authentication. If undefined, only the API port serves them, to authorised callers. */
  readonly metricsListen: { readonly host: string; readonly port: number } | undefined;
  readonly databaseUrl: Secret | undefined;
  /** Keys that encrypt secrets at rest. If undefined, the server uses the key file in its home directory. */
  readonly encryptionKeys: Secret | undefined;
  /** Rate limit per caller. */
  readonly requestsPerSecond: number;
  /** Maximum number of open connections from one remote address. */
  readonly connectionsPerAddress: number;
  /** Maximum size of a Terraform state, in MiB. */
  readonly maxStateMiB: number;
  /** How long a plan waits for approval before it expires. */
  readonly approvalTtlMs: number;
  readonly retention: Retention;
  /**
   * What to do with entities whose external state backend no operator has allowed: `keep` lets them use it, `refuse` makes their runs fail.
   */
  readonly unlistedBackends: "keep" | "refuse";
  readonly logLevel: LogLevel;
  readonly console: boolean;
}

/** Returns the directory that contains all files of one installation. */
export function readHome(environment: Environment): string {
  const home = environment["CLOUDWRIGHT_HOME"];
  return home === undefined || home === "" ? join(homedir(), ".cloudwright") : resolve(home);
}

/** Reads and validates the server's configuration. Throws a fault that names the first invalid variable. */
export function readServerConfig(environment: Environment): ServerConfig {
  return {
    home: readHome(environment),
    listen: parseListen("CLOUDWRIGHT_LISTEN", environment["CLOUDWRIGHT_LISTEN"] || "127.0.0.1:8480"),
    kubernetesListen: findListen(environment, "CLOUDWRIGHT_KUBERNETES_LISTEN"),
    simulatedCloudsListen: findListen(environment, "CLOUDWRIGHT_SIMULATED_CLOUDS_LISTEN"),
    metricsListen: findListen(environment, "CLOUDWRIGHT_METRICS_LISTEN"),
    databaseUrl: readDatabaseUrl(environment["DATABASE_URL"]),
    encryptionKeys: readSecret(environment["CLOUDWRIGHT_ENCRYPTION_KEYS"]),
    requestsPerSecond: parsePositive("CLOUDWRIGHT_REQUESTS_PER_SECOND", environment["CLOUDWRIGHT_REQUESTS_PER_SECOND"] || "500"),
    connectionsPerAddress: parsePositive(
      "CLOUDWRIGHT_CONNECTIONS_PER_ADDRESS",
      environment["CLOUDWRIGHT_CONNECTIONS_PER_ADDRESS"] || "2500",
    ),
    maxStateMiB: parsePositive("CLOUDWRIGHT_STATE_MIB", environment["CLOUDWRIGHT_STATE_MIB"] || "64"),
    approvalTtlMs: parseDuration("CLOUDWRIGHT_APPROVAL_TTL", environment["CLOUDWRIGHT_APPROVAL_TTL"] || "24h"),
    retention: readRetention(environment),
    unlistedBackends: parseUnlisted(environment["CLOUDWRIGHT_UNLISTED_BACKENDS"] || "keep"),
    logLevel: parseLogLevel(environment["CLOUDWRIGHT_LOG_LEVEL"] || "info"),
    console: parseSwitch("CLOUDWRIGHT_CONSOLE", environment["CLOUDWRIGHT_CONSOLE"] || "on"),
  };
}

function findListen(environment: Environment, name: string): { host: string; port: number } | undefined {
  const text = environment[name];
  return text === undefined || text === "" ? undefined : parseListen(name, text);
}

function parseListen(name: string, text: string): { host: string; port: number } {
  const match = /^(?<host>\[[0-9a-fA-F:.]+\]|[^:\s]+):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.["port"]);
  if (match?.groups === undefined || port > 65535) {
    throw new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use an address such as 127.0.0.1:8480`);
  }
  return { host: (match.groups["host"] as string).replace(/^\[|\]$/g, ""), port };
}

function readDatabaseUrl(text: string | undefined): Secret | undefined {
  const given = readSecret(text);
  // The value may contain a password anywhere, so the message does not show it.
  if (given !== undefined && !(URL.canParse(given.reveal()) && /^postgres(ql)?:$/.test(new URL(given.reveal()).protocol))) {
    throw new Fault(platformFaults.bad_configuration, "DATABASE_URL is not a URL such as postgresql://user@host:5432/database");
  }
  return given;
}

function readSecret(text: string | undefined): Secret | undefined {
  return text === undefined || text === "" ? undefined : new Secret(text);
}

function parsePositive(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use a positive integer`);
  return number;
}

function parseUnlisted(text: string): "keep" | "refuse" {
  if (text === "keep" || text === "refuse") return text;
  throw new Fault(platformFaults.bad_configuration, `CLOUDWRIGHT_UNLISTED_BACKENDS is "${text}"; use keep or refuse`);
}

function parseSwitch(name: string, text: string): boolean {
  if (text !== "on" && text !== "off") throw new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use on or off`);
  return text === "on";
}

function parseLogLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) {
    throw new Fault(platformFaults.bad_configuration, `CLOUDWRIGHT_LOG_LEVEL is "${text}"; use one of ${logLevels.join(", ")}`);
  }
  return level;
}
