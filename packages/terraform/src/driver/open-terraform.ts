import { type Clock, Fault, type ReadonlyJson, type ReadonlyJsonObject, type Secret, systemClock } from "@cloudwright/platform";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Binary } from "../binaries/binary.ts";
import type { Diagnostic } from "../events/diagnostic.ts";
import type { TerraformEvent } from "../events/event.ts";
import { terraformFaults } from "../faults.ts";
import type { IgnoreRule } from "../overrides/ignore-rules.ts";
import type { TerraformOutputs } from "../reading/outputs.ts";
import type { TerraformPlan } from "../reading/plan.ts";
import type { ResourceSchemas } from "../reading/schemas.ts";
import type { ShownState } from "../reading/shown-state.ts";
import { identifyBackend, type Backend } from "./backends/backend.ts";
import { readLockFile } from "./circumstances.ts";
import type { ProviderSources } from "./cli-config.ts";
import type { CommandOutcome, ErroredState } from "./command-report.ts";
import { apply, type ApplyResult } from "./commands/apply.ts";
import { init, type InitOptions, type InitResult } from "./commands/init.ts";
import { plan, type PlanOptions, type SavedPlan } from "./commands/plan.ts";
import { readOutputs, readSchemas, showPlan, showState } from "./commands/show.ts";
import {
  forceUnlock,
  importResource,
  listState,
  pullState,
  pushErroredState,
  pushState,
  removeFromState,
  type PulledState,
} from "./commands/state.ts";
import { validate } from "./commands/validate.ts";
import { renderEnvironment } from "./environment.ts";
import { findErroredState } from "./errored-state.ts";
import { getPlanFile, packPlan, putPlan, unpackPlan } from "./plan-files.ts";
import { createRedactor } from "./redactor.ts";
import type { Session } from "./session.ts";
import type { Spawn } from "./spawn.ts";
import { listTexts, renderSecretVariables } from "./variables.ts";
import { coolDown } from "./warm-directory.ts";
import { fileNames, prepareDirectory } from "./working-directory.ts";

export interface TerraformOptions {
  readonly binary: Binary;
  /** Working directory. Created if it does not exist, with access for its owner only. */
  readonly directory: string;
  /**
   * Keeps the result of init when the directory is closed, so that the next run can skip init if nothing has changed. A warm directory is
   * bound to one state, and therefore to one entity.
   */
  readonly warm?: boolean;
  readonly configuration?: { readonly from: string } | { readonly files: Readonly<Record<string, string>> };
  /**
   * Changes to the configuration in Terraform's JSON syntax, applied one after the other. Overrides are executable code, so check them with
   * `checkOverrides` first.
   */
  readonly overrides?: readonly ReadonlyJsonObject[];
  /** Attributes whose changes are ignored, in addition to those that the configuration and overrides ignore. */
  readonly ignore?: readonly IgnoreRule[];
  readonly variables?: Readonly<Record<string, ReadonlyJson>>;
  readonly secretVariables?: Readonly<Record<string, Secret<ReadonlyJson>>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** Default: the configuration's own backend. */
  readonly backend?: Backend;
  readonly providers?: ProviderSources;
  /** Provider lock file from an earlier init. */
  readonly lockFile?: string;
  /** Additional values to redact from logs. */
  readonly secrets?: readonly Secret[];
  /** Directory for logs. If omitted, no logs are written. */
  readonly logDirectory?: string;
  readonly lockTimeoutSeconds?: number;
  readonly parallelism?: number;
  /** Maximum private memory of Terraform and of each provider that it starts. Unlimited if omitted. */
  readonly memoryBytes?: number;
  readonly longestAnswerBytes?: number;
  readonly longestPlanBytes?: number;
  /** Stops the running command and prevents further ones. */
  readonly signal?: AbortSignal;
  /** Use `spawner` in an agent's handlers, because the agent stops child processes itself. See `Stopping`. */
  readonly stoppedBy?: "driver" | "spawner";
  readonly graceMs?: number;
  /** Receives redacted, human-readable output lines. */
  readonly onLine?: (line: string) => void;
  readonly onEvent?: (event: TerraformEvent) => void;
}

/** The commands of one working directory. They run one at a time. */
export interface Terraform {
  init(options?: InitOptions): Promise<CommandOutcome<InitResult>>;
  validate(): Promise<CommandOutcome<readonly Diagnostic[]>>;
  plan(options?: PlanOptions): Promise<CommandOutcome<SavedPlan>>;
  /** Applies the plan with this ID, including a destroy plan. */
  apply(planId: string): Promise<CommandOutcome<ApplyResult>>;
  showPlan(planId: string): Promise<CommandOutcome<TerraformPlan>>;
  showState(): Promise<CommandOutcome<ShownState>>;
  output(): Promise<CommandOutcome<TerraformOutputs>>;
  /** Reads the providers' resource schemas. Requires an earlier init. */
  readSchemas(): Promise<CommandOutcome<ResourceSchemas>>;
  import(address: string, id: string): Promise<CommandOutcome<void>>;
  listState(): Promise<CommandOutcome<readonly string[]>>;
  pullState(): Promise<CommandOutcome<PulledState>>;
  pushState(bytes: Uint8Array, options?: { force?: boolean }): Promise<CommandOutcome<void>>;
  removeFromState(addresses: readonly string[]): Promise<CommandOutcome<void>>;
  forceUnlock(lockId: string): Promise<CommandOutcome<void>>;
  /** Returns the state that an earlier command could not save. */
  findErroredState(): ErroredState | undefined;
  pushErroredState(): Promise<CommandOutcome<void>>;
  /** Returns the path of a saved plan after verifying it. The file contains secrets. */
  getPlanFile(planId: string): Promise<string>;
  /** Packs a plan so that it can be applied in a different directory. The result contains secrets in plain text. */
  packPlan(planId: string): Promise<Uint8Array>;
  /** Unpacks a plan after init. Throws if the configuration, lock file, state or program differs from the one used for planning. */
  unpackPlan(planId: string, parcel: Uint8Array): Promise<void>;
  /** Returns the provider lock file after an init, or undefined if all providers are already running. */
  readLockFile(): Promise<string | undefined>;
  /** Adds a plan that was stored elsewhere. */
  putPlan(planId: string, bytes: Uint8Array): Promise<void>;
  /**
   * Deletes the directory or, if it is warm, everything in it except the result of init. If the directory contains an unsaved state, deletes
   * nothing and returns the location of that state.
   */
  close(): Promise<ErroredState | undefined>;
}

