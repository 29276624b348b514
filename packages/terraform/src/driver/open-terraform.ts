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

/** Everything for the runs of one working directory. */
export interface TerraformOptions {
  readonly binary: Binary;
  /** Made if it is not there; only its owner can enter it. */
  readonly directory: string;
  /**
   * Keeps what init made when the directory is closed, so that the next run in it needs none as long as nothing has changed. Such a directory is
   * bound to one state, and with that to one entity.
   */
  readonly warm?: boolean;
  readonly configuration?: { readonly from: string } | { readonly files: Readonly<Record<string, string>> };
  /** Changes to the configuration in Terraform's JSON syntax, each after the one before. They are code: see `checkOverrides`. */
  readonly overrides?: readonly ReadonlyJsonObject[];
  /** Attributes that are left as they are found, beside those that configuration and overrides ignore. */
  readonly ignore?: readonly IgnoreRule[];
  readonly variables?: Readonly<Record<string, ReadonlyJson>>;
  readonly secretVariables?: Readonly<Record<string, Secret<ReadonlyJson>>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secretEnvironment?: Readonly<Record<string, Secret>>;
  /** The configuration's own unless said. */
  readonly backend?: Backend;
  readonly providers?: ProviderSources;
  /** The lock of providers of an earlier init. */
  readonly lockFile?: string;
  /** More that must not be in logs. */
  readonly secrets?: readonly Secret[];
  /** Where logs are kept; without it none are. */
  readonly logDirectory?: string;
  readonly lockTimeoutSeconds?: number;
  readonly parallelism?: number;
  readonly longestAnswerBytes?: number;
  readonly longestPlanBytes?: number;
  /** Ends the command that runs, and lets none start any more. */
  readonly signal?: AbortSignal;
  /** `spawner` in an agent's handler, whose children are ended by the agent: see Stopping. */
  readonly stoppedBy?: "driver" | "spawner";
  readonly graceMs?: number;
  /** A line for people, redacted. */
  readonly onLine?: (line: string) => void;
  readonly onEvent?: (event: TerraformEvent) => void;
}

/** One working directory and what can be done in it, one command at a time. */
export interface Terraform {
  init(options?: InitOptions): Promise<CommandOutcome<InitResult>>;
  validate(): Promise<CommandOutcome<readonly Diagnostic[]>>;
  plan(options?: PlanOptions): Promise<CommandOutcome<SavedPlan>>;
  /** Applies exactly the plan of this id: also one that destroys. */
  apply(planId: string): Promise<CommandOutcome<ApplyResult>>;
  showPlan(planId: string): Promise<CommandOutcome<TerraformPlan>>;
  showState(): Promise<CommandOutcome<ShownState>>;
  output(): Promise<CommandOutcome<TerraformOutputs>>;
  /** After init. */
  readSchemas(): Promise<CommandOutcome<ResourceSchemas>>;
  import(address: string, id: string): Promise<CommandOutcome<void>>;
  listState(): Promise<CommandOutcome<readonly string[]>>;
  pullState(): Promise<CommandOutcome<PulledState>>;
  pushState(bytes: Uint8Array, options?: { force?: boolean }): Promise<CommandOutcome<void>>;
  removeFromState(addresses: readonly string[]): Promise<CommandOutcome<void>>;
  forceUnlock(lockId: string): Promise<CommandOutcome<void>>;
  /** The state that an earlier command could not save. */
  findErroredState(): ErroredState | undefined;
  pushErroredState(): Promise<CommandOutcome<void>>;
  /** The file of a saved plan, checked; it holds secrets. */
  getPlanFile(planId: string): Promise<string>;
  /** A plan with what it was made with, in one piece, to be applied elsewhere; it holds secrets in clear. */
  packPlan(planId: string): Promise<Uint8Array>;
  /** Takes a plan out of such a piece, after init: the configuration, lock, state and program must be those it was made with. */
  unpackPlan(planId: string, parcel: Uint8Array): Promise<void>;
  /** The lock of providers after an init; undefined where all of them run already. */
  readLockFile(): Promise<string | undefined>;
  /** Takes a plan that was stored elsewhere. */
  putPlan(planId: string, bytes: Uint8Array): Promise<void>;
  /**
   * Removes the directory and everything in it, of a warm one everything but what init made. Where a state is in it that is saved nowhere else, it
   * stays, and the answer says where.
   */
  close(): Promise<ErroredState | undefined>;
}

/** Prepares a working directory and answers what can be done in it. Nothing is started yet. */
export function openTerraform(deps: { spawn: Spawn; clock?: Clock }, options: TerraformOptions): Terraform {
  const session = openSession(deps, options);
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  // Two commands in one directory would overwrite each other's files.
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
    longestAnswerBytes: options.longestAnswerBytes ?? 512 * 1024 * 1024,
    onLine: options.onLine ?? (() => undefined),
    onEvent: options.onEvent ?? (() => undefined),
  };
}

// What tells one entity's directory from another's is its state: a configuration's own may be anything.
function requireWarmable({ directory, backend, configuration }: TerraformOptions): void {
  if (backend === undefined || backend.type === "local" || configuration === undefined) {
    throw new Fault(terraformFaults.bad_option, "a warm directory needs a configuration, and a state that is elsewhere");
  }
  // A run that was killed may have left anything.
  if (existsSync(join(directory, fileNames.own)) && findErroredState(directory) === undefined) coolDown(directory);
}
