import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { readFileSync } from "node:fs";
import { readHome, type Environment } from "./config.ts";
import { describeError, Fault } from "./fault.ts";
import { platformFaults } from "./faults.ts";
import { logLevels, type LogLevel } from "./log.ts";
import { Secret } from "./secret.ts";
import { trimEnd } from "./trim-end.ts";

export interface AgentConfig {
  readonly server: string;
  readonly name: string;
  readonly directory: string;
  /** Directory for downloaded programs, shared by all agents with the same home directory. */
  readonly cacheDirectory: string;
  /** Folder or URL of a mirror of the Terraform release site, with the same paths. */
  readonly terraformMirror: string | undefined;
  /** Folder or URL that contains the Helm archives, or `off` to disable the download. Default: the vendor's site. */
  readonly helmMirror: string | undefined;
  /** Reads the one-time join token. Returns undefined if none is configured. */
  readonly joinToken: () => Secret | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: { readonly long: number; readonly short: number };
  /** Maximum private memory of each program of a Terraform run. Unlimited if undefined. */
  readonly runMemoryBytes: number | undefined;
  readonly stopGraceMs: number;
  readonly cancelGraceMs: number;
  /** Deployers that run as separate services: one URL per task type prefix, longest prefix first. */
  readonly deployers: readonly { readonly prefix: string; readonly url: string }[];
  /** Token that the agent and its deployers use to authenticate to each other. */
  readonly deployerToken: () => Secret | undefined;
  /** Address on which the `deployer` command listens. */
  readonly deployerListen: { readonly host: string; readonly port: number };
  /** Absolute paths of modules that add stacks. */
  readonly plugins: readonly string[];
  /**
   * Folders with additional add-ons (`catalogue`) and with packaged charts (`charts`). Packaged charts are for installations that cannot
   * reach the chart repositories.
   */
  readonly addOns: { readonly catalogue: string | undefined; readonly charts: string | undefined };
  /** Hosts, with or without a port, to which the HTTP and metric gates of upgrades may send requests from this agent. Default: none. */
  readonly gateHosts: readonly string[];
  /** Where simulated clouds are stored: in the control plane, shared by all agents, or in files local to this agent. */
  readonly simulator: "server" | "files";
  /** Credentials for external state backends, keyed by the environment variables that the backends read. */
  readonly backendSecrets: Readonly<Record<string, Secret>>;
  /** Settings for reaching real clouds, other than the accounts' own credentials. */
  readonly clouds: {
    /** Endpoint overrides, keyed by the environment variables of the clouds' SDKs. */
    readonly endpoints: Readonly<Record<string, string>>;
    /** Paths of identity token files on the agent's machine, keyed by the environment variables that name them. */
    readonly identityTokenFiles: Readonly<Record<string, string>>;
    /** Folder or URL of a Terraform provider mirror. Default: the providers' own registries. */
    readonly providerMirror: string | undefined;
  };
  /** Whether to stop the agent when its standard input closes, which means that its parent process has exited. */
  readonly stopsWithInput: boolean;
  /** Set if the agent's machine is a host of local accounts. */
  readonly hosts: HostConfig | undefined;
  readonly demo: { readonly enabled: boolean; readonly journal: string | undefined };
  /** Environment variables for child processes that handlers start. Never contains a token. */
  readonly childEnvironment: Readonly<Record<string, string>>;
  readonly logLevel: LogLevel;
}

/** How an agent uses its machine as a host. */
export interface HostConfig {
  /** Label of the accounts that the machine belongs to. */
  readonly label: string;
  /** Root file systems on the machine, as folders or archives, keyed by the names of their images. */
  readonly images: Readonly<Record<string, string>>;
  /** Folders from which users may import images. If the list is empty, the agent uses `images` in its own folder. */
  readonly imageFolders: readonly string[];
  /** Whether instances of several projects may run on the machine, although they are not isolated from each other. */
  readonly isShared: boolean;
}

/** Names of environment variables that cloud SDKs and state backends define. */
export interface ForeignVariables {
  /** Patterns of variables that override endpoints. */
  readonly endpoints: readonly RegExp[];
  /** Variables that contain the path of an identity token file. */
  readonly identityTokens: readonly string[];
  /** Variables that contain credentials for state backends. */
  readonly backendSecrets: readonly string[];
}

const noForeign: ForeignVariables = { endpoints: [], identityTokens: [], backendSecrets: [] };

