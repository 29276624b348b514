import { Fault } from "@cloudwright/platform";
import {
  createHttpBackend,
  getValue,
  openTerraform,
  terraformFaults,
  type Backend,
  type Binaries,
  type Terraform,
  type TerraformOptions,
} from "@cloudwright/terraform";
import type { TerraformSettings } from "../../cloud.ts";
import type { DeployerTask } from "../../task.ts";
import { createProgress } from "../progress.ts";
import { readState, releaseOwnLock } from "../state-lock.ts";
import type { TaskSession } from "../task-session.ts";
import { findExternalBackend, type BackendSecrets } from "./external-backend.ts";
import { followEvents } from "./follow-events.ts";
import { renderVariables } from "./guard-stack.ts";
import type { Run } from "./run.ts";
import type { RunLogs } from "./run-logs.ts";
import { pushUnsavedState } from "./state-rescue.ts";
import type { Subject } from "./subject.ts";
import type { WarmDirectories } from "./warm-directories.ts";
import { emptyDirectory, openWorkingDirectory } from "./working-directory.ts";

export interface RunDeps {
  readonly binaries: Binaries;
  /** Keeps working directories between runs. If absent, every run starts with a new directory. */
  readonly warm?: WarmDirectories;
  /** Stores Terraform's raw logs. If absent, raw logs are discarded. */
  readonly logs?: RunLogs;
  /** The agent's credentials for external state backends. */
  readonly backendSecrets?: BackendSecrets;
  /** Maximum private memory of Terraform, and of each provider that it starts. Unlimited if absent. */
  readonly runMemoryBytes?: number;
}

export interface OpenedRun {
  readonly run: Run;
  close(succeeded: boolean): Promise<void>;
}

export interface RunMode {
  /** True if the run leaves the state unchanged, so that its directory can be reused. */
  readonly mayStayWarm: boolean;
  /** True if the run starts from an empty local state, which is discarded afterwards. Used to preview a new entity. */
  readonly startsEmpty: boolean;
  /** True if the variables must reflect the cloud's current state. */
  readonly observes: boolean;
}

/**
 * Finds the Terraform binary, opens the state and the cloud, and initialises a working directory. On failure, releases everything that was
 * opened.
 */
export async function openRun(
  deps: RunDeps,
  session: TaskSession,
  task: DeployerTask,
  subject: Subject,
  { mayStayWarm, startsEmpty, observes }: RunMode,
): Promise<OpenedRun> {
  const { configuration, account, stack } = subject;
  const binary = await deps.binaries.get("terraform", configuration.terraform, task.signal);
  // Rejects an invalid spec before anything is opened.
  renderVariables(stack, task, account, configuration.version);
  const endpoint = await session.openEndpoint();
  const external: Backend | undefined = startsEmpty ? { type: "local" } : findExternalBackend(deps, subject, task, endpoint);
  if (task.resumed && external === undefined) await releaseOwnLock(endpoint);
  const cloud = await session.openCloud();
  const terraformSettings = await cloud.openTerraform();
  const { version } = configuration;
  const observed = observes ? await stack.observe?.(task.payload.entity, task.payload, cloud, version) : undefined;
  const variables = renderVariables(stack, task, account, version, observed);
  const directory = openWorkingDirectory(deps.warm, task, subject, { mayStayWarm });
  const release = (succeeded: boolean): void => {
    directory.release(succeeded);
    deps.logs?.close(task.task.uid);
  };
  const options: TerraformOptions = {
    ...renderOptions(task, subject, terraformSettings),
    binary,
    directory: directory.path,
    warm: directory.isWarm,
    variables,
    backend: external ?? createHttpBackend(endpoint),
    ...(deps.runMemoryBytes === undefined ? {} : { memoryBytes: deps.runMemoryBytes }),
    ...(deps.logs === undefined ? {} : { logDirectory: deps.logs.open(task.task.uid) }),
  };
  const init = async (lockFile: string | undefined): Promise<Run> => {
    const terraform = openRelocated({ spawn: task.spawn }, { ...options, ...(lockFile === undefined ? {} : { lockFile }) });
    task.progress(5, "init");
    getValue(await terraform.init());
    return {
      terraform,
      cloud,
      endpoint,
      isExternal: external !== undefined,
      readState: () => (external === undefined ? readState(endpoint) : pullState(terraform)),
      useLock: init,
    };
  };
  try {
    const { lock_file: lock } = task.payload.outputs;
    const run = await init(typeof lock === "string" && lock !== "" ? lock : undefined);
    if (task.resumed) await pushUnsavedState(task, run.terraform);
    return { run, close: (succeeded) => closeRun(run.terraform, succeeded, release) };
  } catch (error) {
    release(false);
    throw error;
  }
}

/**
 * Opens a working directory. If the control plane's address has changed since an earlier attempt at this task, the directory is recreated.
 * Only a state that the earlier attempt could not save is kept.
 */
function openRelocated(deps: Parameters<typeof openTerraform>[0], options: TerraformOptions): Terraform {
  try {
    return openTerraform(deps, options);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== terraformFaults.other_backend.code) throw error;
    emptyDirectory(options.directory);
    return openTerraform(deps, { ...options, warm: false });
  }
}

async function closeRun(terraform: Terraform, succeeded: boolean, release: (succeeded: boolean) => void): Promise<void> {
  let isClean = false;
  try {
    // After a failure, the directory is kept, because it may contain a state that could not be saved.
    if (succeeded) await terraform.close();
    isClean = succeeded;
  } finally {
    release(isClean);
  }
}

function renderOptions(
  task: DeployerTask,
  { stack, account, configuration, settings }: Subject,
  terraformSettings: TerraformSettings,
) {
  const progress = createProgress((percent, message) => task.progress(percent, message));
  return {
    configuration: { from: configuration.folder },
    overrides: settings.overrides === undefined ? [] : [settings.overrides],
    ignore: settings.ignore.filter(({ path }) => !computed.test(path)),
    secretVariables: stack.secretVariables?.(task.payload.entity, account) ?? {},
    environment: { ...stack.environment(account), ...terraformSettings.environment },
    secretEnvironment: { ...stack.credentials?.(account), ...terraformSettings.secretEnvironment },
    providers: terraformSettings.providers,
    ...(task.payload.parallelism === undefined ? {} : { parallelism: task.payload.parallelism }),
    stoppedBy: "spawner",
    signal: task.signal,
    onLine: (line: string) => task.log(line),
    onEvent: followEvents(progress),
  } as const;
}

// Providers compute these attributes from others, and configurations never set them. If a rule ignored a single key of such an attribute,
// Terraform would remove all other keys.
const computed = /^(tags_all|effective_labels|terraform_labels|effective_annotations)\b/;

async function pullState(terraform: Terraform): Promise<string | undefined> {
  const { state, bytes } = getValue(await terraform.pullState());
  return state === undefined ? undefined : bytes.toString();
}
