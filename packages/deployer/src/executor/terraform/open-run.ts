import { backOffMs, Fault, systemClock } from "@cloudwright/platform";
import {
  createHttpBackend,
  getValue,
  openTerraform,
  type Backend,
  type Binaries,
  type CommandOutcome,
  type Terraform,
} from "@cloudwright/terraform";
import { join } from "node:path";
import type { Cloud, OpenCloud } from "../../cloud.ts";
import type { Configuration } from "./configurations.ts";
import { describeRun } from "../../credentials.ts";
import { createExternalBackend, type BackendSecrets } from "./external-backend.ts";
import { deployerFaults } from "../../faults.ts";
import { renderVariables } from "./guard-stack.ts";
import type { InfraWishes } from "./infra-settings.ts";
import type { Stack } from "../../stack.ts";
import type { DeployedAccount, DeployerTask, StateAccess } from "../../task.ts";
import { createProgress } from "./follow-progress.ts";
import type { RunLogs } from "./run-logs.ts";
import { readState, releaseOwnLock } from "../state-lock.ts";
import type { WarmDirectories } from "./warm-directories.ts";

/** What every run works with. */
export interface RunDeps {
  readonly binaries: Binaries;
  readonly openCloud: OpenCloud;
  /** Where directories of checks stay; without it each run has one of its own. */
  readonly warm?: WarmDirectories;
  /** Where raw logs are kept; without it none are. */
  readonly logs?: RunLogs;
  /** What the agent proves itself with to backends that are not the platform's. */
  readonly backendSecrets?: BackendSecrets;
}

/** What a run is about. */
export interface Subject {
  readonly stack: Stack;
  readonly configuration: Configuration;
  readonly account: DeployedAccount;
  readonly wishes: InfraWishes;
}

/** A working directory that is ready, on the entity's own state. */
export interface Run {
  readonly terraform: Terraform;
  readonly cloud: Cloud;
  readonly door: StateAccess;
  /** The state is not behind the door, but where the entity or its stack says. */
  readonly isExternal: boolean;
  /** The newest state; undefined when there is none. */
  readState(): Promise<string | undefined>;
  /** The same directory with exactly these providers. */
  useLock(lockFile: string): Promise<Run>;
}

/**
 * Opens the state and the cloud, initialises, lets `work` do its part, and leaves nothing behind; of a `warm` one what spares the next its init. One
 * about something `unbuilt` has a state of its own, which is empty and goes with it.
 */
export async function withRun<Result>(
  deps: RunDeps,
  task: DeployerTask,
  subject: Subject,
  { warm, unbuilt }: { readonly warm: boolean; readonly unbuilt: boolean },
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { configuration, account, stack } = subject;
  const binary = await deps.binaries.get("terraform", configuration.terraform, task.signal);
  const external: Backend | undefined = unbuilt ? { type: "local" } : findExternalBackend(deps, subject, task);
  const variables = renderVariables(stack, task, account, configuration.version);
  const door = await task.openState();
  if (task.resumed && external === undefined) await releaseOwnLock(door);
  const cloud = await deps.openCloud(account, door, describeRun(task));
  const loan = warm ? deps.warm?.lend(task.payload.entity.uid, describePurpose(subject)) : undefined;
  const directory = loan?.directory ?? join(task.directory, "stack");
  if (loan === undefined) deps.warm?.copyTo(directory, task.payload.entity.uid, describePurpose(subject));
  let wentWell = false;
  try {
    const open = async (lockFile: string | undefined): Promise<Run> => {
      const terraform = openTerraform(
        { spawn: task.spawn },
        {
          binary,
          directory,
          warm: loan !== undefined,
          configuration: { from: configuration.folder },
          overrides: subject.wishes.overrides === undefined ? [] : [subject.wishes.overrides],
          ignore: subject.wishes.ignore.filter(({ path }) => !mirrored.test(path)),
          variables,
          secretVariables: stack.secretVariables?.(task.payload.entity, account) ?? {},
          environment: { ...stack.environment(account), ...cloud.environment },
          secretEnvironment: { ...stack.credentials?.(account), ...cloud.secretEnvironment },
          backend: external ?? createHttpBackend(door),
          providers: cloud.providers,
          stoppedBy: "spawner",
          signal: task.signal,
          onLine: (line) => task.log(line),
          onEvent: createProgress((percent, message) => task.progress(percent, message)),
          ...(lockFile === undefined ? {} : { lockFile }),
          ...(deps.logs === undefined ? {} : { logDirectory: deps.logs.open(task.task.uid) }),
        },
      );
      task.progress(5, "init");
      getValue(await terraform.init());
      return {
        terraform,
        cloud,
        door,
        isExternal: external !== undefined,
        readState: () => (external === undefined ? readState(door) : pullState(terraform)),
        useLock: open,
      };
    };
    const { lock_file: lock } = task.payload.outputs;
    const run = await open(typeof lock === "string" && lock !== "" ? lock : undefined);
    if (task.resumed) await pushLeftState(task, run.terraform);
    const result = await work(run);
    await run.terraform.close();
    wentWell = true;
    return result;
  } catch (error) {
    throw error instanceof Fault ? (cloud.explain?.(error) ?? error) : error;
  } finally {
    await cloud.close();
    loan?.end(wentWell);
    deps.logs?.close(task.task.uid);
  }
}