/** Reads and validates an agent's configuration. Throws a fault that names the first invalid variable. */
export function readAgentConfig(environment: Environment, foreign: ForeignVariables = noForeign): AgentConfig {
  const get = (name: string, otherwise: string): string => environment[name] || otherwise;
  return {
    server: parseUrl("CLOUDWRIGHT_SERVER", get("CLOUDWRIGHT_SERVER", "http://127.0.0.1:8480")),
    name: parseName(get("CLOUDWRIGHT_AGENT_NAME", nameOfMachine())),
    directory: resolve(get("CLOUDWRIGHT_AGENT_DIR", join(readHome(environment), "agent"))),
    cacheDirectory: join(readHome(environment), "cache"),
    terraformMirror: environment["CLOUDWRIGHT_TERRAFORM_MIRROR"] || undefined,
    helmMirror: environment["CLOUDWRIGHT_HELM_MIRROR"] || undefined,
    joinToken: () => readSecret(environment, "CLOUDWRIGHT_JOIN_TOKEN"),
    labels: parseLabels(get("CLOUDWRIGHT_AGENT_LABELS", "cloud=*;account=*;region=*")),
    slots: parseSlots(get("CLOUDWRIGHT_AGENT_SLOTS", "long=4,short=8")),
    runMemoryBytes: parseMemory("CLOUDWRIGHT_AGENT_RUN_MEMORY", get("CLOUDWRIGHT_AGENT_RUN_MEMORY", "4GiB")),
    stopGraceMs: parseSeconds("CLOUDWRIGHT_AGENT_STOP_SECONDS", get("CLOUDWRIGHT_AGENT_STOP_SECONDS", "20")),
    cancelGraceMs: parseSeconds("CLOUDWRIGHT_AGENT_CANCEL_SECONDS", get("CLOUDWRIGHT_AGENT_CANCEL_SECONDS", "60")),
    deployers: parseDeployers(environment["CLOUDWRIGHT_DEPLOYERS"] ?? ""),
    deployerToken: () => readSecret(environment, "CLOUDWRIGHT_DEPLOYER_TOKEN"),
    deployerListen: parseAddress(get("CLOUDWRIGHT_DEPLOYER_LISTEN", "127.0.0.1:8481")),
    plugins: listWords(environment["CLOUDWRIGHT_AGENT_PLUGINS"] ?? "").map((path) => resolve(path)),
    addOns: {
      catalogue: parseFolder(environment["CLOUDWRIGHT_AGENT_ADDONS"]),
      charts: parseFolder(environment["CLOUDWRIGHT_AGENT_CHARTS"]),
    },
    gateHosts: listWords(environment["CLOUDWRIGHT_AGENT_GATE_HOSTS"] ?? "").map(parseGateHost),
    simulator: parseSimulator(get("CLOUDWRIGHT_AGENT_SIMULATOR", "server")),
    backendSecrets: pickBackendSecrets(environment, foreign.backendSecrets),
    clouds: {
      endpoints: pickEndpoints(environment, foreign.endpoints),
      identityTokenFiles: pickSet(environment, foreign.identityTokens),
      providerMirror: environment["CLOUDWRIGHT_PROVIDER_MIRROR"] || undefined,
    },
    stopsWithInput: parseSwitch("CLOUDWRIGHT_AGENT_STOPS_WITH_INPUT", environment["CLOUDWRIGHT_AGENT_STOPS_WITH_INPUT"] ?? ""),
    hosts: parseHosts(environment),
    demo: {
      enabled: parseSwitch("CLOUDWRIGHT_DEMO_HANDLERS", environment["CLOUDWRIGHT_DEMO_HANDLERS"] ?? ""),
      journal: environment["CLOUDWRIGHT_DEMO_JOURNAL"] || undefined,
    },
    childEnvironment: pickChildEnvironment(environment),
    logLevel: parseLevel(get("CLOUDWRIGHT_LOG_LEVEL", "info")),
  };
}

/** Returns the variables that child processes may see: search path, certificates, proxies and temporary directory. */
export function pickChildEnvironment(environment: Environment): Record<string, string> {
  const names = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
  ];
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const set = [...names, ...proxies].flatMap((name): [string, string][] => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(set);
}

/** Variables that an embedded agent never receives, even if CLOUDWRIGHT_AGENT_ENVIRONMENT lists them. */
const serverOnly = new Set(["DATABASE_URL", "CLOUDWRIGHT_ENCRYPTION_KEYS", "CLOUDWRIGHT_API_KEY"]);