/** Prepares a working directory and returns its commands. Does not start a program yet. */
export function openTerraform(deps: { spawn: Spawn; clock?: Clock }, options: TerraformOptions): Terraform {
  const session = openSession(deps, options);
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  // Concurrent commands in one directory would overwrite each other's files.
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (closed) return Promise.reject(new Fault(terraformFaults.closed, `${session.directory} is closed`));
    const turn = last.then(work, work);
    last = turn;
    return turn;
  };
  return {
    init: (how = {}) => inTurn(() => init(session, how, options.providers?.pluginCache)),
    validate: () => inTurn(() => validate(session)),
    plan: (what = {}) => inTurn(() => plan(session, what)),
    apply: (planId) => inTurn(() => apply(session, planId)),
    showPlan: (planId) => inTurn(() => showPlan(session, planId)),
    showState: () => inTurn(() => showState(session)),
    output: () => inTurn(() => readOutputs(session)),
    readSchemas: () => inTurn(() => readSchemas(session)),
    import: (address, id) => inTurn(() => importResource(session, address, id)),
    listState: () => inTurn(() => listState(session)),
    pullState: () => inTurn(() => pullState(session)),
    pushState: (bytes, how) => inTurn(() => pushState(session, bytes, how)),
    removeFromState: (addresses) => inTurn(() => removeFromState(session, addresses)),
    forceUnlock: (lockId) => inTurn(() => forceUnlock(session, lockId)),
    findErroredState: () => findErroredState(session.directory),
    pushErroredState: () => inTurn(() => pushErroredState(session)),
    getPlanFile: (planId) => inTurn(() => getPlanFile(session, planId)),
    packPlan: (planId) => inTurn(() => packPlan(session, planId)),
    unpackPlan: (planId, parcel) => inTurn(() => unpackPlan(session, planId, parcel)),
    readLockFile: () => inTurn(async () => readLockFile(session.directory)),
    putPlan: (planId, bytes) => inTurn(() => putPlan(session, planId, bytes)),
    close: () =>
      inTurn(async () => {
        const errored = findErroredState(session.directory);
        if (errored !== undefined) return errored;
        closed = true;
        if (options.warm === true) coolDown(session.directory);
        else rmSync(session.directory, { recursive: true, force: true });
        return undefined;
      }),
  };
}

function openSession(deps: { spawn: Spawn; clock?: Clock }, options: TerraformOptions): Session {
  const { directory, binary, backend, secretVariables = {}, secretEnvironment = {}, secrets = [], providers = {} } = options;
  const secretly = renderSecretVariables(secretVariables);
  if (options.warm === true) requireWarmable(options);
  const { ownDirectory, homeDirectory, cliConfigFile, secretFiles } = prepareDirectory({
    ...options,
    secretFile: secretly.file,
    sources: providers,
  });
  const { logDirectory } = options;
  if (logDirectory !== undefined) mkdirSync(logDirectory, { recursive: true, mode: 0o700 });
  const environment = renderEnvironment({
    cliConfigFile,
    homeDirectory,
    environment: options.environment ?? {},
    secretEnvironment,
    backend,
    sources: providers,
    secretVariables: secretly.environment,
    secretFiles,
  });
  const ofBackend = [backend?.secretEnvironment ?? {}, backend?.secretFiles ?? {}].flatMap((each) => Object.values(each));
  const known = [...Object.values(secretEnvironment), ...ofBackend, ...secrets];
  return {
    spawn: deps.spawn,
    clock: deps.clock ?? systemClock,
    binary,
    directory,
    ownDirectory,
    stateId: identifyBackend(backend, { anyHost: true }),
    reattached: Object.keys(providers.reattach ?? {}).toSorted(),
    longestPlanBytes: options.longestPlanBytes ?? 64 * 1024 * 1024,
    logDirectory,
    environment,
    redactor: createRedactor([
      ...known.map((secret) => secret.reveal()),
      ...Object.values(secretVariables).flatMap((secret) => listTexts(secret.reveal())),
    ]),
    stopping: { signal: options.signal, stoppedBy: options.stoppedBy ?? "driver", graceMs: options.graceMs ?? 60_000 },
    lockTimeoutSeconds: options.lockTimeoutSeconds ?? 30,
    parallelism: options.parallelism,
    memoryBytes: options.memoryBytes,
    longestAnswerBytes: options.longestAnswerBytes ?? 512 * 1024 * 1024,
    onLine: options.onLine ?? (() => undefined),
    onEvent: options.onEvent ?? (() => undefined),
  };
}

// A warm directory is bound to an entity through its state, so the caller must set the backend.
function requireWarmable({ directory, backend, configuration }: TerraformOptions): void {
  if (backend === undefined || backend.type === "local" || configuration === undefined) {
    throw new Fault(terraformFaults.bad_option, "a warm directory requires a configuration and a remote state");
  }
  // A killed run may have left the directory in any condition.
  if (existsSync(join(directory, fileNames.own)) && findErroredState(directory) === undefined) coolDown(directory);
}
