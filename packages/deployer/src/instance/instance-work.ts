import type { CloudPart } from "@cloudwright/clouds";
import { nameKeySecret, type TaskAction } from "@cloudwright/contract";
import { describeError, Fault, Secret, systemClock, type Clock } from "@cloudwright/platform";
import type { OpenCloud } from "../cloud.ts";
import { createTaskSession, type TaskSession } from "../executor/task-session.ts";
import { openClaimedMachine } from "../inventory/claimed-machine.ts";
import { deployerFaults } from "../faults.ts";
import { textOf } from "../read-spec.ts";
import { requireEntity, type DeployedAccount, type DeployerOutcome, type DeployerTask, type JsonObject } from "../task.ts";
import { parseHostKeys } from "./parse-host-keys.ts";
import { replaceKey } from "./replace-key.ts";
import { selectBootLines } from "./select-boot-lines.ts";

interface InstanceDeps {
  readonly openCloud: OpenCloud;
  readonly clock?: Clock;
}

type InstanceWork = (deps: InstanceDeps, task: DeployerTask, account: DeployedAccount) => Promise<DeployerOutcome>;

/** Task actions that read an existing instance and do not need an executor. */
export const instanceWork: Readonly<Partial<Record<TaskAction, InstanceWork>>> = {
  readHostKeys: async (deps, task, account) => ({ outcome: "done", outputs: await recordHostKeys(deps, task, account) }),
  replaceKey: async (deps, task, account) => {
    await withMachine(deps, task, account, async (part, id, session) => replaceOn(part, id, session, task));
    return { outcome: "done", outputs: {} };
  },
  readConsole: async (deps, task, account) => ({
    outcome: "done",
    outputs: {
      text: await withMachine(deps, task, account, async (part, id) => trim(await part.readConsole(id, task.signal))),
    },
  }),
};

/** How long a new instance may take to print its host keys. Clouds publish the console's output with a delay of several minutes. */
const patienceMs = 5 * 60_000;
const pauseMs = 5000;

/**
 * Returns an instance's host keys: those that its cloud generated, or else those that the instance printed. Waits for the latter if the
 * instance is new and running.
 */
async function recordHostKeys(deps: InstanceDeps, task: DeployerTask, account: DeployedAccount): Promise<JsonObject> {
  return withMachine(deps, task, account, async (part, id, session) => {
    const found = await findHostKeys(deps, task, part, id);
    if (task.payload.outputs["is_new"] === true) await logBoot(task, part, id, session);
    return found;
  });
}

async function findHostKeys(deps: InstanceDeps, task: DeployerTask, part: MachinePart, id: string): Promise<JsonObject> {
  const { outputs } = task.payload;
  const hostKeysOf = textOf(outputs["instance_id"]);
  const generated = await part.readHostKeys?.(id, task.signal);
  if (generated !== undefined) return { hostKeys: [...generated], hostKeysOf };
  const clock = deps.clock ?? systemClock;
  const isWaiting = outputs["is_new"] === true && requireEntity(task, "Instance").spec.running !== false;
  const until = clock.now() + (isWaiting ? patienceMs : 0);
  for (;;) {
    const hostKeys = parseHostKeys(await part.readConsole(id, task.signal));
    if (hostKeys.length > 0) return { hostKeys, hostKeysOf };
    if (clock.now() + pauseMs > until) break;
    task.progress(10, "waiting for the instance to print its SSH host keys");
    await clock.sleep(pauseMs, task.signal);
  }
  return isWaiting ? { hostKeysMissing: "the instance has not printed its SSH host keys" } : {};
}

/** Writes the end of a new instance's boot log to the task's log, which is part of the operation's timeline. */
async function logBoot(task: DeployerTask, part: MachinePart, id: string, session: TaskSession): Promise<void> {
  const { secrets } = await session.openEndpoint();
  const text = await part.readConsole(id, task.signal).catch((error: unknown) => {
    task.signal.throwIfAborted();
    task.log(`the boot log could not be read: ${describeError(error)}`);
    return "";
  });
  for (const line of selectBootLines(text, Object.values(secrets?.reveal() ?? {}))) task.log(`boot: ${line}`);
}

/** A part whose resources are machines. */
type MachinePart = CloudPart & Required<Pick<CloudPart, "readConsole">>;

async function withMachine<Result>(
  deps: InstanceDeps,
  task: DeployerTask,
  account: DeployedAccount,
  run: (part: MachinePart, id: string, session: TaskSession) => Promise<Result>,
): Promise<Result> {
  const { entity, outputs } = task.payload;
  const id = textOf(outputs["instance_id"]);
  if (id === "") throw new Fault(deployerFaults.bad_spec, `Instance "${entity.name}" does not exist in the cloud yet`);
  const session = createTaskSession(deps, task, account);
  try {
    const cloud = await session.openCloud();
    const isClaimed = requireEntity(task, "Instance").spec.inventory !== "";
    const machine = isClaimed ? { machine: await openClaimedMachine({ task, session }) } : {};
    const parts = await cloud.openDirect?.({ entityUid: entity.uid, ...machine });
    const part = [...(parts?.values() ?? [])].find(
      (each): each is MachinePart => each.readConsole !== undefined && (each.isClaimed === true) === isClaimed,
    );
    if (part === undefined)
      throw new Fault(
        deployerFaults.not_supported,
        `reading the console output of instances in "${account.cloud}" is not supported yet`,
      );
    return await run(part, id, session);
  } catch (error) {
    throw session.explain(error);
  } finally {
    await session.close();
  }
}

/** Replaces an SSH key on a machine, whose cloud must have generated its host keys. */
async function replaceOn(part: MachinePart, id: string, session: TaskSession, { payload, signal }: DeployerTask): Promise<void> {
  const { keys, outputs } = payload;
  const hostKeys = await part.readHostKeys?.(id, signal);
  if (keys === undefined || hostKeys === undefined)
    throw new Fault(deployerFaults.not_supported, "SSH keys of instances in this cloud cannot be replaced");
  const secrets = (await session.openEndpoint()).secrets?.reveal() ?? {};
  const [privateKey, formerPrivateKey] = [
    secrets[nameKeySecret(keys.uid, "privateKey")],
    secrets[nameKeySecret(keys.uid, "formerPrivateKey")],
  ];
  if (privateKey === undefined || formerPrivateKey === undefined)
    throw new Fault(deployerFaults.key_not_replaced, "the key is not being replaced any more");
  const target = { address: textOf(outputs["private_address"]), user: textOf(outputs["user"]), hostKeys };
  const pairs = { privateKey: new Secret(privateKey), formerPrivateKey: new Secret(formerPrivateKey) };
  const { publicKey, formerPublicKey, remove } = keys;
  await replaceKey({ target, publicKey, formerPublicKey, remove, ...pairs }, signal);
}

const mostCharacters = 64 * 1024;

/** Keeps the end of a long output, because the newest lines matter most. */
function trim(text: string): string {
  return text.slice(-mostCharacters).toWellFormed().replaceAll("\0", "");
}