/** Variables that configure an agent, apart from those that start with CLOUDWRIGHT_AGENT_. */
const agentVariables = new Set([
  "CLOUDWRIGHT_HOME",
  "CLOUDWRIGHT_LOG_LEVEL",
  "CLOUDWRIGHT_TERRAFORM_MIRROR",
  "CLOUDWRIGHT_HELM_MIRROR",
  "CLOUDWRIGHT_PROVIDER_MIRROR",
  "CLOUDWRIGHT_DEPLOYERS",
  "CLOUDWRIGHT_DEPLOYER_TOKEN",
  "CLOUDWRIGHT_DEPLOYER_TOKEN_FILE",
  "CLOUDWRIGHT_DEMO_JOURNAL",
  "CLOUDWRIGHT_REFERENCE_DATA",
  "CLOUDWRIGHT_CLOCK_OFFSET_FILE",
  "NODE_COMPILE_CACHE",
]);

/**
 * Returns the environment of an agent that the server starts: the agent's own settings, search path, certificates and proxies, and the
 * variables that CLOUDWRIGHT_AGENT_ENVIRONMENT names. The agent works for every project, so it must not see the server's secrets or cloud
 * credentials unless the operator allows it.
 */
export function pickAgentEnvironment(environment: Environment): Record<string, string> {
  const named = listWords(environment["CLOUDWRIGHT_AGENT_ENVIRONMENT"] ?? "");
  const refused = named.find((name) => serverOnly.has(name) || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  if (refused !== undefined) {
    throw refuse(
      "CLOUDWRIGHT_AGENT_ENVIRONMENT",
      refused,
      "the names of environment variables, separated by commas; the server's own variables are not allowed",
    );
  }
  const isPassed = (name: string): boolean =>
    agentVariables.has(name) || name.startsWith("CLOUDWRIGHT_AGENT_") || named.includes(name);
  const passed = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && isPassed(name) ? [[name, value]] : [],
  );
  return { ...pickChildEnvironment(environment), ...Object.fromEntries(passed) };
}

function pickEndpoints(environment: Environment, patterns: readonly RegExp[]): Record<string, string> {
  const set = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    patterns.some((pattern) => pattern.test(name)) && value ? [[name, parseUrl(name, value)]] : [],
  );
  return Object.fromEntries(set);
}

function pickSet(environment: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])));
}

function pickBackendSecrets(environment: Environment, names: readonly string[]): Record<string, Secret> {
  const set = names.flatMap((name): [string, Secret][] => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [[name, new Secret(value)]];
  });
  return Object.fromEntries(set);
}

function listWords(text: string): string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function parseFolder(path: string | undefined): string | undefined {
  return path ? resolve(path) : undefined;
}

function refuse(name: string, text: string, wanted: string): Fault {
  return new Fault(platformFaults.bad_configuration, `${name} is "${text}"; use ${wanted}`);
}

function parseUrl(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    // The value may contain a password, so the message repeats only the host.
    throw refuse(name, url?.host ?? "...", "an address such as http://127.0.0.1:8480");
  }
  return url.origin + trimEnd(url.pathname, "/");
}

function nameOfMachine(): string {
  const name = hostname()
    .toLowerCase()
    .replace(/\..*/s, "")
    .replaceAll(/[^a-z0-9-]/g, "-");
  return trimEnd(`agent-${name}`.slice(0, 63), "-");
}

function parseName(text: string): string {
  if (text.length > 63 || !/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)) {
    throw refuse("CLOUDWRIGHT_AGENT_NAME", text, "a name of lower-case letters, digits and hyphens");
  }
  return text;
}

function parseLabels(text: string): Record<string, string> {
  const parts = text.split(";").map((part) => part.trim());
  return Object.fromEntries(
    parts
      .filter((part) => part !== "")
      .map((part) => {
        const match = /^(?<key>[A-Za-z0-9][-A-Za-z0-9_./]*)=(?<value>[^=;]+)$/.exec(part);
        if (match?.groups === undefined)
          throw refuse("CLOUDWRIGHT_AGENT_LABELS", text, "labels such as cloud=*;region=west,east");
        return [match.groups["key"] as string, match.groups["value"] as string];
      }),
  );
}

/** Terraform cannot start with less memory. */
const leastRunMemoryBytes = 256 * 1024 ** 2;

/** Parses an amount of memory such as `4GiB` or `512MiB`. `off` means no limit. */
function parseMemory(name: string, text: string): number | undefined {
  if (text === "off") return undefined;
  const match = /^([1-9]\d{0,5})(MiB|GiB)$/.exec(text);
  const bytes = match === null ? 0 : Number(match[1]) * 1024 ** (match[2] === "GiB" ? 3 : 2);
  if (bytes < leastRunMemoryBytes) throw refuse(name, text, "at least 256MiB, such as 4GiB, or off");
  return bytes;
}

