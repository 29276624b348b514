import {
  claimMachine,
  hostsFaults,
  identifyMachine,
  openHost,
  probeHost,
  renderLabels,
  runTool,
  type Host,
  type HostReport,
  type MachineIdentity,
} from "@cloudwright/hosts";
import { describeError, Fault, systemClock, type AgentConfig, type Logger } from "@cloudwright/platform";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createImageSource, type ImageSource } from "./image-source.ts";

/** A machine that is ready to run instances. */
export interface OpenedHost {
  /** Folder of everything that the host stores. */
  readonly directory: string;
  readonly host: Host;
  readonly images: ImageSource;
  /** Folders from which users may import images. */
  readonly imageFolders: readonly string[];
  /** Root file systems that the operator configured, keyed by the names of their images. */
  readonly configuredImages: Readonly<Record<string, string>>;
  readonly identity: MachineIdentity;
}

/** The machine that an agent runs on, as a host of local accounts. */
export interface HostService {
  /** Label of the accounts that this machine belongs to. */
  readonly label: string;
  /** Labels that the agent reports. */
  readonly labels: Readonly<Record<string, string>>;
  /** Restores everything that the host's records describe. Called once, after the agent has locked its directory. */
  start(): void;
  /** Waits until the host has been restored, and returns it. Throws if the machine cannot be a host. */
  get(): Promise<OpenedHost>;
  /** Allows another process to manage the machine. Instances keep running. */
  close(): Promise<void>;
}

/** Checks what the machine can do, without changing it. The agent works even if the machine cannot be a host. */
export async function createHostService(
  { log, probe = probeHost }: { readonly log: Pick<Logger, "info" | "warn" | "error">; readonly probe?: typeof probeHost },
  { directory: agentDirectory, hosts }: Pick<AgentConfig, "directory" | "hosts">,
): Promise<HostService | undefined> {
  if (hosts === undefined) return undefined;
  const { label, images, imageFolders, isShared } = hosts;
  const directory = join(agentDirectory, "host");
  const report = await probe({ directory, run: runTool });
  const missing = describeMissing(report);
  if (missing !== "") log.warn({ missing }, "this machine cannot be a host; tasks of its accounts will fail");
  const started = Promise.withResolvers<void>();
  let opening: Promise<OpenedHost> | undefined;
  let release: (() => Promise<void>) | undefined;

  async function open(): Promise<OpenedHost> {
    if (missing !== "") throw new Fault(hostsFaults.not_a_host, `the machine cannot be a host: ${missing}`);
    release ??= await claimMachine();
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const host = await openHost({ directory, run: runTool, clock: systemClock }, { allowSharedHost: isShared });
    const problems = await host.restore();
    if (problems.length > 0) log.warn({ problems }, "some resources of the host could not be restored");
    const identity = await identifyMachine(directory);
    log.info({ label, machine: identity.id, instances: (await host.instances.list()).length }, "this machine is a host");
    // Users can import images from this folder, unless the operator names others.
    const imageFolder = join(agentDirectory, "images");
    await mkdir(imageFolder, { recursive: true, mode: 0o700 });
    return {
      directory,
      host,
      images: createImageSource(host.images, images),
      imageFolders: imageFolders.length > 0 ? imageFolders : [imageFolder],
      configuredImages: images,
      identity,
    };
  }
  /** After a failure, the next call tries again. */
  const openOnce = (): Promise<OpenedHost> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  return {
    label,
    labels: { machines: label, ...renderLabels(report) },
    start() {
      started.resolve();
      if (missing !== "") return;
      openOnce().catch((error: unknown) => log.error({ reason: describeError(error) }, "the host could not be opened"));
    },
    async get() {
      await started.promise;
      return openOnce();
    },
    close: async () => release?.(),
  };
}

/** Describes every requirement that the machine does not meet, with what to do about it. Empty if it meets all of them. */
function describeMissing({ checks }: HostReport): string {
  return checks
    .filter(({ ok, required, isChecked }) => required && isChecked && !ok)
    .map(({ name, detail, fix }) => `${name}: ${detail}${fix === "" ? "" : ` (${fix})`}`)
    .join("; ");
}
