import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

/** Where providers come from. */
export interface ProviderSources {
  /** A cache directory that several working directories share. */
  readonly pluginCache?: string;
  /** A directory in the layout `host/namespace/type/version/os_arch`. Nothing is downloaded then. */
  readonly filesystemMirror?: string;
  /** The URL of a provider mirror. No other source is used then. */
  readonly networkMirror?: string;
  /** Providers that are already running, by their full address. */
  readonly reattach?: Readonly<Record<string, ReattachedProvider>>;
}

/** A running provider that listens on a socket. */
export interface ReattachedProvider {
  readonly pid: number;
  readonly socket: string;
  readonly protocolVersion: number;
}

/** Renders the program's own configuration: no telemetry, and providers only from the given sources, not from a user's folders. */
export function renderCliConfig(sources: ProviderSources): string {
  const { pluginCache, filesystemMirror, networkMirror } = sources;
  const methods = [
    ...(filesystemMirror === undefined ? [] : [`filesystem_mirror {\n    path = ${quote(filesystemMirror)}\n  }`]),
    ...(networkMirror === undefined ? [] : [`network_mirror {\n    url = ${quote(withSlash(networkMirror))}\n  }`]),
  ];
  const lines = [
    "disable_checkpoint = true",
    ...(pluginCache === undefined ? [] : [`plugin_cache_dir = ${quote(pluginCache)}`]),
    `provider_installation {\n  ${(methods.length === 0 ? ["direct {}"] : methods).join("\n  ")}\n}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** Renders the variable that makes Terraform use running providers. `Test` must be true: Terraform 1.11 panics otherwise. */
export function renderReattach(providers: Readonly<Record<string, ReattachedProvider>>): string {
  const entries = Object.entries(providers).map(([address, { pid, socket, protocolVersion }]) => [
    address,
    { Protocol: "grpc", ProtocolVersion: protocolVersion, Pid: pid, Test: true, Addr: { Network: "unix", String: socket } },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

// The file is HCL, in which $ starts an expression.
function quote(text: string): string {
  if (/[$%\n\r]/.test(text))
    throw new Fault(terraformFaults.bad_option, `a provider source contains characters that cannot be quoted: ${text}`);
  return JSON.stringify(text);
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
