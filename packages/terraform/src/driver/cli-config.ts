import { Fault } from "@cloudwright/platform";
import { terraformFaults } from "../faults.ts";

/** Where Terraform finds its providers. */
export interface ProviderSources {
  /** Cache directory that several working directories share. */
  readonly pluginCache?: string;
  /** Mirror directory in the layout `host/namespace/type/version/os_arch`. If set, nothing is downloaded. */
  readonly filesystemMirror?: string;
  /** URL of a provider mirror. If set, no other source is used. */
  readonly networkMirror?: string;
  /** Providers that are already running, keyed by full source address. */
  readonly reattach?: Readonly<Record<string, ReattachedProvider>>;
}

/** A running provider that listens on a socket. */
export interface ReattachedProvider {
  readonly pid: number;
  readonly socket: string;
  readonly protocolVersion: number;
}

/**
 * Renders Terraform's CLI configuration. It disables telemetry and restricts providers to the given sources, so that a user's own folders
 * are not searched.
 */
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

/** Renders TF_REATTACH_PROVIDERS, which makes Terraform use running providers. `Test` must be true, or Terraform 1.11 panics. */
export function renderReattach(providers: Readonly<Record<string, ReattachedProvider>>): string {
  const entries = Object.entries(providers).map(([address, { pid, socket, protocolVersion }]) => [
    address,
    { Protocol: "grpc", ProtocolVersion: protocolVersion, Pid: pid, Test: true, Addr: { Network: "unix", String: socket } },
  ]);
  return JSON.stringify(Object.fromEntries(entries));
}

// The file is HCL, where `$` and `%` can start a template.
function quote(text: string): string {
  if (/[$%\n\r]/.test(text))
    throw new Fault(terraformFaults.bad_option, `a provider source contains characters that cannot be quoted: ${text}`);
  return JSON.stringify(text);
}

function withSlash(url: string): string {
  return url.endsWith("/") ? url : `${url}/`;
}