function parseSlots(text: string): { long: number; short: number } {
  const slots: Record<string, number> = { long: 4, short: 8 };
  for (const part of text.split(",")) {
    const match = /^\s*(?<lane>long|short)=(?<count>\d{1,3})\s*$/.exec(part);
    if (match?.groups === undefined) throw refuse("CLOUDWRIGHT_AGENT_SLOTS", text, "slots such as long=4,short=8");
    slots[match.groups["lane"] as string] = Number(match.groups["count"]);
  }
  return { long: slots["long"] as number, short: slots["short"] as number };
}

function parseSeconds(name: string, text: string): number {
  const seconds = Number(text);
  if (!(seconds >= 0 && seconds <= 86_400)) throw refuse(name, text, "a number of seconds from 0 to 86400");
  return seconds * 1000;
}

function parseDeployers(text: string): { prefix: string; url: string }[] {
  const parts = text.split(/[,\s]+/).filter((part) => part !== "");
  const deployers = parts.map((part) => {
    const match = /^(?<prefix>[a-z]+(?:\.[a-z]*)?|\*)=(?<url>https?:\/\/.+)$/.exec(part);
    if (match?.groups === undefined)
      throw refuse("CLOUDWRIGHT_DEPLOYERS", part, "a prefix and an address such as network=http://127.0.0.1:8481");
    return { prefix: match.groups["prefix"] as string, url: parseUrl("CLOUDWRIGHT_DEPLOYERS", match.groups["url"] as string) };
  });
  return deployers.toSorted((a, b) => b.prefix.length - a.prefix.length);
}

function parseGateHost(text: string): string {
  const host = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?)(:\d{1,5})?$/.exec(text)?.[0];
  if (host === undefined) throw refuse("CLOUDWRIGHT_AGENT_GATE_HOSTS", text, "hosts such as status.example.com,10.0.0.7:9090");
  return host.toLowerCase();
}

function parseHosts(environment: Environment): HostConfig | undefined {
  const label = environment["CLOUDWRIGHT_AGENT_HOSTS"] ?? "";
  if (label === "") return undefined;
  if (!/^[A-Za-z0-9][-A-Za-z0-9_.]{0,62}$/.test(label))
    throw refuse("CLOUDWRIGHT_AGENT_HOSTS", label, "a label such as rack-1: letters, digits, dashes, underscores and dots");
  const images = listWords(environment["CLOUDWRIGHT_AGENT_HOST_IMAGES"] ?? "").map((word): [string, string] => {
    const match = /^(?<name>[a-z0-9][a-z0-9._-]{0,62})=(?<path>\/.+)$/.exec(word);
    if (match?.groups === undefined)
      throw refuse("CLOUDWRIGHT_AGENT_HOST_IMAGES", word, "names with absolute paths such as debian-12=/srv/debian-12.tar.zst");
    return [match.groups["name"] as string, match.groups["path"] as string];
  });
  const isShared = parseSwitch("CLOUDWRIGHT_AGENT_HOST_SHARED", environment["CLOUDWRIGHT_AGENT_HOST_SHARED"] ?? "");
  const imageFolders = listWords(environment["CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS"] ?? "");
  const wrong = imageFolders.find((folder) => !folder.startsWith("/"));
  if (wrong !== undefined)
    throw refuse("CLOUDWRIGHT_AGENT_HOST_IMAGE_FOLDERS", wrong, "absolute paths of folders such as /srv/images");
  return { label, images: Object.fromEntries(images), imageFolders, isShared };
}

function parseSimulator(text: string): "server" | "files" {
  if (text !== "server" && text !== "files") throw refuse("CLOUDWRIGHT_AGENT_SIMULATOR", text, "server or files");
  return text;
}

function parseAddress(text: string): { host: string; port: number } {
  const match = /^(?<host>\[[0-9a-fA-F:.]+\]|[^:\s]+):(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.["port"]);
  if (match?.groups === undefined || port > 65535)
    throw refuse("CLOUDWRIGHT_DEPLOYER_LISTEN", text, "an address such as 127.0.0.1:8481");
  return { host: (match.groups["host"] as string).replace(/^\[|\]$/g, ""), port };
}

function parseSwitch(name: string, text: string): boolean {
  if (!["", "0", "1", "false", "true"].includes(text)) throw refuse(name, text, "0 or 1");
  return text === "1" || text === "true";
}

function parseLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) throw refuse("CLOUDWRIGHT_LOG_LEVEL", text, `one of ${logLevels.join(", ")}`);
  return level;
}

function readSecret(environment: Environment, name: string): Secret | undefined {
  const path = environment[`${name}_FILE`];
  const text = path ? readSecretFile(`${name}_FILE`, path) : environment[name];
  return text === undefined || text.trim() === "" ? undefined : new Secret(text.trim());
}

function readSecretFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new Fault(platformFaults.bad_configuration, `the file in ${name} cannot be read: ${describeError(cause)}`, {
      cause,
    });
  }
}
