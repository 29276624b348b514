import type { LeasedTask } from "@cloudwright/contract/gen/cloudwright/v1/task_pb.ts";
import { Fault, type Logger } from "@cloudwright/platform";
import type { Children } from "./children.ts";
import { taskClientFaults } from "./faults.ts";
import type { HandlerContext, HandlerOutcome, HandlerTask } from "./handler.ts";
import { toFailure } from "./outcome.ts";
import { readPayload } from "./payload.ts";
import type { HandlerRegistry } from "./registry.ts";
import type { Stopper } from "./stopper.ts";

/** The dependencies of a handler's context. */
export interface HandlerStage extends Pick<
  HandlerContext,
  "directory" | "resumed" | "log" | "progress" | "remainingMs" | "openState" | "openCredentials" | "keepToken"
> {
  readonly children: Children;
  readonly stopper: Stopper;
}

/** The fields of a leased task that are needed to run it. */
export type RunnableTask = Pick<
  LeasedTask,
  "uid" | "project" | "type" | "entityKind" | "entityUid" | "entityName" | "operation" | "attempt" | "payloadVersion" | "payload"
>;

/** Runs a task's handler and waits until its programs have exited. Returns undefined if the handler did not stop in time. */
export async function runHandler(
  deps: { registry: HandlerRegistry; log: Logger },
  task: RunnableTask,
  stage: HandlerStage,
): Promise<HandlerOutcome | undefined> {
  const { children, stopper, ...rest } = stage;
  stopper.attach(children);
  const work = async (): Promise<HandlerOutcome> => {
    const payload = readPayload(task.payloadVersion, task.payload);
    const handler = deps.registry.find(task.type, payload.account?.cloud);
    if (handler === undefined) throw new Fault(taskClientFaults.no_handler, `no handler is registered for ${task.type}`);
    return handler({
      ...rest,
      task: pickTask(task),
      payload,
      payloadJson: task.payload ?? {},
      signal: stopper.signal,
      spawn: (...how) => children.spawn(...how),
    });
  };
  const said = work().catch((error: unknown): HandlerOutcome => {
    if (!stopper.signal.aborted) deps.log.warn({ err: error, task: task.uid, type: task.type }, "handler failed");
    return toFailure(error);
  });
  const outcome = await Promise.race([said, stopper.abandoned.then(() => undefined)]);
  stopper.settle();
  children.close();
  await children.gone();
  return outcome;
}

// Handlers must not see the lease token.
function pickTask(from: RunnableTask): HandlerTask {
  const { uid, project, type, entityKind, entityUid, entityName, operation, attempt, payloadVersion } = from;
  return { uid, project, type, entityKind, entityUid, entityName, operation, attempt, payloadVersion };
}