function findExternalBackend(
  { backendSecrets }: RunDeps,
  { stack, wishes }: Subject,
  { payload }: DeployerTask,
): Backend | undefined {
  if (wishes.backend === undefined) return stack.backend?.(payload.entity);
  return createExternalBackend(payload.entity, wishes.backend, backendSecrets ?? {});
}

// What providers compute from another attribute. No configuration sets it, and to ignore a key of what nobody sets makes Terraform take away all others.
const mirrored = /^(tags_all|effective_labels|terraform_labels|effective_annotations)\b/;

function describePurpose({ configuration, wishes: { overrides, backend } }: Subject): string {
  return JSON.stringify([configuration.folder, overrides, backend]);
}

async function pullState(terraform: Terraform): Promise<string | undefined> {
  const { state, bytes } = getValue(await terraform.pullState());
  return state === undefined ? undefined : bytes.toString();
}

// An agent that was killed while it tried to save a state has left it here. One that is older than the newest is refused, and then of no use.
async function pushLeftState(task: DeployerTask, terraform: Terraform): Promise<void> {
  if (terraform.findErroredState() === undefined) return;
  const pushed = await terraform.pushErroredState();
  task.log(
    pushed.outcome === "done"
      ? "the state that was left unsaved is saved"
      : `the state that was left unsaved is not taken: ${pushed.fault.message}`,
  );
}

const pushBackOff = { firstMs: 500, longestMs: 30_000 };

/** The value of a command that changes the state; a state that could not be saved is pushed before anything else is said. */
export async function settle<Value>(
  task: DeployerTask,
  { terraform, door, isExternal }: Pick<Run, "terraform" | "door" | "isExternal">,
  outcome: CommandOutcome<Value>,
): Promise<Value> {
  if (outcome.outcome === "done" || outcome.erroredState === undefined) return getValue(outcome);
  for (let failures = 0; !task.signal.aborted; failures += 1) {
    task.progress(95, "the state could not be saved; trying again");
    // A Terraform that could not reach the door could not give its lock back either.
    if (!isExternal) await releaseOwnLock(door).catch(() => undefined);
    if ((await terraform.pushErroredState()).outcome === "done") {
      throw new Fault(deployerFaults.state_rescued, `the state was saved late: ${outcome.fault.message}`, {
        cause: outcome.fault,
      });
    }
    await systemClock.sleep(backOffMs(pushBackOff, failures), task.signal).catch(() => undefined);
  }
  return getValue(outcome);
}
