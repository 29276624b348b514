import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { type Environment, Fault, systemClock, trimEnd } from "@cloudwright/platform";
import { simulatorFaults } from "../faults.ts";
import { createFileInventory } from "../inventory/file-inventory.ts";
import { createFileFaults } from "../simulated-faults/file-faults.ts";
import type { SimulatedFault } from "../simulated-faults/simulated-fault.ts";
import type { ProviderDefinition } from "../provider/definition.ts";
import { createProviderService } from "../provider/provider-service.ts";
import type { ProviderHost } from "../provider/scope.ts";
import { createSelfSigned } from "../wire/certificate.ts";
import { listenGrpc } from "../wire/grpc-server.ts";
import { createSocketDirectory, type SocketDirectory } from "./socket-directory.ts";

/** The settings that the launcher in a mirror passes to its provider. */
export interface SpawnSettings {
  /** The name of a definition in the bundle. */
  readonly definition: string;
  readonly tenant: string;
  readonly inventoryDirectory: string;
  readonly faultsFile: string;
}

const cookie = { name: "TF_PLUGIN_MAGIC_COOKIE", value: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2" };
// Terraform reconnects immediately. If no connection is open for this long, Terraform must have been killed.
const orphanAfterMs = 500;

/** Runs this process as a plug-in that Terraform started. Prints the handshake, serves calls, and cleans up when Terraform exits. */
export async function runSpawnedProvider(
  definitions: readonly ProviderDefinition[],
  settings: SpawnSettings,
  environment: Environment,
): Promise<void> {
  if (environment[cookie.name] !== cookie.value) {
    process.stderr.write("This program is a Terraform plug-in and cannot be started directly.\n");
    process.exit(1);
  }
  // Ctrl-C reaches the whole process group, but Terraform decides when a provider stops.
  process.on("SIGINT", () => {});
  endWithParent();
  const faults = createFileFaults(settings.faultsFile);
  await failAtStart(await faults.take({ tenant: settings.tenant, operation: "start" }));
  const directory = await findSocketDirectory();
  process.on("exit", () => rmSync(directory.path, { recursive: true, force: true }));
  process.on("SIGTERM", () => process.exit(143));
  const service = createProviderService(
    {
      definition: findDefinition(definitions, settings.definition),
      tenant: settings.tenant,
      inventory: createFileInventory(settings.inventoryDirectory),
      faults,
    },
    // Delays the exit, so that the reply to Shutdown can be sent.
    { createHost: () => host, onShutdown: () => void setTimeout(() => process.exit(0), 5) },
  );
  const clientPem = environment["PLUGIN_CLIENT_CERT"] ?? "";
  const own = clientPem === "" ? undefined : createSelfSigned(systemClock.now());
  const tls = own === undefined ? undefined : { ...own, clientPem };
  await listenGrpc(service, { socket: directory.socket, tls, onSessions: createOrphanGuard() });
  // Go's base64 decoder does not accept padding.
  const certificate = trimEnd(own?.der.toString("base64") ?? "", "=");
  process.stdout.write(`1|6|unix|${directory.socket}|grpc|${certificate}\n`);
}

const host: ProviderHost = {
  crash: () => process.exit(2),
  print: (text) => void process.stdout.write(text),
  complain: (text) => void process.stderr.write(text),
};

async function failAtStart(fault: SimulatedFault | undefined): Promise<void> {
  switch (fault?.kind) {
    case "crash":
    case "error":
      process.stderr.write("panic: planned\n");
      process.exit(2);
      break;
    case "hang":
      await new Promise(() => {});
      break;
    case "rubbish":
      process.stdout.write("hello, this is no handshake\n");
      break;
    case "slow":
      await systemClock.sleep(fault.delayMs);
      break;
    case "lost_reply":
    case "truncated":
    case "echo_secrets":
    case undefined:
      break;
  }
}

// Falls back to /tmp if the path of the temporary directory is too long for a socket.
async function findSocketDirectory(): Promise<SocketDirectory> {
  try {
    return await createSocketDirectory(tmpdir());
  } catch (error) {
    if (error instanceof Fault && error.code === simulatorFaults.path_too_long.code) return createSocketDirectory("/tmp");
    throw error;
  }
}

function findDefinition(definitions: readonly ProviderDefinition[], name: string): ProviderDefinition {
  const found = definitions.find((definition) => definition.name === name);
  if (found === undefined) throw new Fault(simulatorFaults.bad_schema, `the bundle has no simulated provider ${name}`);
  return found;
}

// If Terraform is killed before it connects, there is no connection to close. A changed parent process id reveals that Terraform has
// exited.
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(0);
  }, orphanAfterMs);
}

function createOrphanGuard(): (open: number) => void {
  let timer: NodeJS.Timeout | undefined;
  return (open) => {
    clearTimeout(timer);
    if (open === 0) timer = setTimeout(() => process.exit(0), orphanAfterMs);
  };
}
